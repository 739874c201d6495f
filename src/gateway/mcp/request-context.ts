/** What the handlers of one session's MCP server share, and how one of its requests is served. */
import { randomUUID } from "node:crypto";
import {
  type CallToolResult,
  type InputRequiredResult,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
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
import { toClientLink, type Verbosity } from "./client-link.ts";

export interface McpRequestContext {
  readonly server: Server;
  readonly service: Service;
  readonly session: Session;
  readonly conversations: PendingCalls;
  readonly approvalStates: ApprovalStates;
  /** The approvals that a client is being asked for at the moment. */
  readonly openQuestions: Set<string>;
  readonly verbosity: Verbosity;
}

/** A request as the SDK hands it over. */
export interface Incoming {
  readonly method: string;
  readonly params?: JsonObject | undefined;
}

/** Where a result says what the gate decided. */
export const DECISION_META = "dev.sluicegate/decision";

/**
 * Serves a request that its server may ask something about, or that a person must approve: begins it, or goes on with
 * it where the client brought back answers.
 */
export async function runMultiRound<Result>(
  door: McpRequestContext,
  request: Incoming,
  context: ServerContext,
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

/** One request of a client of revision 2026-07-28: each answer of it comes with a request of its own. */
async function takeTurn<Result>(
  door: McpRequestContext,
  request: Incoming,
  context: ServerContext,
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
  // INVARIANT: an answer to an approval counts with its state alone, and a call begins anew with it.
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
  // INVARIANT: `resultType` tells the SDK that this is no result; it checks the questions.
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

/** Whether a client has declared that it shows forms; without a mode, it is forms that it means. */
function canFillForms({ elicitation }: JsonObject): boolean {
  if (!isJsonObject(elicitation)) return false;
  return Object.hasOwn(elicitation, "form") || !Object.hasOwn(elicitation, "url");
}

/** Asks the person of an older client while its request is open. */
const askingDirectly = ({ mcpReq }: ServerContext): Approver => ({
  kind: "directly",
  ask: (params, signal) =>
    mcpReq.send({ method: "elicitation/create", params: { ...params } }, ANY_OBJECT, {
      timeout: CLIENT_ANSWER_TIMEOUT_MS,
      signal,
    }),
});

/** Asks a client of the older revisions while its request is open. */
const askDirectly =
  ({ mcpReq }: ServerContext): ClientLink["ask"] =>
  async (questions) => {
    const { signal } = mcpReq;
    const ask = async ([key, { method, params }]: [string, ServerMessage]) => {
      const question = { method, params: withElicitationId(params) };
      const answer = await mcpReq.send(question, ANY_OBJECT, { timeout: CLIENT_ANSWER_TIMEOUT_MS, signal });
      return [key, answer] as const;
    };
    return Object.fromEntries(await Promise.all(Object.entries(questions).map(ask)));
  };

/** The older revisions number the questions that send a user elsewhere. */
const withElicitationId = (params: JsonObject): Record<string, unknown> =>
  params.mode === "url" && params.elicitationId === undefined
    ? { ...params, elicitationId: randomUUID() }
    : { ...params };

const onlyObjects = (answers: Readonly<Record<string, unknown>>): Record<string, JsonObject> =>
  Object.fromEntries(
    Object.entries(answers).flatMap(([key, answer]) =>
      typeof answer === "object" && answer !== null ? [[key, { ...answer }]] : [],
    ),
  );

/** Asks a server for something that isn't a tool. @throws ProtocolError where the gate or the server refuses. */
export async function fetchFrom(
  door: McpRequestContext,
  tool: string,
  params: JsonObject,
  client: CallingClient,
): Promise<JsonObject> {
  return resultOf(await executeForClient(door, { tool, arguments: params }, client));
}

/** The same for what nobody waits for: where a person must approve, it is refused. */
export async function fetchAtOnce(
  { service, session }: McpRequestContext,
  tool: string,
  params: JsonObject,
  link: ClientLink,
): Promise<JsonObject> {
  const call = { tool, arguments: params };
  return resultOf(await service.execute(session, call, { link }));
}

/** A result with the label that the session has now: what it says may depend on all that the session holds. */
export const labelled = <Result extends object>({ session }: McpRequestContext, result: Result): Result =>
  withLabel(session.state.lattice, session.label, result);

/** Where a result carries its label by its exact names. */
const LABEL_META = "dev.sluicegate/label";

/**
 * A result with the label that it is given under, in place of any that it had: in the shape in which GitHub's MCP server
 * and FIDES write theirs (`_meta.ifc`), and by its exact names beside it.
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

/** An error as JSON-RPC has it; what a server answered with an error keeps the server's code. */
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

/** A refusal or a failure as the result of a tool, which the model reads. */
export const toToolError = (text: string, _meta?: JsonObject): CallToolResult => ({
  content: [{ type: "text", text }],
  isError: true,
  ...(_meta && { _meta: { ..._meta } }),
});

export const describeError = ({ message, why, fix }: SluicegateError): string => `${message} ${why} ${fix}`;

/** The lists are given whole, so there is no second page to ask for. */
export function assertFirstPage(params: JsonObject | undefined): void {
  if (params?.cursor === undefined) return;
  throw toProtocolError(
    new SluicegateError("invalid-request", "There is no such page.", {
      why: "The lists of this gateway have one page, so no cursor was ever given.",
      fix: "Ask without `cursor`.",
    }),
  );
}
