/**
 * The MCP server that one session's client talks to, the same for both protocol eras and both transports: the
 * session's tools under the names it sees, each with what calling it will cost; calls go through the gate.
 */
import {
  type CallToolResult,
  type ListToolsResult,
  type Tool as McpTool,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from "@modelcontextprotocol/server";
import { consequencesOf, isBlocked, shortConsequence, type Tool } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import type { OfferedTool, Session, ToolResult } from "../../session/index.ts";
import { toSluicegateError } from "../answer-error.ts";
import { execute } from "../execute.ts";
import { toWireDecision } from "../rest/wire.ts";
import type { Service } from "../service.ts";
import { parseStrictJson } from "../strict-json.ts";
import { META_TOOLS } from "./meta-tools.ts";

/** Where a result says what the gate decided. */
const DECISION_META = "dev.sluicegate/decision";

/** A server for one session; one per connection or, for newer clients, per request. */
export function createSessionServer(service: Service, session: Session): Server {
  const server = new Server(
    { name: "sluicegate", title: "Sluicegate", version: service.version },
    { capabilities: { tools: {} }, instructions: instructionsFor(session) },
  );
  server.setRequestHandler("tools/list", async () => listTools(service, await session.refresh()));
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const result = await callTool(
      service,
      session,
      params.name,
      params.arguments ?? {},
      context.mcpReq.signal,
    );
    // What a provider returns is MCP's own shape; the SDK checks it on the way out.
    return result as CallToolResult;
  });
  return server;
}

/** What the client puts before its model: the planning constraint, and where to ask for more. */
function instructionsFor(session: Session): string {
  return [
    session.planningPrompt(),
    `- Before you start, \`${META_TOOLS[0]?.name}\` lists what each tool blocks and \`${META_TOOLS[1]?.name}\` checks a plan.`,
    "- A refused call says why and what to do instead. Don't repeat it unchanged.",
  ].join("\n");
}

function listTools(service: Service, session: Session): ListToolsResult {
  const seen = session.tools;
  const shuts = consequencesOf(session.state, seen);
  const tools = seen.flatMap((tool) => {
    const definition = service.catalog.definitionOf(tool);
    return definition ? [describeTool(session, tool, definition, shuts.get(tool.id) ?? [])] : [];
  });
  return { tools: [...tools, ...META_TOOLS.map(({ run: _, ...definition }) => toMcpTool(definition))] };
}

function describeTool(
  session: Session,
  tool: Tool,
  definition: OfferedTool,
  shuts: readonly Tool[],
): McpTool {
  const cost = shortConsequence(session.state, tool, shuts);
  const blocked = isBlocked(session.state, tool);
  const note = cost === null ? "" : `\n\n[Sluicegate] ${cost}`;
  const description = `${definition.description ?? ""}${note}`.trim();
  const { title } = definition;
  return toMcpTool({
    ...definition,
    name: tool.name,
    description,
    ...(blocked && { title: `${title ?? tool.name} (blocked)` }),
  });
}

/** A definition as the SDK types it. Upstream schemas pass as they came; the SDK validates the whole list. */
const toMcpTool = (definition: OfferedTool): McpTool => definition as McpTool;

async function callTool(
  service: Service,
  session: Session,
  name: string,
  args: unknown,
  signal: AbortSignal,
): Promise<ToolResult & { readonly _meta?: Readonly<Record<string, unknown>> }> {
  const meta = META_TOOLS.find((tool) => tool.name === name);
  try {
    if (meta) return meta.run(await session.refresh(), args, service.limits);
    if (name.length > LONGEST_NAME) throw nameTooLong();
    const call = { tool: name, arguments: toArguments(args) };
    const { decision, result, error } = await execute(service.gate, service.catalog, session, call, {
      signal,
    });
    if (result) return result;
    const text = error ? describeError(error) : decision.reasons.map(({ message }) => message).join("\n");
    const _meta = { [DECISION_META]: toWireDecision(decision) };
    return {
      content: [{ type: "text", text: withApproval(text, decision.approval?.id) }],
      isError: true,
      _meta,
    };
  } catch (cause) {
    const error = toSluicegateError(cause);
    if (error.mapping.http < 500)
      return { content: [{ type: "text", text: describeError(error) }], isError: true };
    throw new ProtocolError(ProtocolErrorCode.InternalError, describeError(error), { code: error.code });
  }
}

/** As long as a tool's name may be over REST. */
const LONGEST_NAME = 256;

const nameTooLong = (): SluicegateError =>
  new SluicegateError("invalid-request", "The tool's name is too long.", {
    why: `A name may have ${LONGEST_NAME} characters.`,
    fix: "Use a name from the list of tools.",
  });

// THREAT: arguments come from a model; a client that parsed them laxly must not get more through than REST does.
function toArguments(args: unknown): Readonly<Record<string, unknown>> {
  const copy = parseStrictJson(JSON.stringify(args));
  if (typeof copy === "object" && copy !== null && !Array.isArray(copy)) return { ...copy };
  throw new SluicegateError("invalid-request", "The arguments must be an object.", {
    why: "They are something else.",
    fix: "Send the arguments as a JSON object.",
  });
}

const describeError = ({ message, why, fix }: SluicegateError): string => `${message} ${why} ${fix}`;

const withApproval = (text: string, approval: string | undefined): string =>
  approval === undefined ? text : `${text} The approval is ${approval}; nothing was run.`;
