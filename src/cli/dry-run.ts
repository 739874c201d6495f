/** A session that exists only on paper: the core's own state, moved on by the core's own events. */
import {
  apply,
  type Decision,
  dataSetOf,
  decide,
  initialState,
  join,
  type Label,
  listNames,
  nearMiss,
  type Policy,
  type SessionState,
  type Tool,
} from "../core/index.ts";
import { SluicegateError } from "../errors/index.ts";
import type { SourcedCall } from "./wiring/with-sources.ts";

// Nothing that is decided depends on when.
const NO_TIME = "";

/**
 * The state of a clean session, in a role or in none.
 * @throws SluicegateError `usage` for a role that the policy doesn't have.
 */
export function openOnPaper(policy: Policy, role: string | undefined): SessionState {
  if (role !== undefined && !policy.roles.has(role)) throw unknownRole(policy, role);
  const opened = {
    kind: "session-opened",
    principal: "operator",
    role: role ?? null,
    tools: null,
    task: false,
  } as const;
  return apply(initialState(policy.lattice), opened, NO_TIME);
}

function unknownRole(policy: Policy, role: string): SluicegateError {
  const known = [...policy.roles.keys()];
  const near = nearMiss(role, known);
  return new SluicegateError("usage", `There is no role \`${role}\`.`, {
    why: known.length === 0 ? "The policy has no roles." : `The policy has the roles ${listNames(known)}.`,
    fix:
      near === undefined ? "Name a role of the policy, or leave `--role` out." : `Did you mean \`${near}\`?`,
  });
}

/** A call that was played, and the session's label after it. */
export interface PlayedCall {
  readonly call: SourcedCall;
  readonly decision: Decision;
  /** What it brought in; null where that changed nothing. */
  readonly raised: Label | null;
  readonly label: Label;
}

/** Plays calls one after the other: a refused one only counts, one that asks goes on as if a person said yes. */
export function playCalls(
  policy: Policy,
  start: SessionState,
  calls: readonly SourcedCall[],
): { readonly state: SessionState; readonly played: readonly PlayedCall[] } {
  let state = start;
  const played = calls.map((call) => {
    const { source } = call;
    const decision = decide(policy, state, call, source && { source });
    const before = state.label;
    state =
      decision.tool && decision.effect !== "deny"
        ? admit(state, decision, decision.tool)
        : refuse(state, decision, call);
    const raised = state.label === before ? null : decision.source;
    return { call, decision, raised, label: state.label };
  });
  return { state, played };
}

function admit(state: SessionState, { source }: Decision, tool: Tool): SessionState {
  const label = source === null ? state.label : join(state.lattice, state.label, source);
  const call = `call_${state.calls + 1}`;
  return apply(
    state,
    { kind: "call-admitted", call, tool: tool.name, arguments: "", source, dataset: dataSetOf(tool), label },
    NO_TIME,
  );
}

function refuse(state: SessionState, { reasons }: Decision, { tool }: SourcedCall): SessionState {
  const call = `call_${state.calls + 1}`;
  return apply(
    state,
    { kind: "call-refused", call, tool, arguments: "", reasons, label: state.label },
    NO_TIME,
  );
}
