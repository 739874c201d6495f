/** One call through the gate and on to its provider; the same for REST and for MCP. */
import { isMethodId, parseToolId } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import {
  type CallContext,
  type CallDecision,
  type CallOptions,
  type ExchangeOptions,
  type Gate,
  type JsonObject,
  type Session,
  type ToolProvider,
  toDefinition,
} from "../../runtime/index.ts";
import { assertCallable, assertNoPartOfCall } from "../../runtime/internal.ts";
import { boundResult } from "../bound-result.ts";
import type { ToolRegistry } from "../tools/tool-registry.ts";
import { type ClientLink, mayAnswer, mayReach, toExchange } from "./exchange.ts";
import { withoutLabel } from "./ifc-label.ts";
import { inspectNotices } from "./inspected-notices.ts";

export interface Execution {
  readonly decision: CallDecision;
  /** What came back, where the call ran: a tool's result, or that of a method such as `resources/read`. */
  readonly result?: JsonObject;
  /** Why nothing came back, where the call was admitted and failed on its way. */
  readonly error?: SluicegateError;
}

export interface ExecuteOptions {
  /** How long a call that asks is held for a person; left out, not at all. */
  readonly waitSeconds?: number;
  /** The caller: once it is gone, a call that is held isn't run, and one that runs is given up. */
  readonly signal?: AbortSignal;
  /** Told once of what the call is held for. */
  readonly onWaiting?: (decision: CallDecision) => void;
  /** Ends the holding; the caller gets the decision as it is then. */
  readonly stopWaiting?: AbortSignal;
  /** Told when the call begins to run. */
  readonly onAdmitted?: () => void;
  /** The client, where it takes part in the call. */
  readonly link?: ClientLink;
}

interface Call {
  readonly tool: string;
  readonly arguments: JsonObject;
}

/**
 * Decides a call and, where it is allowed, runs it at its provider.
 * @throws SluicegateError `tool-runs-at-agent` for a tool that the agent runs itself; nothing is recorded then.
 */
export async function execute(
  gate: Gate,
  catalog: ToolRegistry,
  session: Session,
  call: Call,
  options: ExecuteOptions = {},
): Promise<Execution> {
  assertRunsHere(session, call);
  const { signal = options.link?.signal } = options;
  let error: SluicegateError | undefined;
  const outcome = await session.call(
    call,
    async (args, context) => {
      const { server } = parseToolId(context.tool);
      // THREAT: servers change their lists at any moment, so the name may mean another tool by now than was decided on.
      const provider = catalog.provider(server);
      if (provider === undefined) throw gone(call.tool);
      options.onAdmitted?.();
      const at = { gate, session, provider, context, link: options.link, signal };
      try {
        return await runFor(at, args);
      } catch (cause) {
        if (!SluicegateError.isInstance(cause)) throw cause;
        context.fail();
        // An error is given to the caller too, with a server's own words in it.
        await context.inspect(cause);
        error = cause;
        return undefined;
      }
    },
    toWait(options, signal),
  );
  if (outcome.effect !== "allow") return { decision: outcome };
  const { result: given, ...decision } = outcome;
  // A server's own label has raised the session by now; it isn't what the result is given under.
  const result = given && withoutLabel(session.state.lattice, given);
  return { decision, ...(result && { result }), ...(error && { error }) };
}

/** An admitted call on its way to its provider. */
interface Admitted {
  readonly gate: Gate;
  readonly session: Session;
  readonly provider: ToolProvider;
  readonly context: CallContext;
  readonly link: ClientLink | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Runs it for its client, who hears what the server says meanwhile. */
async function runFor({ gate, session, provider, context, link, signal }: Admitted, args: JsonObject) {
  const { tool: id, examined, definition } = context;
  const giveUp = signal && whileUnblocked(session, id, signal);
  const notices = link && inspectNotices(session, id, link);
  const client = notices?.link ?? link;
  // Its definition may have changed since it was decided on, and again while it waited for its turn.
  const assertCurrent = (): void => {
    if (gate.policy.changed.has(id) || !isDefinedAs(provider, id, definition)) throw redefined();
  };
  // Where the server gets no answer to a question, its call goes on without a caller: ending it would be an answer.
  const unanswered = Promise.withResolvers<never>();
  unanswered.promise.catch(() => {});
  const exchange: ExchangeOptions = {
    ...(client && toExchange(session, provider.id, client, unanswered.reject)),
    mayAnswer: (methods) => mayAnswer(session, provider.id, methods),
    session: session.id,
    labelHolder: session.labelHolder,
    ...(giveUp && { signal: giveUp }),
    ...(examined && { examined }),
    assertCurrent,
  };
  try {
    assertCurrent();
    const running = runAt(provider, id, parseToolId(id).tool, args, exchange);
    const given = await Promise.race([running, unanswered.promise]);
    if (given.isError) context.fail();
    return await boundResult(parseToolId(id).tool, given);
  } finally {
    await notices?.settled();
  }
}

function toWait({ waitSeconds, onWaiting, stopWaiting }: ExecuteOptions, signal?: AbortSignal): CallOptions {
  return {
    ...(waitSeconds !== undefined && { waitSeconds }),
    ...(signal && { signal }),
    ...(stopWaiting && { stop: stopWaiting }),
    ...(onWaiting && { onWaiting }),
  };
}

/**
 * A caller that goes away gives its call up, in words of ours, as long as the session may still send anything there.
 */
function whileUnblocked(session: Session, id: string, signal: AbortSignal): AbortSignal {
  const over = new AbortController();
  const leave = (): void => {
    void mayReach(session, id).then((may) => {
      if (may) over.abort(new Error("The caller has gone."));
    });
  };
  if (signal.aborted) leave();
  else signal.addEventListener("abort", leave, { once: true });
  return over.signal;
}

/** Whether what its server offers now is the definition that a call was decided on; what it doesn't offer is none. */
function isDefinedAs({ isOwn, tools }: ToolProvider, id: string, definition: string | null): boolean {
  const offered = isOwn ? undefined : tools.get(parseToolId(id).tool);
  return offered === undefined || (toDefinition(offered)?.hash ?? null) === definition;
}

const redefined = (): SluicegateError =>
  new SluicegateError("upstream-unavailable", "The tool was not run.", {
    why: "Its server changed its definition while the call was on its way.",
    fix: "Use another tool, or ask the operator to look at the difference.",
  });

/** Runs a tool at its provider, or what else the provider can be asked for. */
async function runAt(
  provider: ToolProvider,
  id: string,
  name: string,
  args: JsonObject,
  exchange: ExchangeOptions,
): Promise<JsonObject> {
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

/** A tool that this session can't see stays unknown here too: the gate refuses it, and records that. */
function assertRunsHere(session: Session, call: Call): void {
  assertNoPartOfCall(call.tool);
  const tool = session.tool(call.tool);
  if (tool !== null && isMethodId(tool.id)) assertCallable(tool.id, call.arguments);
  if (tool === null || tool.server !== null) return;
  throw new SluicegateError("tool-runs-at-agent", "The agent runs this tool itself.", {
    why: "The policy declares it as the agent's own, so no server here has it.",
    fix: "Ask for a decision (`POST …/decide`), run the tool, then tell how it ended (`POST …/report`).",
  });
}

const gone = (tool: string): SluicegateError =>
  new SluicegateError("upstream-unavailable", "The tool's server went away.", {
    why: "It stopped offering the tool between the decision and the call.",
    fix: "Look at the manifest again.",
    details: { tool },
  });
