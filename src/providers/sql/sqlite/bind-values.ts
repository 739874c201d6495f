/** Values for a statement's parameters: the right number, and of types that SQLite knows. */
import type { SQLInputValue } from "node:sqlite";
import type { SqlParameters, SqlRefusal } from "../sql-engine.ts";
import { refusal, type Statement } from "./reading/check-statement.ts";
import type { BoundValues } from "./reading/compile.ts";

const MAX_PLACES = 1000;

interface Bound {
  readonly kind: "bound";
  readonly values: BoundValues;
}

/** Values for exactly the statement's parameters, or the problem with them. */
export function bindValues({ tokens }: Statement, parameters: SqlParameters): Bound | SqlRefusal {
  const places = tokens.filter(({ kind }) => kind === "variable").map(({ text }) => text);
  const named = new Set(places.filter((place) => !place.startsWith("?")));
  const count = countPlaces(places);
  if (count > MAX_PLACES) return wrong(`It has more than ${MAX_PLACES} places for values.`);
  if (named.size > 0 && count > 0) return wrong("It has places with a name and places without.");
  const isList = Array.isArray(parameters);
  if (named.size > 0 && isList) return wrong("Its places have names, and the values came as a list.");
  if (count > 0 && !isList) return wrong("Its places have no names, and the values came by name.");
  return isList ? bindList(parameters, count) : bindNamed(parameters as Record<string, unknown>, named);
}

/** `?` is the parameter after the last one, `?3` the third. */
function countPlaces(places: readonly string[]): number {
  let last = 0;
  for (const place of places) {
    if (!place.startsWith("?")) continue;
    last = place === "?" ? last + 1 : Math.max(last, Number(place.slice(1)));
  }
  return last;
}

function bindList(parameters: readonly unknown[], count: number): Bound | SqlRefusal {
  if (parameters.length !== count)
    return wrong(`It has ${count} places for values, and ${parameters.length} came.`);
  const values = parameters.map(toBound);
  const isKnown = (value: SQLInputValue | undefined): value is SQLInputValue => value !== undefined;
  return values.every(isKnown) ? { kind: "bound", values } : unknownKind();
}

function bindNamed(
  parameters: Readonly<Record<string, unknown>>,
  named: ReadonlySet<string>,
): Bound | SqlRefusal {
  const given = new Map(
    Object.entries(parameters).map(([name, value]) => [name.replace(/^[:@$]/, ""), value]),
  );
  const places = [...named];
  const wanted = new Set(places.map((place) => place.slice(1)));
  if (places.some((place) => place.startsWith("#")) || wanted.size !== places.length)
    return wrong("Its places can't be distinguished by their names.");
  if (given.size !== wanted.size || [...wanted].some((name) => !given.has(name)))
    return wrong("The names of its places and those of the values differ.");
  const values: Record<string, SQLInputValue> = Object.create(null);
  for (const place of places) {
    const value = toBound(given.get(place.slice(1)));
    if (value === undefined) return unknownKind();
    values[place] = value;
  }
  return { kind: "bound", values };
}

/** Whole numbers are bound as integers, so that they are compared and shown as such. */
function toBound(value: unknown): SQLInputValue | undefined {
  if (value === null || typeof value === "string" || typeof value === "bigint") return value;
  if (typeof value === "boolean") return value ? 1n : 0n;
  if (typeof value !== "number" || !Number.isFinite(value)) return undefined;
  return Number.isSafeInteger(value) ? BigInt(value) : value;
}

const wrong = (why: string): SqlRefusal =>
  refusal(
    "The values in `parameters` don't fit the statement.",
    why,
    "Give a list with a value for each `?`, or an object with a value for each `:name`.",
  );

const unknownKind = (): SqlRefusal => wrong("One of them is neither text, number, true, false nor null.");
