/** Validates the arguments of a database's tools; an unknown argument is an error. */
import type { JsonObject } from "../../runtime/index.ts";
import type { SqlParameters } from "./sql-engine.ts";

/** A wrong argument: a sentence for the caller. */
interface WrongArguments {
  readonly wrong: string;
}

interface QueryArguments {
  readonly sql: string;
  readonly parameters: SqlParameters;
  readonly limit: number;
  readonly offset: number;
}

const USUAL_ROWS = 100;
const MAX_OFFSET_LENGTH = 1_000_000_000;

/** @param mostRows the most rows of one page */
export function checkQuery(args: JsonObject, mostRows: number): QueryArguments | WrongArguments {
  const unknown = unknownIn(args, ["sql", "parameters", "limit", "offset"]);
  if (unknown !== null) return unknown;
  const { sql, parameters = [], limit = Math.min(USUAL_ROWS, mostRows), offset = 0 } = args;
  if (typeof sql !== "string") return wrong("`sql` must be a text.");
  if (!isParameters(parameters)) return wrong("`parameters` must be a list, or an object.");
  if (!isBetween(limit, 1, mostRows)) return wrong(`\`limit\` must be a whole number from 1 to ${mostRows}.`);
  if (!isBetween(offset, 0, MAX_OFFSET_LENGTH))
    return wrong(`\`offset\` must be a whole number from 0 to ${MAX_OFFSET_LENGTH}.`);
  return { sql, parameters, limit, offset };
}

export function checkNothing(args: JsonObject): Record<string, never> | WrongArguments {
  return unknownIn(args, []) ?? {};
}

export function checkTable(args: JsonObject): { readonly table: string } | WrongArguments {
  const unknown = unknownIn(args, ["table"]);
  if (unknown !== null) return unknown;
  return typeof args.table === "string" ? { table: args.table } : wrong("`table` must be a text.");
}

interface RowArguments {
  readonly table: string;
  readonly id: string | number;
}

export function checkRow(args: JsonObject): RowArguments | WrongArguments {
  const unknown = unknownIn(args, ["table", "id"]);
  if (unknown !== null) return unknown;
  const { table, id } = args;
  if (typeof table !== "string") return wrong("`table` must be a text.");
  return typeof id === "string" || typeof id === "number"
    ? { table, id }
    : wrong("`id` must be a text or a number.");
}

const wrong = (sentence: string): WrongArguments => ({
  wrong: `The arguments can't be used. ${sentence} Correct them, and call the tool again.`,
});

/** Names the tool's own arguments, never the caller's. */
function unknownIn(args: JsonObject, known: readonly string[]): WrongArguments | null {
  if (Object.keys(args).every((name) => known.includes(name))) return null;
  const names = known.map((name) => `\`${name}\``).join(", ");
  return wrong(known.length === 0 ? "The tool takes none." : `The tool takes ${names} and no others.`);
}

const isParameters = (value: unknown): value is SqlParameters => typeof value === "object" && value !== null;

const isBetween = (value: unknown, least: number, most: number): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= least && value <= most;
