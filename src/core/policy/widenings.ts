/**
 * What another version of a policy would let through that this one doesn't. It may name a change that widens nothing, and
 * misses none: what isn't known to narrow is named.
 */
import { quoteName } from "../decision/quote-name.ts";
import { flowsTo, type Lattice } from "../label/label.ts";
import { lookUp } from "../tools/look-up.ts";
import type { Tool } from "../tools/tool.ts";
import type { Policy, PolicyDeclaration } from "./policy.ts";

/** Sentences on what `after` may allow beyond `before`, each ending in a full stop; empty where it allows no more. */
export function widenings(before: Policy, after: Policy): readonly string[] {
  const [old, next] = [before.origin.declaration, after.origin.declaration];
  const { levels, trust } = after.lattice;
  const isSameLattice = isSame([before.lattice.levels, before.lattice.trust], [levels, trust]);
  if (!isSameLattice) return ["The levels or kinds of trust changed, so nothing can be compared."];
  return [
    ...toolWidenings(before, after),
    ...methodWidenings(before, after),
    ...patternWidenings(old, next),
    ...roleWidenings(old, next),
    ...ruleWidenings(old, next),
    ...SECTIONS.filter((name) => !isSame(old[name], next[name])).map((name) => `\`${name}\` changed.`),
    ...policyWidenings(old, next),
  ];
}

/** Sections in which any change counts. */
const SECTIONS = [
  "categories",
  "unclassified",
  "approvals",
  "endorsement",
  "named",
  "evidence",
  "groups",
  "recipients",
  "readers",
] as const satisfies readonly (keyof PolicyDeclaration)[];

function toolWidenings(before: Policy, after: Policy): readonly string[] {
  // A short name that no tool has any more may be one of the agent's own tools, which a pattern classifies.
  const ids = new Set([...before.tools.keys(), ...after.tools.keys(), ...before.names.all()]);
  return [...ids].flatMap((id) => {
    const [{ tool: old }, { tool }] = [lookUp(before, id), lookUp(after, id)];
    const name = `Tool ${quoteName(id)}`;
    // Another tool that is now called so has an identity of its own.
    if (tool === null || tool.id !== id) return [];
    if (!tool.classified)
      return old?.classified && after.unclassified === "ask" ? [`${name} is no longer classified.`] : [];
    if (old === null || !old.classified || old.id !== id) return [`${name} can be called.`];
    return between(name, old, tool, after.lattice);
  });
}

/** What else a server can be asked for, such as its resources: declared for each server, whatever it lists. */
const methodWidenings = (before: Policy, after: Policy): readonly string[] =>
  [...after.methods].flatMap(([id, method]) => {
    const old = before.methods.get(id);
    const name = `Method ${quoteName(id)}`;
    return old === undefined ? [`${name} can be called.`] : between(name, old, method, after.lattice);
  });

const between = (name: string, old: Tool, next: Tool, lattice: Lattice): readonly string[] =>
  TOOL_CHECKS.filter(([, narrows]) => !narrows(old, next, lattice)).map(([what]) => `${name}: ${what}.`);

type Narrows = (old: Tool, next: Tool, lattice: Lattice) => boolean;

/** What a tool may gain, and when a change of it is known not to widen. */
const TOOL_CHECKS: readonly (readonly [what: string, narrows: Narrows])[] = [
  [
    "it needs fewer permissions",
    (old, next) => old.permissions.every((permission) => next.permissions.includes(permission)),
  ],
  [
    "what it brings in is labelled lower",
    (old, next, lattice) =>
      (old.sourceBound === next.sourceBound || next.sourceBound === "least") &&
      (old.source === null || (next.source !== null && flowsTo(lattice, old.source, next.source))),
  ],
  [
    "it may receive more",
    (old, next, lattice) =>
      old.clearances === null ||
      (next.clearances?.every((one) => old.clearances?.some((had) => flowsTo(lattice, one, had))) ?? false),
  ],
  [
    "fewer of its calls wait for a person",
    (old, next) =>
      next.approval === "always" || old.approval === "never" || isSame(old.approval, next.approval),
  ],
  ["fewer people must approve its calls", (old, next) => next.approvers >= old.approvers],
  ["a person may release its calls", (old, next) => next.onViolation === "deny" || old.onViolation === "ask"],
  ["its recipients count instead of its clearances", (old, next) => isSame(old.to, next.to)],
  [
    "fewer of its arguments must be the user's word",
    (old, next) =>
      old.critical.every((path) => next.critical.includes(path)) &&
      old.payload.every((path) => [...next.critical, ...next.payload].includes(path)) &&
      (old.critical.length > 0 || next.critical.length === 0),
  ],
  ["its calls count as harmless", (old, next) => next.isDestructive || !old.isDestructive],
  ["it changed", (old, next) => isSame(rest(old), rest(next))],
];

/** What of a tool no check above knows how to compare: its tags, and whatever is added to tools later. */
function rest(tool: Tool): Partial<Tool> {
  const { permissions, source, sourceBound, clearances, approval, onViolation, approvers, ...others } = tool;
  const { to, critical, payload, isDestructive, classified, id, name, server, ...unknown } = others;
  return unknown;
}

/**
 * Patterns classify tools that no server has offered yet. What a pattern matched that is gone may match another one
 * now, or be asked about as unclassified.
 */
function patternWidenings(old: PolicyDeclaration, next: PolicyDeclaration): readonly string[] {
  const [had, has] = [patternsOf(old), patternsOf(next)];
  const isGoneDenied = has.size === 0 && next.unclassified !== "ask";
  const gone = isGoneDenied ? [] : [...had.keys()].filter((pattern) => !has.has(pattern));
  const changed = [...has].flatMap(([pattern, declared]) =>
    isSame(had.get(pattern), declared) ? [] : [pattern],
  );
  return [
    ...changed.map((pattern) => `The pattern ${quoteName(pattern)} changed.`),
    ...gone.map((pattern) => `The pattern ${quoteName(pattern)} is gone.`),
  ];
}

function patternsOf({ tools = {}, servers = {} }: PolicyDeclaration): ReadonlyMap<string, unknown> {
  const all = [
    ...Object.entries(tools),
    ...Object.entries(servers).flatMap(([server, { tools: own = {}, ...defaults }]) => [
      ...Object.entries(own).map(([name, tool]) => [`mcp__${server}__${name}`, tool] as const),
      [`${server}: *`, defaults] as const,
    ]),
  ];
  return new Map(all.filter(([name]) => name.includes("*")));
}

function roleWidenings(old: PolicyDeclaration, next: PolicyDeclaration): readonly string[] {
  const had = new Map(Object.entries(old.roles ?? {}));
  return Object.entries(next.roles ?? {}).flatMap(([name, role]) => {
    if (isSame(had.get(name), role)) return [];
    return [`The role ${quoteName(name)} ${had.has(name) ? "changed" : "is new"}.`];
  });
}

/** Rules only deny or ask, so one more never widens. */
function ruleWidenings(old: PolicyDeclaration, next: PolicyDeclaration): readonly string[] {
  const rules = next.rules ?? [];
  return (old.rules ?? []).flatMap((rule) =>
    rules.some((one) => isSame(one, rule)) ? [] : [`The rule ${quoteName(rule.name)} changed or is gone.`],
  );
}

/** The tool policy of everybody. */
function policyWidenings({ policy: old = {} }: PolicyDeclaration, { policy: next = {} }: PolicyDeclaration) {
  const isNarrower =
    every(old.deniedTools, (name) => next.deniedTools?.includes(name)) &&
    every(old.requireTags, (tag) => next.requireTags?.includes(tag)) &&
    (old.allowedTools === undefined ||
      every(next.allowedTools ?? ["*"], (name) => old.allowedTools?.includes(name)));
  return isNarrower ? [] : ["`policy` takes fewer tools away."];
}

const every = <Item>(
  items: readonly Item[] | undefined,
  test: (item: Item) => boolean | undefined,
): boolean => (items ?? []).every((item) => test(item) === true);

/** Whether two declarations say the same. A condition is told by its text. */
function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one === "function" && typeof other === "function") return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  const [left, right] = [new Map(Object.entries(one)), new Map(Object.entries(other))];
  return (
    Array.isArray(one) === Array.isArray(other) &&
    [...new Set([...left.keys(), ...right.keys()])].every((key) => isSame(left.get(key), right.get(key)))
  );
}
