/**
 * One call at a provider, from decision to result: for a program's own calls, for the gateway's REST and MCP, and for
 * the planner.
 */
import { type Call, CHECK_OF, isMethodId, parseToolId } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import { nextTurnOf } from "../../threads/index.ts";
import { toDefinition } from "../pins/definition.ts";
import type { ExchangeOptions, JsonObject, ToolProvider, ToolResult } from "../ports/provider.ts";
import type { Session } from "../session.ts";
import type { CallDecision } from "./admission.ts";
import { boundResult } from "./bound-result.ts";
import { examineCalls, type GatherFacts, withFacts } from "./call-facts.ts";
import type { CallOptions, CallOutcome } from "./call-pipeline.ts";
import { type ClientLink, inspectNotices, mayAnswer, mayReach, toExchange } from "./client-exchange.ts";
import { withoutLabel } from "./ifc-hint.ts";
import { assertCallable, assertNoPartOfCall } from "./method-calls.ts";
import type { CallContext } from "./run-call.ts";

export interface Execution {
  readonly decision: CallDecision;
  /** The result, if the call ran: of a tool, or of a method such as `resources/read`. */
  readonly result?: JsonObject;
  /** The error, if the call was admitted and failed. */
  readonly error?: SluicegateError;
}

export interface ExecuteOptions extends CallOptions {
  /** Called when the call begins to run. */
  readonly onAdmitted?: () => void;
  /** Called when the server has answered, or has failed with this error code. */
  readonly onReturned?: (error?: string) => void;
  /** The client, if it takes part in the call. */
  readonly link?: ClientLink;
}

/**
 * Decides a call and, if it is allowed, runs it at the tool's provider, with the facts of its examination.
 * @throws SluicegateError `tool-runs-at-agent` for a tool that no provider has, `result-too-large`, and what a
 *   provider throws.
 */
export async function callProvider(
  session: Session,
  providers: readonly ToolProvider[],
  call: Call,
  options: CallOptions = {},
): Promise<CallOutcome<ToolResult>> {
  const gather = examineCalls(providers);
  const facts: GatherFacts = async (asked, view, known) => {
    // The gate has already examined the call.
    const isKnown = known.definition !== undefined || known.examined !== undefined;
    const found = isKnown ? {} : await gather(asked, view);
    return withFacts(session.state.lattice, found, (await options.facts?.(asked, view, known)) ?? {});
  };
  const { decision, result, error } = await executeCall(session, providers, call, { ...options, facts });
  if (error) throw error;
  const { effect } = decision;
  // A tool's result has this shape; for a method the caller knows the shape.
  return effect === "allow"
    ? { ...decision, effect, result: result as unknown as ToolResult }
    : { ...decision, effect };
}

/**
 * Like `callProvider`, with the decision of a failed call too.
 * @throws SluicegateError `tool-runs-at-agent` for a tool that the agent runs itself; nothing is recorded then.
 */
export async function executeCall(
  session: Session,
  providers: readonly ToolProvider[],
  call: Call,
  { onAdmitted, onReturned, link, ...options }: ExecuteOptions = {},
): Promise<Execution> {
  assertRunsHere(session, call);
  const signal = options.signal ?? link?.signal;
  let error: SluicegateError | undefined;
  const outcome = await session.call(
    call,
    async (args, context) => {
      try {
        const { server } = parseToolId(context.tool);
        const provider = providers.find(({ id }) => id === server);
        if (provider === undefined) throw runsElsewhere(call.tool);
        onAdmitted?.();
        const answer = await runAtProvider({ session, provider, context, link }, args);
        onReturned?.();
        return answer;
      } catch (cause) {
        onReturned?.(SluicegateError.isInstance(cause) ? cause.code : "_OTHER");
        if (!SluicegateError.isInstance(cause)) throw cause;
        context.fail();
        // The caller gets the error, which may contain the server's text.
        await context.inspect(cause);
        error = cause;
        return undefined;
      }
    },
    { ...options, ...(signal && { signal }) },
  );
  if (outcome.effect !== "allow") return { decision: outcome };
  const { result: given, ...decision } = outcome;
  // The hint has raised the session already, and isn't passed on.
  const result = given && withoutLabel(session.state.lattice, given);
  return { decision, ...(result && { result }), ...(error && { error }) };
}

/** A tool that this session can't see is left to the gate, which refuses it as unknown and records that. */
function assertRunsHere(session: Session, call: Call): void {
  assertNoPartOfCall(call.tool);
  const tool = session.tool(call.tool);
  if (tool !== null && isMethodId(tool.id)) assertCallable(tool.id, call.arguments ?? {});
  if (tool?.server === null) throw runsElsewhere(call.tool);
}

/** An admitted call for a provider. */
interface AdmittedCall {
  readonly session: Session;
  readonly provider: ToolProvider;
  readonly context: CallContext;
  readonly link?: ClientLink | undefined;
}

/** Runs an admitted call at its provider, and passes the server's messages to the client meanwhile. */
export async function runAtProvider(
  { session, provider, context, link }: AdmittedCall,
  args: JsonObject,
): Promise<JsonObject> {
  const { tool: id, examined, signal } = context;
  if (provider.examine !== undefined && examined === null) throw unexamined(id);
  const giveUp = whileUnblocked(session, id, signal);
  const notices = link && inspectNotices(session, id, link);
  const client = notices?.link ?? link;
  // THREAT: a server may change its definition after the decision, also while the call waits for its turn.
  const assertCurrent = (): void => {
    const { reasons } = session.judge(id);
    if (reasons.some(({ code }) => CHECK_OF[code] === "policy" || code === "unknown-tool")) throw withdrawn();
    if (reasons.some(({ code }) => code === "definition-changed") || isRedefined(provider, context))
      throw redefined();
  };
  // If the server may get no answer to its question, the call continues without its caller: ending it would
  // be an answer.
  const unanswered = Promise.withResolvers<never>();
  unanswered.promise.catch(() => {});
  const exchange: ExchangeOptions = {
    ...(client && toExchange(session, provider.id, client, unanswered.reject)),
    mayAnswer: (methods) => mayAnswer(session, provider.id, methods),
    session: session.id,
    principal: session.principal,
    labelHolder: session.labelHolder,
    signal: giveUp,
    ...(examined && { examined }),
    assertCurrent,
  };
  try {
    assertCurrent();
    const running = request(provider, id, args, exchange);
    const given = await Promise.race([running, unanswered.promise]);
    if (given.isError) context.fail();
    return await boundResult(parseToolId(id).tool, given, session);
  } finally {
    await notices?.settled();
  }
}

/** Runs a tool, or another method, at its provider. */
async function request(
  provider: ToolProvider,
  id: string,
  args: JsonObject,
  exchange: ExchangeOptions,
): Promise<JsonObject> {
  const { tool: name } = parseToolId(id);
  if (!isMethodId(id)) return { ...(await provider.run(name, args, exchange)) };
  const { offers } = provider;
  if (offers === undefined) throw gone(id);
  switch (name) {
    case "resources/list":
    case "prompts/list": {
      await offers.refresh();
      const { resources, templates, prompts } = offers.current;
      return name === "prompts/list"
        ? { prompts: [...prompts.values()] }
        : { resources: [...resources.values()], resourceTemplates: [...templates.values()] };
    }
    case "resources/read":
    case "prompts/get":
    case "completion/complete":
      return offers.request(name, args, exchange);
    default:
      throw gone(id);
  }
}

/**
 * Cancels the call when the caller leaves, unless the session may send nothing there any more: a cancellation is
 * information too.
 */
function whileUnblocked(session: Session, id: string, signal: AbortSignal): AbortSignal {
  const over = new AbortController();
  const leave = async (): Promise<void> => {
    // THREAT: thousands of callers may leave at once.
    await nextTurnOf(session);
    if (await mayReach(session, id)) over.abort(callerGone());
  };
  if (signal.aborted) void leave();
  else signal.addEventListener("abort", () => void leave(), { once: true });
  return over.signal;
}

/** The reason of an abort, which a provider may reject with: nothing has failed. */
const callerGone = (): SluicegateError =>
  new SluicegateError("upstream-failed", "The call was given up.", {
    why: "Its caller no longer waits for the result.",
    fix: "Call it again if it is still wanted. Whether it took effect is unknown.",
  });

/**
 * Whether the server's definition differs from the one that the call was decided on. A tool that isn't offered has
 * none.
 */
function isRedefined(
  { isOwn, tools }: ToolProvider,
  { tool, definition }: Pick<CallContext, "tool" | "definition">,
): boolean {
  const offered = isOwn ? undefined : tools.get(parseToolId(tool).tool);
  return offered !== undefined && (toDefinition(offered)?.hash ?? null) !== definition;
}

const withdrawn = (): SluicegateError =>
  new SluicegateError("permission-denied", "The tool was not run.", {
    why: "The policy was changed while the call waited for its turn, and no longer has the tool for this session.",
    fix: "Look at the manifest again.",
  });

const redefined = (): SluicegateError =>
  new SluicegateError("upstream-unavailable", "The tool was not run.", {
    why: "Its server changed the definition after the decision.",
    fix: "Use another tool, or ask the operator to review the difference.",
  });

const gone = (tool: string): SluicegateError =>
  new SluicegateError("upstream-unavailable", "The tool's server went away.", {
    why: "It stopped offering the tool between the decision and the call.",
    fix: "Look at the manifest again.",
    details: { tool },
  });

const runsElsewhere = (tool: string): SluicegateError =>
  new SluicegateError("tool-runs-at-agent", "The agent runs this tool itself.", {
    why: "The policy declares it as the agent's own, or for a server that isn't here.",
    fix: "Ask for a decision (`POST …/decide`), run the tool, then tell how it ended (`POST …/report`); in a program, run it with `session.call`.",
    details: { tool },
  });

const unexamined = (tool: string): SluicegateError =>
  new SluicegateError("approval-needed", "The tool was not run.", {
    why: "Its provider examines each call before the decision, and the gate doesn't have that examination.",
    fix: "Open the gate with `facts: examineCalls(providers)`.",
    details: { tool },
  });
