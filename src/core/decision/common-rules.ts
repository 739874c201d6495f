/**
 * What calls that a person approved have in common, as the rules of a standing approval that could be proposed. THREAT:
 * an agent chose the values; no rule covers more than they need, and none says "anything". Pure.
 */
import { partsOf } from "./path-parts.ts";
import { type ArgumentRule, isSame } from "./standing.ts";

type Arguments = Readonly<Record<string, unknown>>;

/** A rule for each argument of calls that have the same arguments by name. */
export function commonRules(calls: readonly Arguments[]): Readonly<Record<string, ArgumentRule>> {
  const names = Object.keys(calls[0] ?? {});
  const values = calls.map((args) => new Map(Object.entries(args)));
  const ruleOf = (name: string): ArgumentRule =>
    commonRule(
      name,
      values.map((args) => args.get(name)),
    );
  return Object.fromEntries(names.map((name) => [name, ruleOf(name)]));
}

/** Names of arguments whose numbers have no order. */
const ID = /(?:^|[^a-zA-Z])[iI][dD]s?$|[a-z]I[dD]s?$/;

function commonRule(name: string, values: readonly unknown[]): ArgumentRule {
  const different = values.filter((value, at) => values.findIndex((other) => isSame(other, value)) === at);
  const [first] = different;
  if (different.length === 1) return { equals: first };
  const numbers = different.filter((value) => Number.isFinite(value) && Number(value) >= 0);
  if (numbers.length === different.length && !ID.test(name))
    return { atMost: Math.max(...numbers.map(Number)) };
  const folder = commonFolder(different);
  return folder === null ? { oneOf: different } : { prefix: folder };
}

/** Above this, a folder of the machine holds what has nothing in common. */
const MIN_ABSOLUTE_DEPTH = 2;

/** The deepest folder, or the part of an address, in which all lie; null for texts that have none. */
function commonFolder(values: readonly unknown[]): string | null {
  const [first, ...others] = values.map((value) => (typeof value === "string" ? partsOf(value) : null));
  if (first === undefined || first === null) return null;
  const { root } = first;
  let { segments } = first;
  for (const other of others) {
    if (other === null || other.root !== root) return null;
    const end = segments.findIndex((segment, at) => segment !== other.segments[at]);
    segments = end < 0 ? segments : segments.slice(0, end);
  }
  const minDepth = root === "" ? 1 : root === "/" ? MIN_ABSOLUTE_DEPTH : 0;
  if (segments.length < minDepth) return null;
  const isHost = root !== "" && root !== "/";
  return isHost ? [root, ...segments].join("/") : root + segments.join("/");
}
