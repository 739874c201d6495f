/**
 * A session's state as plain data, and the one function that moves it on: `apply(state, event) → state`.
 * The same function serves the runtime and the replay, and its `contribute` plans that are played. Labels only rise in it.
 */
import {
  type Approvals,
  addAnswer,
  addPending,
  addSigner,
  endApproval,
  markShown,
  toPending,
} from "../decision/approval.ts";
import { useLease } from "../decision/lease.ts";
import { addFound, addUtterances, NO_WORDS, type Words } from "../endorsement/user-word.ts";
import {
  bottomLabel,
  flowsTo,
  isPrivate,
  join,
  type Label,
  type Lattice,
  parseLabel,
} from "../label/label.ts";
import type { Permission } from "../tools/tool.ts";
import { type Limit, toLimit } from "../tools/tool-policy.ts";
import { addAppeal, addRefused, NO_REFUSALS, type Refusals, RunningCalls } from "./session-calls.ts";
import type { PausedRun, SessionEvent } from "./session-event.ts";

export type { EditedArguments, Finding, PausedRun, SessionEvent } from "./session-event.ts";

/** Something that brought a label into the session. */
export interface Contribution {
  /** The data set's id: a server's, or what a report names. */
  readonly dataset: string;
  readonly label: Label;
  /** RFC 3339, from the runtime's clock. */
  readonly at: string;
  /** The call that brought it, with its step (counted from 0) and its tool's identity; null if it came without one. */
  readonly call: string | null;
  readonly step: number | null;
  readonly tool: string | null;
  /** Whether it raised the session's label. */
  readonly raised: boolean;
  /** Whether only the agent's own report says so. */
  readonly reported?: true;
}

export interface SessionState extends Approvals {
  readonly lattice: Lattice;
  readonly principal: string;
  readonly role: string | null;
  /** Identities that the session was narrowed to when it was opened; null: no narrowing. */
  readonly tools: ReadonlySet<string> | null;
  /** Tool policies that it was forked with, its parent's among them. */
  readonly limits: readonly Limit[];
  /** All that it may ever be granted, whatever a view of it is; null: what its role is. */
  readonly permissions: readonly Permission[] | null;
  /** The session that it was forked from; null if it was opened for a user. */
  readonly parent: string | null;
  /** The session whose label it shares: what raises either raises both. Null: its label is its own. */
  readonly shares: string | null;
  readonly label: Label;
  readonly contributions: readonly Contribution[];
  /** How many forks share its label, forks of forks among them. */
  readonly forks: number;
  /** Calls decided so far, refused ones too; the next call's step. */
  readonly calls: number;
  /** Admitted calls that haven't been reported as finished (the newest 1,024), with step, tool and arguments' digest. */
  readonly running: RunningCalls;
  /** Runs that wait to be resumed, oldest first. */
  readonly pausedRuns: readonly PausedRun[];
  /** When the agent said that its task can't be done (RFC 3339); null if it didn't. */
  readonly impossible: string | null;
  readonly refusals: Refusals;
  /** The user's own words, and what counts as the user's word. */
  readonly words: Words;
  readonly closed: boolean;
}

/** The state of a session of which nothing is known yet: clean, without a principal, open. */
export function initialState(lattice: Lattice): SessionState {
  return Object.freeze({
    lattice,
    principal: "",
    role: null,
    tools: null,
    limits: Object.freeze([]),
    permissions: null,
    parent: null,
    shares: null,
    forks: 0,
    label: bottomLabel(lattice),
    contributions: Object.freeze([]),
    calls: 0,
    running: RunningCalls.NONE,
    pausedRuns: Object.freeze([]),
    pending: Object.freeze([]),
    answers: Object.freeze([]),
    leases: Object.freeze([]),
    impossible: null,
    refusals: NO_REFUSALS,
    words: NO_WORDS,
    closed: false,
  });
}

/** The state after an event that happened `at` (RFC 3339). Pure; the state given is left as it was. */
export function apply(state: SessionState, event: SessionEvent, at: string): SessionState {
  switch (event.kind) {
    case "session-opened":
      // INVARIANT: a session is opened once; nothing in its journal can change whose it is or widen it.
      if (state.principal !== "") return state;
      return {
        ...state,
        principal: event.principal,
        role: event.role,
        tools: event.tools === null ? null : new Set(event.tools),
        limits: Object.freeze((event.limits ?? []).map(toLimit)),
        permissions: event.permissions ? Object.freeze([...event.permissions]) : null,
        parent: event.parent ?? null,
        shares: event.shares ?? null,
      };
    case "call-admitted":
      return admit(state, event, at);
    case "call-refused":
      return { ...state, calls: state.calls + 1, refusals: addRefused(state.refusals, event) };
    case "refusal-appealed":
      return { ...state, refusals: addAppeal(state.refusals, event) };
    case "approval-requested":
      return { ...state, calls: state.calls + 1, ...addPending(state, toPending(event, event.tool, at)) };
    case "plan-requested":
      return { ...state, ...addPending(state, { ...toPending(event, PLAN, at), steps: event.steps }) };
    case "approval-shown":
      return { ...state, ...markShown(state, event.approval) };
    case "approval-signed":
      return { ...state, ...addSigner(state, event) };
    case "approval-answered":
      return { ...state, ...addAnswer(state, event, at) };
    case "approval-ended":
      return { ...state, ...endApproval(state, event.approval) };
    case "call-finished":
      return finish(state, event);
    case "words-said":
      return { ...state, words: addUtterances(state.words, event.utterances) };
    case "label-raised": {
      const { source, reported, dataset, call, step, tool } = event;
      const by = { dataset, at, call, step, tool };
      return contribute(state, source, { ...by, ...(reported && { reported }) });
    }
    case "impossible-reported":
      return { ...state, impossible: at, leases: [] };
    case "session-forked":
      return { ...state, forks: state.forks + 1 };
    case "run-paused":
      return {
        ...state,
        pausedRuns: [...state.pausedRuns, Object.freeze({ run: event.run, expires: event.expires })],
      };
    case "run-ended":
      return { ...state, pausedRuns: state.pausedRuns.filter(({ run }) => run !== event.run) };
    case "session-closed": {
      const closed = { ...state, pending: [], leases: [], pausedRuns: [], closed: true };
      if (event.reason === "reset") return closed;
      const by = { dataset: event.reason, at, call: null, step: null, tool: null };
      return contribute({ ...closed, principal: state.principal || event.principal }, event.label, by);
    }
  }
}

/** The name written in place of a tool's in the entries of an approval of a plan. */
export const PLAN = "plan";

function admit(
  state: SessionState,
  event: Extract<SessionEvent, { kind: "call-admitted" }>,
  at: string,
): SessionState {
  const { call, tool, dataset, approval, runner } = event;
  const step = state.calls;
  const open = { step, tool, arguments: event.arguments, ...(runner !== undefined && { runner }) };
  const running = state.running.with(call, open);
  // INVARIANT: the entry that admits a call uses up its approval.
  const answers = approval === undefined ? state.answers : state.answers.filter(({ id }) => id !== approval);
  const leases = event.lease === undefined ? state.leases : useLease(state.leases, event.lease);
  const next = { ...state, calls: step + 1, running, answers, leases };
  return event.source === null ? next : contribute(next, event.source, { dataset, at, call, step, tool });
}

function finish(
  state: SessionState,
  { call, evidence, seen }: Extract<SessionEvent, { kind: "call-finished" }>,
): SessionState {
  const words = addFound(state.words, evidence, seen);
  return { ...state, running: state.running.without(call), words };
}

/** THREAT: agents name data sets, and each one that is remembered is held, written to forks and shown. */
const MAX_CONTRIBUTIONS = 512;
/** The data set of all that came after those and raised nothing. */
const OTHERS = "others";

/** Joins a label in and remembers where it came from, where that says something new. */
export function contribute(
  state: SessionState,
  source: Label,
  origin: Omit<Contribution, "label" | "raised">,
): SessionState {
  const added = parseLabel(state.lattice, source);
  const label = join(state.lattice, state.label, added);
  const raised = label !== state.label;
  if (!raised && state.contributions.length >= MAX_CONTRIBUTIONS && origin.dataset !== OTHERS)
    return contribute(state, label, { dataset: OTHERS, at: origin.at, call: null, step: null, tool: null });
  if (!raised && !addsToDataset(state, origin.dataset, added)) return state;
  const contributions = [...state.contributions, Object.freeze({ ...origin, label: added, raised })];
  return { ...state, label, contributions };
}

/** Whether a label says something of a data set that no earlier contribution says. */
const addsToDataset = (state: SessionState, dataset: string, label: Label): boolean =>
  !state.contributions.some(
    (known) => known.dataset === dataset && flowsTo(state.lattice, label, known.label),
  );

/** A private data set that the session holds. */
export interface HeldDataset {
  readonly id: string;
  readonly sensitivity: string;
  readonly at: string;
  readonly call: string | null;
}

/** The private data sets of a session, one entry each, at its highest level, in the order of arrival. */
export function datasetsOf(state: SessionState): readonly HeldDataset[] {
  const held = new Map<string, { label: Label; at: string; call: string | null }>();
  for (const { dataset, label, at, call } of state.contributions) {
    const known = held.get(dataset);
    const joined = known ? join(state.lattice, known.label, label) : label;
    if (joined.level !== known?.label.level) held.set(dataset, { label: joined, at, call });
    else held.set(dataset, { ...known, label: joined });
  }
  return [...held]
    .filter(([, { label }]) => isPrivate(state.lattice, label))
    .map(([id, { label, at, call }]) => ({ id, sensitivity: label.level, at, call }));
}

/** Whether the session holds what must not go outside: a level above the lowest, or a category. */
export const holdsPrivateData = (state: SessionState): boolean => isPrivate(state.lattice, state.label);
