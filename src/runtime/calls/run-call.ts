/** A call that was admitted, while it runs: what its tool can do meanwhile, and how what it gives is released. */
import { type Finding, type Label, type LabelDeclaration, lookUp, toSource } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import { withCall, withSession } from "../current-session.ts";
import { type Found, findEvidence } from "../endorsement/find-evidence.ts";
import { assertGiven } from "../option-shapes.ts";
import type { Examination } from "../ports/provider.ts";
import type { Session } from "../session.ts";
import { inspectResult } from "./inspect-result.ts";
import { assertDeclaredCategories, raiseSession, type SessionScope } from "./raise-label.ts";

/** What the function that runs a tool can do while it runs. */
export interface CallContext {
  readonly callId: string;
  /** The identity of the tool that was decided on, whatever its name means by now. */
  readonly tool: string;
  /** What the tool's provider found out about the call, and what was decided on. */
  readonly examined: Examination | null;
  /** The hash of the tool's definition that was decided on; null if it has none. */
  readonly definition: string | null;
  /** Raises the session by what was found; durable once it resolves, and to be awaited before returning data. */
  raise(label: LabelDeclaration, dataset?: string, findings?: readonly Finding[]): Promise<void>;
  /**
   * Looks into what is given on before the call's own result: a part of it, or an error that is caught. To be awaited
   * first; once it resolves, what was found is durable.
   */
  inspect(value: unknown): Promise<void>;
  /** Stops the call: its caller has gone, or an operator has frozen it. */
  readonly signal: AbortSignal;
  /** Says that the call failed, where that is a value and not an error that is thrown. */
  fail(): void;
}

/** How a call that the agent ran by itself ended. */
export interface Report {
  readonly callId: string;
  /** What the result turned out to carry; it only raises. */
  readonly label?: LabelDeclaration;
  /** What the tool gave back, where the host has it: it is inspected as other results are, and kept nowhere. */
  readonly result?: unknown;
  readonly dataset?: string;
  /** Whether the tool failed. */
  readonly error?: boolean;
}

interface Admitted extends Pick<CallContext, "callId" | "tool" | "examined" | "definition"> {
  /** What it brings in by what its tool declares and what was found out before it ran. */
  readonly source: Label | null;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/**
 * Runs an admitted call and gives its result.
 * @throws what the tool throws, as it came; `store-failed` where what was found in it can't be recorded.
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
    // The caller may have left in the very moment in which the call was admitted.
    if (signal.aborted) throw callerLeft();
    return withSession(place.session, () => withCall(context, () => run(context)));
  };
  try {
    const result = await start().catch(async (cause: unknown) => {
      ending = "error";
      // An error is text as well.
      await context.inspect(cause);
      throw cause;
    });
    // INVARIANT: nothing of a result goes on before what was found in it is durable.
    await context.inspect(result);
    if (ending === "ok") found = findIn(place, { ...named, arguments: args, labels, result });
    return result;
  } finally {
    // The end of a call needn't be durable before its result goes on: the raise was, before it ran.
    endCall(place, callId, { outcome: ending, ...found }, { lazy: true }).catch((cause: unknown) =>
      place.gate.onFault(cause),
    );
  }
}

/** Ends a call that the agent ran by itself, on what its host tells about it. Throws as `Session.report` does. */
export async function reportCall(place: SessionScope, report: Report): Promise<void> {
  const { gate, ledger } = place;
  const { label, dataset, result } = report;
  if (!ledger.state.running.has(report.callId)) await ledger.refresh();
  const running = ledger.state.running.get(report.callId);
  const callId = running === undefined ? null : report.callId;
  // What was found counts, whether or not the call is known: a raise is never lost over a wrong id.
  if (label !== undefined) {
    assertDeclaredCategories(gate.policy(), label);
    await raiseSession(place, { label, dataset, callId, isReported: true });
  }
  assertGiven("report", report);
  const inspected = await inspectResult(place, result, { callId, tool: running?.tool ?? "" });
  if (callId === null || running === undefined) throw notRunning();
  // THREAT: what an agent reports of its own call endorses nothing; it only says where a value came from.
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

/** The values that a result brought in which the agent reports. */
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

/** What a result gives that counts as the user's word. A result that can't be read gives nothing. */
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
