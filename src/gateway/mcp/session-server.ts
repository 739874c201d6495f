/**
 * The MCP server for one session's client, the same for both protocol versions and both transports. Each request is
 * decided on when it comes.
 */
import { type Implementation, type RequestId, Server } from "@modelcontextprotocol/server";
import { type Session, systemRandom } from "../../runtime/index.ts";
import type { Service } from "../service.ts";
import { ApprovalStates } from "./approvals/approval-state.ts";
import { PendingCalls } from "./approvals/pending-calls.ts";
import { type ListKind, ListNotices } from "./offers/list-notices.ts";
import { APPEAL_TOOL, MANIFEST_TOOL, PLAN_TOOL } from "./offers/meta-tools.ts";
import { handlePrompts } from "./offers/prompt-handlers.ts";
import { handleResources } from "./offers/resource-handlers.ts";
import { Subscriptions } from "./offers/subscriptions.ts";
import { handleTools } from "./offers/tool-handlers.ts";
import { type McpRequestContext, type ToolOutcome, toProtocolError } from "./request-context.ts";

/** What the MCP servers of one gateway share. */
export interface McpService extends Service {
  readonly conversations: PendingCalls;
  readonly approvalStates: ApprovalStates;
  /** The approvals that a client is being asked about now. */
  readonly openQuestions: Set<string>;
  readonly notices: ListNotices;
}

/** @param key the gateway's; the keys for signed states are derived from it */
export function createMcpService(
  service: Service,
  key: Uint8Array,
  onFault: (cause: unknown) => void,
): McpService {
  return {
    ...service,
    conversations: new PendingCalls(systemRandom),
    approvalStates: new ApprovalStates(key, service.clock),
    openQuestions: new Set(),
    notices: new ListNotices(service, onFault),
  };
}

const CAPABILITIES = Object.freeze({
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
});

/** A server for one session's request, of a newer client; for a call that ran already, with its outcome. */
export function createSessionServer(
  service: McpService,
  session: Session,
  ran?: { readonly id: RequestId; readonly outcome: Promise<ToolOutcome> },
): Server {
  const { server, context } = buildServer(service, session);
  if (ran) context.outcomes.set(ran.id, ran.outcome);
  return server;
}

/** What the handlers of a connection share, or those of a newer client's request. */
export const toContext = (
  service: McpService,
  session: Session,
  server: McpRequestContext["server"],
): McpRequestContext => {
  const { conversations, approvalStates, openQuestions } = service;
  return {
    ...{ server, service, session, conversations, approvalStates, openQuestions },
    verbosity: { level: null },
    outcomes: new Map(),
  };
};

export const serverInfoOf = ({ version }: McpService): Implementation => ({
  name: "sluicegate",
  title: "Sluicegate",
  version,
});

interface SessionServer {
  readonly server: Server;
  readonly context: McpRequestContext;
}

function buildServer(service: McpService, session: Session): SessionServer {
  const server = new Server(serverInfoOf(service), {
    capabilities: CAPABILITIES,
    instructions: instructionsFor(session),
  });
  const context = toContext(service, session, server);
  handleTools(server, context);
  handleResources(server, context);
  handlePrompts(server, context);
  server.setRequestHandler("logging/setLevel", ({ params }) => {
    context.verbosity.level = params.level;
    return {};
  });
  return { server, context };
}

/**
 * A server for a client that stays connected: it also notifies the client of changed lists and subscribed resources.
 */
export function createLiveServer(
  service: McpService,
  session: Session,
  onFault: (cause: unknown) => void,
): SessionServer {
  const { server, context } = buildServer(service, session);
  const tell = (sent: Promise<void>): void => void sent.catch(onFault);
  const send: Readonly<Record<ListKind, () => Promise<void>>> = {
    tools: () => server.sendToolListChanged(),
    resources: () => server.sendResourceListChanged(),
    prompts: () => server.sendPromptListChanged(),
  };
  const subscriptions = new Subscriptions(service, session, (uri) =>
    tell(server.sendResourceUpdated({ uri })),
  );
  server.setRequestHandler("resources/subscribe", async ({ params }) => {
    await subscriptions.add(params.uri).catch((cause: unknown) => {
      throw toProtocolError(cause);
    });
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", ({ params }) => {
    subscriptions.remove(params.uri);
    return {};
  });
  const stop = service.notices.watch(session, (kind) => tell(send[kind]()));
  server.onclose = () => {
    stop();
    subscriptions.close();
  };
  return { server, context };
}

/** Instructions for the client's model: the planning constraints, and where to ask for more. */
function instructionsFor(session: Session): string {
  return [
    session.planningPrompt(),
    `- Before you start, \`${MANIFEST_TOOL}\` lists what each tool blocks and \`${PLAN_TOOL}\` checks a plan.`,
    `- A refused call says why and what to do instead. Don't repeat it unchanged; \`${APPEAL_TOOL}\` tells a person why it should run.`,
  ].join("\n");
}
