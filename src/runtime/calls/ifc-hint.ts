/**
 * What a server says of its own result: `_meta.ifc`, as GitHub's MCP server and FIDES write it. `integrity` is `trusted`
 * or `untrusted`; `confidentiality` is `public` or `private`, in older versions a list of who may read. Hints, which only
 * raise: what is left out isn't said, and what isn't understood is the worst of its axis.
 */

import { ANY, createLabel, join, type Label, type Lattice, topLabel } from "../../core/index.ts";
import { isJsonObject } from "../../json/json-object.ts";
import type { JsonObject } from "../ports/provider.ts";

const IFC = "ifc";
/** How the names of our own `_meta` begin. */
const OURS = "dev.sluicegate/";

export interface IfcHint {
  /** The result without what was said of it; the same object where nothing was. */
  readonly rest: unknown;
  /** Null where nothing was said. */
  readonly label: Label | null;
}

/** Takes what is said out of a result: of all of it, and of each block, resource and message in it; and what passes for ours. */
export function extractIfcHint(lattice: Lattice, result: unknown): IfcHint {
  const said: unknown[] = [];
  const rest = isJsonObject(result) ? takeFromAll(result, said) : result;
  const labels = said.map((one) => toLabel(lattice, one));
  const label = labels.reduce<Label | null>((all, one) => (all ? join(lattice, all, one) : one), null);
  return { rest, label };
}

/**
 * What a server gave, without what it says of its label there; the same object where it says nothing. Whoever needs that
 * has read it by now.
 */
export function withoutLabel(lattice: Lattice, given: JsonObject): JsonObject {
  const { rest } = extractIfcHint(lattice, given);
  return isJsonObject(rest) ? rest : given;
}

function takeFromAll(given: JsonObject, said: unknown[]): JsonObject {
  let result = take(given, said);
  for (const key of ["content", "contents", "messages"]) {
    const list = result[key];
    if (!Array.isArray(list)) continue;
    const rest: unknown[] = list.map((item: unknown) => takeFromItem(item, said));
    if (rest.some((item, index) => item !== list[index])) result = { ...result, [key]: rest };
  }
  return result;
}

/** What an item may hold: a message its block, a block the resource that is embedded in it. */
const INNER: ReadonlyMap<string, readonly string[]> = new Map([
  ["", ["content", "resource"]],
  ["content", ["resource"]],
]);

function takeFromItem(item: unknown, said: unknown[], at = ""): unknown {
  if (!isJsonObject(item)) return item;
  let own = take(item, said);
  for (const key of INNER.get(at) ?? []) {
    const inner = own[key];
    const rest = takeFromItem(inner, said, key);
    if (rest !== inner) own = { ...own, [key]: rest };
  }
  return own;
}

function take(holder: JsonObject, said: unknown[]): JsonObject {
  const { _meta: meta } = holder;
  if (!isJsonObject(meta)) return holder;
  if (Object.hasOwn(meta, IFC)) said.push(meta[IFC]);
  // THREAT: a server would like its own words to be taken for the gateway's.
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

/** A server knows none of our levels: `private` is the least of them that isn't for everybody. */
function toLevel({ levels }: Lattice, said: unknown): Level {
  if (said === undefined) return [levels[0] ?? ANY, []];
  switch (Array.isArray(said) ? readersOf(said) : said) {
    case "public":
      return [levels[0] ?? ANY, []];
    case "private":
      return [levels[1] ?? ANY, []];
    // FIDES' own top: for one person alone.
    case "user_identity":
      return [levels.at(-1) ?? ANY, []];
    default:
      return [ANY, [ANY]];
  }
}

/** Everybody, some, or nobody; nobody is no word that is understood. */
function readersOf(readers: readonly unknown[]): string | null {
  if (readers.length === 0 || !readers.every((reader) => typeof reader === "string")) return null;
  return readers.length === 1 && readers[0] === "public" ? "public" : "private";
}
