/**
 * A server's own label of its result: `_meta.ifc`, as GitHub's MCP server and FIDES write it. `integrity` is
 * `trusted` or `untrusted`; `confidentiality` is `public` or `private`, in older versions a list of readers. It is a
 * hint that only raises: a missing part says nothing, and an invalid one counts as the worst.
 */

import { ANY, createLabel, join, type Label, type Lattice, topLabel } from "../../core/index.ts";
import { isJsonObject } from "../../json/json-object.ts";
import type { JsonObject } from "../ports/provider.ts";

const IFC = "ifc";
/** The prefix of keys in our own `_meta`. */
const OURS = "dev.sluicegate/";

export interface IfcHint {
  /** The result without the hint; the same object if there was none. */
  readonly rest: unknown;
  /** Null if there was no hint. */
  readonly label: Label | null;
}

/**
 * Takes the hints out of a result: its own, and that of each part that has a `_meta` in MCP. Also removes keys with
 * our prefix.
 */
export function extractIfcHint(lattice: Lattice, result: unknown): IfcHint {
  const said: unknown[] = [];
  const rest = isJsonObject(result) ? takeFrom(result, said, 0) : result;
  const labels = said.map((one) => toLabel(lattice, one));
  const label = labels.reduce<Label | null>((all, one) => (all ? join(lattice, all, one) : one), null);
  return { rest, label };
}

/** A result without the hints; the same object if there are none. The caller has read them already. */
export function withoutLabel(lattice: Lattice, given: JsonObject): JsonObject {
  const { rest } = extractIfcHint(lattice, given);
  return isJsonObject(rest) ? rest : given;
}

/** Keys of parts that have a `_meta` of their own, directly or in a list. */
const HOLDING = [
  ...["content", "contents", "messages", "resource", "completion"],
  ...["resources", "resourceTemplates", "prompts", "arguments"],
];
/** A block of a message may contain a tool's result, whose block may contain a resource. */
const MAX_DEPTH = 4;

function takeFrom(given: unknown, said: unknown[], depth: number): unknown {
  if (Array.isArray(given)) {
    const rest: unknown[] = given.map((item: unknown) => takeFrom(item, said, depth));
    return rest.some((item, index) => item !== given[index]) ? rest : given;
  }
  if (!isJsonObject(given)) return given;
  let own = take(given, said);
  if (depth === MAX_DEPTH) return own;
  for (const key of HOLDING) {
    if (!Object.hasOwn(own, key)) continue;
    const rest = takeFrom(own[key], said, depth + 1);
    if (rest !== own[key]) own = { ...own, [key]: rest };
  }
  return own;
}

function take(holder: JsonObject, said: unknown[]): JsonObject {
  const { _meta: meta } = holder;
  if (!isJsonObject(meta)) return holder;
  if (Object.hasOwn(meta, IFC)) said.push(meta[IFC]);
  // THREAT: a server could imitate the gateway's own words.
  const others = Object.entries(meta).filter(([key]) => key !== IFC && !key.startsWith(OURS));
  if (others.length === Object.keys(meta).length) return holder;
  const { _meta: _, ...rest } = holder;
  return others.length === 0 ? rest : { ...rest, _meta: Object.fromEntries(others) };
}

function toLabel(lattice: Lattice, said: unknown): Label {
  if (!isJsonObject(said)) return topLabel(lattice);
  const { integrity, confidentiality } = said;
  const isForeign = integrity === undefined && confidentiality === undefined;
  if (isForeign && Object.keys(said).length > 0) return topLabel(lattice);
  const [level, categories] = toLevel(lattice, confidentiality);
  return createLabel(level, categories, toTrust(lattice, integrity));
}

function toTrust({ trust }: Lattice, integrity: unknown): string {
  const isTrusted = integrity === undefined || integrity === "trusted" || integrity === "high";
  return (isTrusted ? trust.at(-1) : trust[0]) ?? ANY;
}

type Level = readonly [level: string, categories: readonly string[]];

/** A server doesn't know our levels: `private` is the lowest level above the first. */
function toLevel({ levels }: Lattice, said: unknown): Level {
  if (said === undefined) return [levels[0] ?? ANY, []];
  switch (Array.isArray(said) ? readersOf(said) : said) {
    case "public":
      return [levels[0] ?? ANY, []];
    case "private":
      return [levels[1] ?? ANY, []];
    // FIDES' highest: for one person alone.
    case "user_identity":
      return [levels.at(-1) ?? ANY, []];
    default:
      return [ANY, [ANY]];
  }
}

/** Everybody, or some readers. An empty list isn't valid. */
function readersOf(readers: readonly unknown[]): string | null {
  if (readers.length === 0 || !readers.every((reader) => typeof reader === "string")) return null;
  return readers.length === 1 && readers[0] === "public" ? "public" : "private";
}
