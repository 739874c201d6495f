/**
 * A fork: a new session of the same principal that starts with its parent's label and data sets, and has at most its
 * parent's rights. It is opened by one append, so it is never clean.
 */
import {
  countPatterns,
  fromLimit,
  isLeft,
  join,
  type Limit,
  PERMISSIONS,
  type Permission,
  type Policy,
  parseToolId,
  type SessionEvent,
  type SessionState,
  type ToolPolicy,
  toLimit,
} from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import type { GateContext } from "../gate-context.ts";
import type { Ledger } from "../journal/ledger.ts";
import { assertGiven } from "../option-shapes.ts";
import { createId } from "../ports/random.ts";

/** The user's own words, stored beside the journal. */
export const TASK_KEY = "task";

/** The restrictions of a fork. It can't have more than its parent, and has no task of its own. */
export interface ForkOptions {
  /** Removes tools in addition to what its parent lacks: denied tools and tags are added, allow lists intersected. */
  readonly toolPolicy?: ToolPolicy;
  /**
   * Whether the fork and its parent share one label, so that each raises the other. Needed for a fork that its
   * parent's own agent uses: it could otherwise read in one and send in the other. Left out: each has its own.
   */
  readonly sharesLabel?: boolean;
}

/** The forked session, as a view of it. */
interface Parent {
  readonly gate: GateContext;
  readonly ledger: Ledger;
  /** The tools that the view sees; undefined if it sees all. */
  readonly visible: ReadonlySet<string> | undefined;
  /** The permissions granted to the view now; undefined if it has all of the session's. */
  readonly granted: readonly Permission[] | undefined;
}

/**
 * Opens the fork; durable when it resolves.
 * @throws SluicegateError `policy-invalid` for an invalid tool policy, `session-closed`, `limit-reached` for too many
 *   forks that share a label, or for too long tool policies.
 */
export async function forkSession(
  { gate, ledger, visible, granted }: Parent,
  options: ForkOptions,
): Promise<Ledger> {
  assertGiven("fork", options);
  const { toolPolicy, sharesLabel = false } = options;
  const own = toolPolicy === undefined ? [] : [toolPolicy];
  if (toolPolicy !== undefined) assertShort([...ledger.state.limits, toLimit(toolPolicy)]);
  const id = createId("sess", gate.admission.random);
  const holder = sharesLabel ? gate.ledgerOf(ledger.state.shares ?? ledger.session) : null;
  await holder?.commit((state) => {
    if (state.closed) throw closedSession();
    if (state.forks >= MAX_FORKS) throw tooMany();
    return { events: [{ kind: "session-forked", fork: id }], value: undefined };
  });
  // Read by a proposal, so that the state is the newest, whatever other processes have written.
  const state = await ledger.commit((current) => {
    if (current.closed) throw closedSession();
    return { events: [], value: current };
  });
  const task = await gate.store.kept(ledger.session, TASK_KEY);
  const stack = [...state.limits, ...own.map(toLimit)];
  const limits = stack.map(fromLimit);
  const permissions = permissionsOf(state, granted);
  const opened = {
    kind: "session-opened",
    principal: state.principal,
    role: state.role,
    tools: toolsOf(state, visible),
    task: task !== null,
    parent: ledger.session,
    ...(limits.length > 0 && { limits }),
    ...(permissions && { permissions }),
    ...(holder && { shares: holder.session }),
  } as const;
  const { utterances } = state.words;
  const fork = gate.ledgerOf(id);
  await fork.commit(
    () => ({
      events: [
        opened,
        // The fork's user is the first session's; words said to a fork don't count.
        ...(utterances.length > 0 ? [{ kind: "words-said", utterances } as const] : []),
        ...inherited(state, isKnownIn(gate.policy(), { tools: opened.tools, limits: stack, permissions })),
      ],
      keep: task === null ? [] : [{ key: TASK_KEY, value: task }],
      value: undefined,
    }),
    { opener: opened.principal },
  );
  return fork;
}

/** The tools that both the session and the view allow. */
function toolsOf(
  { tools }: SessionState,
  visible: ReadonlySet<string> | undefined,
): readonly string[] | null {
  if (visible === undefined) return tools && [...tools];
  return [...visible].filter((id) => tools?.has(id) ?? true);
}

/** The permissions that both the session and the view have: a fork lasts longer than a run. */
function permissionsOf(
  { permissions }: SessionState,
  granted: readonly Permission[] | undefined,
): readonly Permission[] | null {
  const all = granted ?? permissions;
  return all && PERMISSIONS.filter((one) => all.includes(one) && (permissions ?? all).includes(one));
}

/** The restrictions of a fork. */
interface Narrowing {
  readonly tools: readonly string[] | null;
  readonly limits: readonly Limit[];
  readonly permissions: readonly Permission[] | null;
}

/** Replaces the name of a data set that is named after a tool or a server which the fork may not know. */
const INHERITED = "inherited";

/** Whether a fork may know the data set that is named after a tool, or after its server. */
function isKnownIn(
  { tools, names }: Policy,
  { tools: own, limits, permissions }: Narrowing,
): (tool: string, dataset: string) => boolean {
  if (own === null && limits.length === 0 && permissions === null) return () => true;
  const visible = own && new Set(own);
  const left = [...tools.values()].filter(
    (tool) =>
      (visible?.has(tool.id) ?? true) &&
      isLeft(limits, tool, names) &&
      tool.permissions.every((needed) => permissions?.includes(needed) ?? true),
  );
  const servers = new Set(left.map(({ server }) => server));
  return (tool, dataset) =>
    dataset !== tool && (dataset !== parseToolId(tool).server || servers.has(dataset));
}

/** The data sets that raised the parent also raise the fork, without the parent's calls. */
function inherited(
  { lattice, contributions }: SessionState,
  isKnown: (tool: string, dataset: string) => boolean,
): readonly SessionEvent[] {
  let label = null;
  const events: SessionEvent[] = [];
  for (const { label: source, dataset, tool } of contributions) {
    label = label === null ? source : join(lattice, label, source);
    const shown = tool !== null && !isKnown(tool, dataset) ? INHERITED : dataset;
    events.push({ kind: "label-raised", call: null, step: null, tool: null, source, dataset: shown, label });
  }
  return events;
}

/** THREAT: an agent opens forks that share its label, and each may fork again. */
const MAX_FORKS = 100;

/** THREAT: a fork's first entry contains all tool policies before it, and agents choose how long theirs are. */
const MAX_POLICIES_LENGTH = 128 * 1024;

/** THREAT: each pattern is compared with each tool. */
const MAX_PATTERNS = 128;

function assertShort(limits: readonly Limit[]): void {
  const isShort = JSON.stringify(limits.map(fromLimit)).length <= MAX_POLICIES_LENGTH;
  if (isShort && countPatterns(limits) <= MAX_PATTERNS) return;
  throw new SluicegateError("limit-reached", "The fork's tool policy is too long.", {
    why: `Together with those of the sessions before it, it has more than ${MAX_POLICIES_LENGTH / 1024} KiB or ${MAX_PATTERNS} patterns.`,
    fix: "Name tools by tags, by fewer patterns or by their own names, and leave out what an earlier tool policy takes away already.",
  });
}

const tooMany = (): SluicegateError =>
  new SluicegateError("limit-reached", "The session can't be forked once more.", {
    why: `It and its forks have ${MAX_FORKS} forks already.`,
    fix: "Use those, or let the operator open another session.",
  });

export function closedSession(): SluicegateError {
  return new SluicegateError("session-closed", "This session is closed.", {
    why: "Its operator has reset or ended it.",
    fix: "Use the session that a reset opened, or open a new one.",
  });
}
