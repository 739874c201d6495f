/** Runs an admitted call, and inspects what it returns before that is released. */
import { type Finding, type Label, type LabelDeclaration, lookUp, toSource } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import { withCall, withSession } from "../current-session.ts";
import { type Found, findEvidence } from "../endorsement/find-evidence.ts";
import { assertGiven } from "../option-shapes.ts";
import type { Examination } from "../ports/provider.ts";
import type { Session } from "../session.ts";
import { inspectResult } from "./inspect-result.ts";
import { assertDeclaredCategories, raiseSession, type SessionScope } from "./raise-label.ts";

/** What a tool's function can do while it runs. */
export interface CallContext {
  readonly callId: string;
  /** The identity of the tool that was decided on, even if its name means another by now. */
  readonly tool: string;
  /** What the provider found out about the call, on which it was decided. */
  readonly examined: Examination | null;
  /** The hash of the tool's definition that was decided on; null if it has none. */
  readonly definition: string | null;
  /** Raises the session. Await it before you return data: the raise is durable when it resolves. */
  raise(label: LabelDeclaration, dataset?: string, findings?: readonly Finding[]): Promise<void>;
  /**
   * Inspects what is passed on before the call's result: a part of it, or a caught error. Await it before you pass
   * that on: findings are durable when it resolves.
   */
  inspect(value: unknown): Promise<void>;
  /** Aborted when the caller has gone, or an operator freezes the call. */
  readonly signal: AbortSignal;
  /** Reports a failure that is returned instead of thrown. */
  fail(): void;
}

/** How a call ended that the agent ran itself. */
export interface Report {
  readonly callId: string;
  /** The label of the result, which can only raise. */
  readonly label?: LabelDeclaration;
  /** The result, if the host has it: it is inspected, and not stored. */
  readonly result?: unknown;
  readonly dataset?: string;
  /** Whether the tool failed. */
  readonly error?: boolean;
}

interface Admitted extends Pick<CallContext, "callId" | "tool" | "examined" | "definition"> {
  /** The tool's declared source, together with what was found out before the call. */
  readonly source: Label | null;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/**
 * Runs an admitted call and returns its result.
 * @throws what the tool throws, unchanged; `store-failed` if findings can't be recorded.
 */
export async function runCall<Result>(
  place: SessionScope & { readonly session: Session },
  admitted: Admitted,
  run: (context: CallContext) => Result | Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  const { source, arguments: args, ...named } = admitted;
  const { callId } = named;
  const { lattice } = place.ledger.state;
  let ending: "ok" | "error" = "ok";
  let found: Found = {};
  const labels: Label[] = source === null ? [] : [source];
  const context: CallContext = {
    ...named,
    signal,
    fail: () => {
      ending = "error";
    },
    raise: async (label, dataset, findings = []) => {
      assertGiven("label", label, "label");
      labels.push(toSource(lattice, label));
      await raiseSession(place, { label, dataset, callId, findings });
    },
    inspect: async (value) => {
      const label = await inspectResult(place, value, named);
      if (label !== null) labels.push(toSource(lattice, label));
    },
  };
  const start = async (): Promise<Result> => {
    // The caller may have left while the call was being admitted.
    if (signal.aborted) throw callerLeft();
    return withSession(place.session, () => withCall(context, () => run(context)));
  };
  try {
    const result = await start().catch(async (cause: unknown) => {
      ending = "error";
      // An error contains text too.
      await context.inspect(cause);
      throw cause;
    });
    // INVARIANT: a result is released only after its findings are durable.
    await context.inspect(result);
    if (ending === "ok") found = findIn(place, { ...named, arguments: args, labels, result });
    return result;
  } finally {
    // The end of a call is recorded lazily: the raise was durable before it ran.
    endCall(place, callId, { outcome: ending, ...found }, { lazy: true }).catch((cause: unknown) =>
      place.gate.onFault(cause),
    );
  }
}

/** Records the end of a call that the agent ran itself, as its host reports it. Throws as `Session.report` does. */
export async function reportCall(place: SessionScope, report: Report): Promise<void> {
  const { gate, ledger } = place;
  const { label, dataset, result } = report;
  if (!ledger.state.running.has(report.callId)) await ledger.refresh();
  const running = ledger.state.running.get(report.callId);
  const callId = running === undefined ? null : report.callId;
  // The label counts even if the id is unknown: a wrong id must not lose a raise.
  if (label !== undefined) {
    assertDeclaredCategories(gate.policy(), label);
    await raiseSession(place, { label, dataset, callId, isReported: true });
  }
  assertGiven("report", report);
  const inspected = await inspectResult(place, result, { callId, tool: running?.tool ?? "" });
  if (callId === null || running === undefined) throw notRunning();
  // THREAT: an agent's report of its own call endorses nothing; it only shows where a value came from.
  const seen = report.error ? {} : seenIn(place, running.tool, { callId, result, known: [label, inspected] });
  await endCall(place, callId, { outcome: report.error ? "error" : "ok", ...seen });
}

/** Records how a call ended. */
function endCall(
  { gate, ledger }: SessionScope,
  call: string,
  ending: { readonly outcome: "ok" | "error" } & Found,
  when?: { readonly lazy: boolean },
): Promise<void> {
  const events = [{ kind: "call-finished", call, ...ending }] as const;
  return ledger.commit(
    ({ running }) => ({
      events: gate.openCalls.isOver ? [] : events,
      keep: gate.openCalls.unmarkLast(running, call),
      value: undefined,
    }),
    when,
  );
}

interface Reported {
  readonly callId: string;
  readonly result: unknown;
  readonly known: readonly (LabelDeclaration | null | undefined)[];
}

/** The values of a reported result. */
function seenIn(place: SessionScope, tool: string, { callId, result, known }: Reported): Found {
  const { lattice } = place.ledger.state;
  const { tool: declared } = lookUp(place.gate.policy(), tool);
  const labels = known.flatMap((label) => (label ? [toSource(lattice, label)] : []));
  const all = declared?.source ? [declared.source, ...labels] : labels;
  return findIn(place, { callId, tool, arguments: null, labels: all, result });
}

interface Ended extends Pick<Admitted, "callId" | "tool"> {
  readonly arguments: Admitted["arguments"] | null;
  readonly labels: readonly Label[];
  readonly result: unknown;
}

/** The values of a result that count as the user's word. A result that can't be read has none. */
function findIn({ gate, ledger }: SessionScope, { callId, tool: id, ...ended }: Ended): Found {
  const policy = gate.policy();
  const { tool } = policy.endorsement.isUsed ? lookUp(policy, id) : { tool: null };
  const step = ledger.state.running.get(callId)?.step;
  if (tool === null || step === undefined) return {};
  try {
    return findEvidence(policy, ledger.state, gate.admission.words, { ...ended, tool, step });
  } catch (cause) {
    // THREAT: a result's own getters and proxies may throw.
    gate.onFault(cause);
    return {};
  }
}

const callerLeft = (): SluicegateError =>
  new SluicegateError("upstream-unavailable", "The tool was not run.", {
    why: "Its caller had gone before it was admitted.",
    fix: "Call it again.",
  });

function notRunning(): SluicegateError {
  return new SluicegateError("call-not-found", "There is no such call running in this session.", {
    why: "The id is malformed, the call was refused, it was reported already, or it belongs to another session.",
    fix: "Report each call once, with the `call_id` of the decision that allowed it.",
  });
}
