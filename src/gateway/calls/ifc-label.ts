/**
 * Our label on what an MCP client is given, in place of its server's: in the shape in which GitHub's MCP server and
 * FIDES write theirs (`_meta.ifc`), and by its exact names beside it.
 */
import { isPrivate, isUntrusted, type Label, type Lattice } from "../../core/index.ts";
import { isJsonObject } from "../../json/json-object.ts";
import { extractIfcHint, type JsonObject } from "../../runtime/index.ts";

/** Where a result carries its label by its exact names. */
export const LABEL_META = "dev.sluicegate/label";

/** A result with the label that it is given under, in place of any that it had. */
export function withLabel<Result extends object>(lattice: Lattice, label: Label, result: Result): Result {
  const meta = "_meta" in result && isJsonObject(result._meta) ? result._meta : {};
  const ifc = {
    integrity: isUntrusted(lattice, label) ? "untrusted" : "trusted",
    confidentiality: isPrivate(lattice, label) ? "private" : "public",
  };
  return { ...result, _meta: { ...meta, ifc, [LABEL_META]: label } };
}

/**
 * What a server gave, without what it says of its label there; the same object where it says nothing. Whoever needs that
 * has read it by now.
 */
export function withoutLabel(lattice: Lattice, given: JsonObject): JsonObject {
  const { rest } = extractIfcHint(lattice, given);
  return isJsonObject(rest) ? rest : given;
}
