/** What the handlers of one session's MCP server share, and how a request is served. */
import { randomUUID } from "node:crypto";
import {
  type CallToolResult,
  type InputRequiredResult,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type RequestId,
  type Server,
} from "@modelcontextprotocol/server";
import { isPrivate, isUntrusted, type Label, type Lattice } from "../../core/index.ts";
import { ERROR_CODES, SluicegateError } from "../../errors/index.ts";
import { ANY_OBJECT, isJsonObject } from "../../json/json-object.ts";
import {
  canonicalJson,
  describeRefusal,
  type JsonObject,
  type ServerMessage,
  type Session,
} from "../../runtime/index.ts";
import { APPROVAL_KEY, type ClientLink, type Execution } from "../../runtime/internal.ts";
import { toSluicegateError } from "../http/answer-error.ts";
import { toWireDecision } from "../rest/wire.ts";
import type { Service } from "../service.ts";
import { type ApprovalStates, isApprovalState, type StateBinding } from "./approvals/approval-state.ts";
import {
  type Approver,
  type CallingClient,
  executeForClient,
  InputRequiredError,
} from "./approvals/execute-for-client.ts";
import { CLIENT_ANSWER_TIMEOUT_MS, type PendingCalls, unknownState } from "./approvals/pending-calls.ts";
import { type RequestExchange, toClientLink, type Verbosity } from "./client-link.ts";

export interface McpRequestContext {
  /** The connection's; a newer client sends its capabilities with each request. */
  readonly server: Pick<Server, "getClientCapabilities">;
  readonly service: Service;
  readonly session: Session;
  readonly conversations: PendingCalls;
  readonly approvalStates: ApprovalStates;
  /** The approvals that a client is being asked about now. */
  readonly openQuestions: Set<string>;
  readonly verbosity: Verbosity;
  /** Outcomes of calls that ran already, by the request's id: the SDK only writes their answers. */
  readonly outcomes: Map<RequestId, Promise<ToolOutcome>>;
}

export type ToolOutcome = CallToolResult | InputRequiredResult;

/** A request from the SDK. */
export interface Incoming {
  readonly method: string;
  readonly params?: JsonObject | undefined;
}

/** The key of the gate's decision in a result. */
export const DECISION_META = "dev.sluicegate/decision";

/**
 * Serves a request that may need answers from the client, for its server or for an approval: starts it, or continues
 * it if the client returned answers.
 */
export async function runMultiRound<Result>(
  door: McpRequestContext,
  request: Incoming,
  context: RequestExchange,
  begin: (client: CallingClient) => Promise<Result>,
): Promise<Result | InputRequiredResult> {
  const link = toClientLink(door.server, context, door.verbosity);
  const isAskable = canFillForms(link.capabilities);
  if (context.mcpReq.envelope === undefined) {
    const approver = isAskable ? askingDirectly(context) : null;
    return begin({ link: { ...link, ask: askDirectly(context) }, approver, reply: null });
  }
  try {
    return await takeTurn(door, request, context, { link, isAskable }, begin);
  } catch (cause) {
    if (cause instanceof InputRequiredError) return cause.result;
    throw toProtocolError(cause);
  }
}

/** One request of a client of revision 2026-07-28, which sends its answers in further requests. */
async function takeTurn<Result>(
  door: McpRequestContext,
  request: Incoming,
  context: RequestExchange,
  { link, isAskable }: { readonly link: Omit<ClientLink, "ask">; readonly isAskable: boolean },
  begin: (client: CallingClient) => Promise<Result>,
): Promise<Result | InputRequiredResult> {
  const { approvalStates, session } = door;
  const { _meta, ...params } = request.params ?? {};
  const { inputResponses = {}, requestState } = context.mcpReq;
  const binding = canonicalJson([request.method, params]);
  const bound = { session: session.id, request: binding };
  const seal = (approval: string, expiresAt: string): string =>
    approvalStates.seal(approval, expiresAt, bound);
  const approver: Approver | null = isAskable ? { kind: "by-result", seal } : null;
  const given = requestState<string>();
  const isReply = isApprovalState(given);
  // INVARIANT: an answer to an approval counts only with its state; with it, the call starts anew.
  const approval = isReply ? await openOnce(door, given, bound) : null;
  const reply = approval === null ? null : { approval, answer: inputResponses[APPROVAL_KEY] };
  const round = {
    session: session.id,
    binding,
    link,
    state: isReply ? undefined : given,
    answers: onlyObjects(inputResponses),
  };
  const turn = await door.conversations.next(round, (own) => begin({ link: own, approver, reply }));
  if (turn.kind === "result") return turn.result;
  // INVARIANT: `resultType` tells the SDK that this isn't a result, so it validates the questions.
  return {
    resultType: "input_required",
    inputRequests: { ...turn.questions },
    requestState: turn.state,
  } as InputRequiredResult;
}

/** The approval that a state names, unless a client has answered it already. */
async function openOnce(
  { approvalStates, service }: McpRequestContext,
  state: string,
  bound: StateBinding,
): Promise<string> {
  const approval = approvalStates.open(state, bound);
  const found = await service.gate.approval(approval);
  if ("outcome" in found && found.via === "client") throw unknownState();
  return approval;
}

/** Whether a client supports forms; a client that declares no mode does. */
function canFillForms({ elicitation }: JsonObject): boolean {
  if (!isJsonObject(elicitation)) return false;
  return Object.hasOwn(elicitation, "form") || !Object.hasOwn(elicitation, "url");
}

/** Asks the user of an older client while its request is open. */
const askingDirectly = ({ mcpReq }: RequestExchange): Approver => ({
  kind: "directly",
  ask: (params, signal) =>
    mcpReq.send({ method: "elicitation/create", params: { ...params } }, ANY_OBJECT, {
      timeout: CLIENT_ANSWER_TIMEOUT_MS,
      signal,
    }),
});

/** Asks an older client while its request is open. */
const askDirectly =
  ({ mcpReq }: RequestExchange): ClientLink["ask"] =>
  async (questions) => {
    const { signal } = mcpReq;
    const ask = async ([key, { method, params }]: [string, ServerMessage]) => {
      const question = { method, params: withElicitationId(params) };
      const answer = await mcpReq.send(question, ANY_OBJECT, { timeout: CLIENT_ANSWER_TIMEOUT_MS, signal });
      return [key, answer] as const;
    };
    return Object.fromEntries(await Promise.all(Object.entries(questions).map(ask)));
  };

/** In the older revisions, questions that send a user to another page have ids. */
const withElicitationId = (params: JsonObject): Record<string, unknown> =>
  params.mode === "url" && params.elicitationId === undefined
    ? { ...params, elicitationId: randomUUID() }
    : { ...params };

/** For a client that can't be asked. */
export const cannotAsk = (): Promise<never> =>
  Promise.reject(
    new SluicegateError("client-unable", "The client can't be asked now.", {
      why: "It can answer no questions, or MCP has no way to put one to it at that moment.",
      fix: "Use a client that can, or give all that is needed at once.",
      details: { capability: {} },
    }),
  );

const onlyObjects = (answers: Readonly<Record<string, unknown>>): Record<string, JsonObject> =>
  Object.fromEntries(
    Object.entries(answers).flatMap(([key, answer]) =>
      typeof answer === "object" && answer !== null ? [[key, { ...answer }]] : [],
    ),
  );

/** Sends a method other than a tool call to a server. @throws ProtocolError if the gate or the server refuses. */
export async function fetchFrom(
  door: McpRequestContext,
  tool: string,
  params: JsonObject,
  client: CallingClient,
): Promise<JsonObject> {
  return resultOf(await executeForClient(door, { tool, arguments: params }, client));
}

/** The same without waiting: if it needs approval, it is refused. */
export async function fetchAtOnce(
  { service, session }: McpRequestContext,
  tool: string,
  params: JsonObject,
  link: ClientLink,
): Promise<JsonObject> {
  const call = { tool, arguments: params };
  return resultOf(await service.execute(session, call, { link }));
}

/** Adds the session's present label to a result, whose text may depend on everything that the session holds. */
export const labelled = <Result extends object>({ session }: McpRequestContext, result: Result): Result =>
  withLabel(session.state.lattice, session.label, result);

/** The key of the exact label in a result. */
const LABEL_META = "dev.sluicegate/label";

/**
 * A result with its label, instead of any from the server: in the form of GitHub's MCP server and FIDES
 * (`_meta.ifc`), and with the policy's exact names.
 */
function withLabel<Result extends object>(lattice: Lattice, label: Label, result: Result): Result {
  const meta = "_meta" in result && isJsonObject(result._meta) ? result._meta : {};
  const ifc = {
    integrity: isUntrusted(lattice, label) ? "untrusted" : "trusted",
    confidentiality: isPrivate(lattice, label) ? "private" : "public",
  };
  return { ...result, _meta: { ...meta, ifc, [LABEL_META]: label } };
}

function resultOf({ decision, result, error }: Execution): JsonObject {
  if (result) return result;
  if (error) throw toProtocolError(error);
  const { jsonRpc } = ERROR_CODES["permission-denied"];
  throw new ProtocolError(jsonRpc, describeRefusal(decision), { decision: toWireDecision(decision) });
}

/** An error in JSON-RPC's form; an error from the server keeps its code. */
export function toProtocolError(cause: unknown): Error {
  if (ProtocolError.isInstance(cause)) return cause;
  const error = toSluicegateError(cause);
  const { answered } = error.details;
  if (typeof answered === "number") return new ProtocolError(answered, describeError(error));
  if (error.code === "client-unable") return unable(error);
  const code = error.mapping.http < 500 ? error.mapping.jsonRpc : ProtocolErrorCode.InternalError;
  return new ProtocolError(code, describeError(error), { code: error.code });
}

function unable({ details }: SluicegateError): Error {
  const { capability } = details as { readonly capability: Record<string, object> };
  return new MissingRequiredClientCapabilityError({ requiredCapabilities: capability });
}

/** A denial or a failure as a tool's result, which the model reads. */
export const toToolError = (text: string, _meta?: JsonObject): CallToolResult => ({
  content: [{ type: "text", text }],
  isError: true,
  ...(_meta && { _meta: { ..._meta } }),
});

export const describeError = ({ message, why, fix }: SluicegateError): string => `${message} ${why} ${fix}`;

/** Lists aren't paged, so there is no cursor. */
export function assertFirstPage(params: JsonObject | undefined): void {
  if (params?.cursor === undefined) return;
  throw toProtocolError(
    new SluicegateError("invalid-request", "There is no such page.", {
      why: "The lists of this gateway have one page, so no cursor was ever given.",
      fix: "Ask without `cursor`.",
    }),
  );
}
