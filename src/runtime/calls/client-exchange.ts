/**
 * What goes back and forth between a server and a client while a call runs: the server's notices and questions, each
 * under the server's label, and the answers, each against the server's clearance.
 */
import { isWithin, join, type Tool, toMethodId, toToolId } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import { isJsonObject } from "../../json/json-object.ts";
import type { ExchangeOptions, JsonObject, LogLevel, ServerMessage } from "../ports/provider.ts";
import type { Session } from "../session.ts";
import { withoutLabel } from "./ifc-hint.ts";

/** What a server may ask a client, by key. */
export type Questions = Readonly<Record<string, ServerMessage>>;
export type Answers = Readonly<Record<string, JsonObject>>;

/** The client at the other end of a call, as far as it takes part in it. */
export interface ClientLink {
  readonly signal: AbortSignal;
  /** What it can answer, in MCP's shape. */
  readonly capabilities: JsonObject;
  /** Whether it wants to hear of progress. */
  readonly progress: boolean;
  /** The least severity of messages that it wants. */
  readonly logLevel?: LogLevel;
  /** Its own trace, as it sent it (https://www.w3.org/TR/trace-context). */
  readonly traceparent?: string;
  notify(notice: ServerMessage): void;
  ask(questions: Questions): Promise<Answers>;
}

/** The key of the gateway's own question to a client: whether a call is approved. */
export const APPROVAL_KEY = "sluicegate_approval";

/** Whether a session may answer a server's questions of these methods in any way. */
export const mayAnswer = (session: Session, server: string, methods: readonly string[]): Promise<boolean> =>
  mayReach(session, ...methods.map((method) => toToolId(server, method)));

/**
 * An exchange with a server on behalf of a session, whose client is `link`. `onUnanswered` is told why a question gets
 * no answer where the server isn't told that either.
 */
export function toExchange(
  session: Session,
  server: string,
  link: ClientLink,
  onUnanswered: (cause: unknown) => void = () => {},
): ExchangeOptions {
  const { signal, capabilities, progress, logLevel } = link;
  return {
    signal,
    session: session.id,
    capabilities,
    progress,
    ...(logLevel && { logLevel }),
    onNotice: (notice) => {
      if (mayReceiveNotice(session, server)) link.notify(notice);
    },
    ask: async (questions) => {
      const [answered] = await Promise.allSettled([putToClient(session, server, questions, link)]);
      const methods = Object.values(questions).map(({ method }) => method);
      if (!(await mayAnswer(session, server, methods))) {
        const unanswered = toUnanswered(server, answered.status === "rejected" ? answered.reason : null);
        onUnanswered(unanswered);
        throw unanswered;
      }
      if (answered.status === "rejected") throw answered.reason;
      return answered.value;
    },
  };
}

/** A notice comes unasked, so it raises nothing: one that would is dropped. */
function mayReceiveNotice(session: Session, server: string): boolean {
  const { tool, reasons } = session.judge(toMethodId(server, "notifications/message"));
  return tool !== null && reasons.every(({ code }) => code === "flow-blocked") && isCovered(session, tool);
}

/**
 * Whether the session's label may go to all of these, tools and methods of servers: as the store has it at this moment,
 * with what its forks and other gateways have raised it by. Never rejects; while that can't be found out, or where
 * there are none of these, it may not.
 * THREAT: what a session gives up or ends, and when, says something too; a server that may not know isn't told.
 */
export async function mayReach(session: Session, ...ids: readonly string[]): Promise<boolean> {
  try {
    await session.refresh();
  } catch {
    return false;
  }
  const isReachable = (id: string): boolean => {
    const { tool } = session.judge(id);
    return tool !== null && isWithin(session.state, tool);
  };
  return ids.length > 0 && ids.every(isReachable);
}

/** Whether the session's label is at or above what a tool brings in. */
export const isCovered = ({ state }: Session, { source }: Tool): boolean =>
  source === null || join(state.lattice, state.label, source) === state.label;

/**
 * Puts a server's questions to the client: the session is raised by the server's label before the client sees them,
 * and each answer, also one that is left out, is decided on again, since the session may know more by then than when
 * it was asked.
 */
async function putToClient(
  session: Session,
  server: string,
  questions: Questions,
  link: ClientLink,
): Promise<Record<string, JsonObject>> {
  // THREAT: a server chooses the keys of its questions, and would like one to be taken for the gateway's own.
  if (Object.hasOwn(questions, APPROVAL_KEY)) throw takesOurKey(server);
  for (const { method, params } of Object.values(questions)) {
    assertCan(link.capabilities, method, params);
    await pass(session, server, method, { question: params });
  }
  const shown = Object.entries(questions).map(([key, { method, params }]): [string, ServerMessage] => [
    key,
    { method, params: withoutLabel(session.state.lattice, params) },
  ]);
  const answers = await link.ask(Object.fromEntries(shown));
  const passed: [string, JsonObject][] = [];
  // THREAT: a client sends what it likes: only what was asked is answered, and to leave an answer out says something too.
  for (const [key, { method }] of Object.entries(questions)) {
    const isAnswered = Object.hasOwn(answers, key);
    const copy = await pass(session, server, method, { answer: isAnswered ? answers[key] : null });
    if (isAnswered) passed.push([key, toObject(copy.answer)]);
  }
  return Object.fromEntries(passed);
}

const toObject = (value: unknown): JsonObject => (isJsonObject(value) ? { ...value } : {});

/** Decides one way of a question, and gives the canonical copy of what passes. */
async function pass(
  session: Session,
  server: string,
  method: string,
  content: JsonObject,
): Promise<JsonObject> {
  let passed: JsonObject = {};
  const outcome = await session.call({ tool: toToolId(server, method), arguments: content }, (copy) => {
    passed = copy;
    // What goes to the client is inspected; what its person answers goes to the server and comes from nowhere.
    return content.question;
  });
  if (outcome.effect === "allow") return passed;
  throw new SluicegateError("permission-denied", "A question of the server can't be passed on.", {
    why: outcome.reasons.map(({ message }) => message).join(" "),
    fix: "Call the tool with all that it needs, or in a session that doesn't hold such data.",
    details: { server, method },
  });
}

/** What the caller is told where the server is told nothing. */
const toUnanswered = (server: string, cause: unknown): SluicegateError =>
  SluicegateError.isInstance(cause)
    ? cause
    : new SluicegateError("permission-denied", "A question of the server gets no answer.", {
        why: "The client didn't answer it, and the server may not be told that, since the session holds what it may not know.",
        fix: "Call the tool with all that it needs, or in a session that doesn't hold such data.",
        details: { server },
      });

function assertCan(capabilities: JsonObject, method: string, params: JsonObject): void {
  const kind = method.split("/")[0] ?? "";
  const declared = capabilities[kind];
  const isUrl = kind === "elicitation" && params.mode === "url";
  if (declared !== undefined && (!isUrl || Object.hasOwn(toObject(declared), "url"))) return;
  throw new SluicegateError("client-unable", "The client can't answer the server's question.", {
    why: `It declared no capability \`${isUrl ? "elicitation.url" : kind}\`.`,
    fix: "Use a client that can, or call the tool with all that it needs.",
    details: { capability: isUrl ? { elicitation: { url: {} } } : { [kind]: {} } },
  });
}

const takesOurKey = (server: string): SluicegateError =>
  new SluicegateError("permission-denied", "A question of the server can't be passed on.", {
    why: `It is keyed \`${APPROVAL_KEY}\`, which is the gateway's own.`,
    fix: "Look into the server: none has a reason to key its questions so.",
    details: { server },
  });

export interface InspectedNotices {
  /** The same client, to whom notices go after a look. */
  readonly link: ClientLink;
  /** Resolves when all that came has gone on or was dropped. */
  settled(): Promise<void>;
}

/** Notices that wait for a look; more are dropped. */
const MAX_WAITING = 64;

/**
 * Looks into a server's notices, each in turn, before the client hears of them. A notice comes unasked and raises
 * nothing, so one in which something is found, or of which its server says something, that the session's label doesn't
 * cover is dropped.
 */
export function inspectNotices(session: Session, tool: string, link: ClientLink): InspectedNotices {
  let last: Promise<void> = Promise.resolve();
  let waiting = 0;
  const pass = async (notice: ServerMessage, params: JsonObject): Promise<void> => {
    const mayPass = await session.mayReceiveNotice(notice.params, tool);
    waiting -= 1;
    if (mayPass) link.notify({ ...notice, params });
  };
  const notify = (notice: ServerMessage): void => {
    const params = withoutLabel(session.state.lattice, notice.params);
    if (!session.inspects && params === notice.params) {
      link.notify(notice);
      return;
    }
    if (waiting >= MAX_WAITING) return;
    waiting += 1;
    last = last.then(() => pass(notice, params));
  };
  return { link: { ...link, notify }, settled: () => last };
}
