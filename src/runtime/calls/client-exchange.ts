/**
 * Messages between a server and a client while a call runs. The server's notices and questions have the server's
 * label; answers must be allowed by the server's clearance.
 */
import { isWithin, join, type Tool, toMethodId, toToolId } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import { isJsonObject } from "../../json/json-object.ts";
import type { ExchangeOptions, JsonObject, LogLevel, ServerMessage } from "../ports/provider.ts";
import type { Session } from "../session.ts";
import { withoutLabel } from "./ifc-hint.ts";

/** A server's questions to a client, by key. */
export type Questions = Readonly<Record<string, ServerMessage>>;
export type Answers = Readonly<Record<string, JsonObject>>;

/** The client of a call, if it takes part. */
export interface ClientLink {
  readonly signal: AbortSignal;
  /** What it can answer, in MCP's shape. */
  readonly capabilities: JsonObject;
  /** Whether it wants progress notifications. */
  readonly progress: boolean;
  /** The least severity of log messages that it wants. */
  readonly logLevel?: LogLevel;
  /** Its trace, as it sent it (https://www.w3.org/TR/trace-context). */
  readonly traceparent?: string;
  notify(notice: ServerMessage): void;
  ask(questions: Questions): Promise<Answers>;
}

/** The key of the gateway's own question to a client, whether a call is approved. */
export const APPROVAL_KEY = "sluicegate_approval";

/** Whether a session may answer questions of these methods from a server. */
export const mayAnswer = (session: Session, server: string, methods: readonly string[]): Promise<boolean> =>
  mayReach(session, ...methods.map((method) => toToolId(server, method)));

/**
 * An exchange with a server on behalf of a session, whose client is `link`. `onUnanswered` gets the reason if a
 * question stays unanswered and the server isn't told why.
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

/** A notice must not raise the label: one that would is dropped. */
function mayReceiveNotice(session: Session, server: string): boolean {
  const { tool, reasons } = session.judge(toMethodId(server, "notifications/message"));
  return tool !== null && reasons.every(({ code }) => code === "flow-blocked") && isCovered(session, tool);
}

/**
 * Whether the session's label may flow to all of these tools and methods, as the store has it now, with raises by
 * forks and other gateways. Never rejects; false if that can't be determined, or if the list is empty. THREAT: that a
 * session cancels or ends a call, and when, is information too; a server that may not receive it isn't told.
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

/** Whether the session's label covers what a tool brings in. */
export const isCovered = ({ state }: Session, { source }: Tool): boolean =>
  source === null || join(state.lattice, state.label, source) === state.label;

/**
 * Passes a server's questions to the client. The server's label is in the session before the client sees them. Each
 * answer, even a missing one, is decided on again, since the label may have risen meanwhile.
 */
async function putToClient(
  session: Session,
  server: string,
  questions: Questions,
  link: ClientLink,
): Promise<Record<string, JsonObject>> {
  // THREAT: a server chooses the keys of its questions, and could imitate the gateway's own.
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
  // THREAT: a client chooses its answers: only those to the questions count, and a missing answer is
  // information too.
  for (const [key, { method }] of Object.entries(questions)) {
    const isAnswered = Object.hasOwn(answers, key);
    const copy = await pass(session, server, method, { answer: isAnswered ? answers[key] : null });
    if (isAnswered) passed.push([key, toObject(copy.answer)]);
  }
  return Object.fromEntries(passed);
}

const toObject = (value: unknown): JsonObject => (isJsonObject(value) ? { ...value } : {});

/** Decides one direction of a question, and returns the canonical copy of what passes. */
async function pass(
  session: Session,
  server: string,
  method: string,
  content: JsonObject,
): Promise<JsonObject> {
  let passed: JsonObject = {};
  const outcome = await session.call({ tool: toToolId(server, method), arguments: content }, (copy) => {
    passed = copy;
    // Questions to the client are inspected; answers go to the server and have no source.
    return content.question;
  });
  if (outcome.effect === "allow") return passed;
  throw new SluicegateError("permission-denied", "A question of the server can't be passed on.", {
    why: outcome.reasons.map(({ message }) => message).join(" "),
    fix: "Call the tool with all that it needs, or in a session that doesn't hold such data.",
    details: { server, method },
  });
}

/** The error for the caller if the server isn't answered. */
const toUnanswered = (server: string, cause: unknown): SluicegateError =>
  SluicegateError.isInstance(cause)
    ? cause
    : new SluicegateError("permission-denied", "A question of the server gets no answer.", {
        why: "The client didn't answer it, and the server may not be told that, since the session holds data that the server may not receive.",
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
    fix: "Check the server: no server has a reason to use this key.",
    details: { server },
  });

export interface InspectedNotices {
  /** The same client, with inspected notices. */
  readonly link: ClientLink;
  /** Resolves when all notices were passed on or dropped. */
  settled(): Promise<void>;
}

/** Notices that wait for inspection; further ones are dropped. */
const MAX_WAITING = 64;

/**
 * Inspects a server's notices, one after the other, before the client gets them. A notice must not raise the label:
 * if it contains findings or a server's label that the session's label doesn't cover, it is dropped.
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
