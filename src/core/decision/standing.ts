/**
 * Standing approvals: "yes, and calls like this". Says whether one covers a call at this label and time, and puts it in
 * words for people. It waives what a person was asked about, and nothing that denies. Pure; uses are counted outside.
 */
import { flowsTo, type Label, type Lattice } from "../label/label.ts";
import { partsOf } from "./path-parts.ts";

/** What one argument may be. */
export type ArgumentRule =
  | { readonly equals: unknown }
  | { readonly oneOf: readonly unknown[] }
  /** A folder or an address: itself, and what lies in it. */
  | { readonly prefix: string }
  /** A number from 0, or from the approved one if that is less. */
  | { readonly atMost: number }
  /** Anything, and nothing at all. */
  | { readonly anything: true };

export const STANDING_SCOPES = Object.freeze(["session", "principal", "role"] as const);

/** Whose calls it is for. */
export type StandingScope = (typeof STANDING_SCOPES)[number];

type Arguments = Readonly<Record<string, unknown>>;

/** A standing approval as it was given. */
export interface StandingApproval {
  readonly id: string;
  /** The tool's identity. */
  readonly tool: string;
  /** Digests of what the policy declares of the tool, and of its server's definition; null if it has none. */
  readonly declaration: string;
  readonly definition: string | null;
  readonly rules: Readonly<Record<string, ArgumentRule>>;
  /** The arguments of the call that was approved: one without a rule has this value. */
  readonly given: Arguments;
  /** The paths that the approved call touched, with links followed. */
  readonly targets?: readonly string[];
  readonly scope: StandingScope;
  /** Those of the call that was approved. */
  readonly session: string;
  readonly principal: string;
  readonly role: string | null;
  /** Why the person was asked, by the causes' names; it waives these alone. */
  readonly causes: readonly string[];
  /** It holds while the session's label flows to this. */
  readonly ceiling: Label;
  readonly at: string;
  /** RFC 3339. */
  readonly expires: string;
  /** Calls that it admits. */
  readonly count: number;
  readonly by: string;
}

/** A call that asks, and what it asks for. */
export interface StandingCall
  extends Pick<
    StandingApproval,
    "tool" | "declaration" | "definition" | "session" | "principal" | "role" | "causes" | "at"
  > {
  readonly arguments: Arguments;
  /** What the session holds. */
  readonly label: Label;
  /** The paths that it touches, with links followed. */
  readonly targets?: readonly string[];
}

/** The reasons for an approval that a standing approval may cover. Any other reason needs an approval per call. */
const WAIVABLE: ReadonlySet<string> = new Set(["always", "condition", "release", "not-endorsed"]);

export const isWaivable = (cause: string): boolean => WAIVABLE.has(cause);

/** Whether a call is like those that it is for, whatever the session holds and why a person is asked. */
export const isLike = (
  approval: StandingApproval,
  call: Pick<StandingCall, "tool" | "arguments" | "session" | "principal" | "role">,
): boolean => approval.tool === call.tool && isFor(approval, call) && fits(approval, call.arguments);

/** Whether a standing approval that was used so often covers a call. */
export function covers(
  lattice: Lattice,
  approval: StandingApproval,
  used: number,
  call: StandingCall,
): boolean {
  return (
    approval.declaration === call.declaration &&
    approval.definition === call.definition &&
    used < approval.count &&
    call.at < approval.expires &&
    call.causes.length > 0 &&
    call.causes.every((cause) => isWaivable(cause) && approval.causes.includes(cause)) &&
    flowsTo(lattice, call.label, approval.ceiling) &&
    isLike(approval, call) &&
    isWhereNamed(approval, call)
  );
}

/**
 * THREAT: a link leads elsewhere, and so does another working directory. Each path is one of the approved call's, or
 * where an argument with a prefix or a list says that it is, seen from where the approved call's was. Without a prefix,
 * an argument that may be anything and that named a path may name any other.
 */
function isWhereNamed(
  { rules, given, targets = [] }: StandingApproval,
  { arguments: args, targets: touched = [] }: StandingCall,
): boolean {
  const namesWith = (kind: string): readonly string[] =>
    Object.entries(rules).flatMap(([name, rule]) => (kind in rule ? [name] : []));
  const [before, now] = [new Map(Object.entries(given)), new Map(Object.entries(args))];
  const basesOf = (name: string) =>
    targets.flatMap((target) => {
      const base = baseOf(segmentsOf(target), segmentsOf(String(before.get(name))));
      return base === null ? [] : [base];
    });
  const prefixed = namesWith("prefix");
  const ends = new Set(targets.map((target) => segmentsOf(target).at(-1)));
  const isFree = (name: string): boolean => {
    const value = String(before.get(name));
    return !before.has(name) || /^[./]+$/.test(value) || ends.has(segmentsOf(value).at(-1));
  };
  if (prefixed.length === 0 && namesWith("anything").some(isFree)) return true;
  const expected = new Set(targets.map((target) => segmentsOf(target).join("/")));
  for (const name of prefixed.length > 0 ? prefixed : namesWith("oneOf"))
    for (const base of basesOf(name)) expected.add([...base, ...segmentsOf(String(now.get(name)))].join("/"));
  return touched.every((target) => expected.has(segmentsOf(target).join("/")));
}

/** What a path has before an end; null if it doesn't end so. */
function baseOf(path: readonly string[], end: readonly string[]): readonly string[] | null {
  const at = path.length - end.length;
  return end.length > 0 && end.every((segment, index) => segment === path[at + index])
    ? path.slice(0, at)
    : null;
}

const segmentsOf = (path: string): readonly string[] =>
  path.split("/").filter((segment) => segment !== "" && segment !== ".");

function isFor(
  { scope, session, principal, role }: StandingApproval,
  call: Pick<StandingCall, "session" | "principal" | "role">,
): boolean {
  if (scope === "session") return session === call.session;
  return scope === "principal" ? principal === call.principal : role !== null && role === call.role;
}

function fits({ rules, given }: Pick<StandingApproval, "rules" | "given">, args: Arguments): boolean {
  const byName = new Map(Object.entries(rules));
  const known = new Map(Object.entries(given));
  const gave = new Map(Object.entries(args));
  for (const [name, rule] of byName) if (!gave.has(name) && !("anything" in rule)) return false;
  // What is left out often means everything.
  for (const name of known.keys()) if (!gave.has(name) && !byName.has(name)) return false;
  for (const [name, value] of gave) {
    const rule = byName.get(name);
    if (
      rule === undefined
        ? !known.has(name) || !isSame(known.get(name), value)
        : !meets(rule, value, known.get(name))
    )
      return false;
  }
  return true;
}

/** What a number starts at. THREAT: to many tools -1 means that there is no limit. */
export const leastOf = (given: unknown): number => (typeof given === "number" ? Math.min(0, given) : 0);

function meets(rule: ArgumentRule, value: unknown, given: unknown): boolean {
  if ("anything" in rule) return true;
  if ("equals" in rule) return isSame(rule.equals, value);
  if ("oneOf" in rule) return rule.oneOf.some((one) => isSame(one, value));
  if ("atMost" in rule) return typeof value === "number" && value >= leastOf(given) && value <= rule.atMost;
  return typeof value === "string" && isBelow(rule.prefix, value);
}

/** Whether two JSON values are the same: types as well, the order of a list too, the order of keys not. */
export function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== "object" || one === null || typeof other !== "object" || other === null)
    return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [left, right] = [new Map(Object.entries(one)), new Map(Object.entries(other))];
  if (left.size !== right.size) return false;
  for (const [key, value] of left) if (!right.has(key) || !isSame(value, right.get(key))) return false;
  return true;
}

function isBelow(prefix: string, value: string): boolean {
  const [folder, inside] = [partsOf(prefix), partsOf(value)];
  if (folder === null || inside === null || folder.root !== inside.root) return false;
  return folder.segments.every((segment, at) => segment === inside.segments[at]);
}

/** Values that one rule lists. */
const MAX_VALUES = 100;

/** What is wrong with a rule for one argument of an approved call; null if it can be used. */
export function ruleProblem(rule: ArgumentRule, given: unknown): string | null {
  if ("oneOf" in rule && (rule.oneOf.length === 0 || rule.oneOf.length > MAX_VALUES))
    return `It has to list 1 to ${MAX_VALUES} values.`;
  if ("prefix" in rule) {
    const parts = partsOf(rule.prefix);
    if (parts === null || (parts.root === "" && parts.segments.length === 0))
      return "A prefix is the path of a folder or an address, without `..`, spaces, a query and encoded slashes.";
    if (/[?#]/.test(rule.prefix)) return "A prefix has no query.";
  }
  if ("atMost" in rule && !Number.isFinite(rule.atMost)) return "The maximum has to be a number.";
  return meets(rule, given, given) ? null : "The call that is approved doesn't fit it.";
}
