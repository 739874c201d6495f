/**
 * The thread that parses PostgreSQL statements and resolves what they read; it can be ended at any time. Started by
 * `statement-reader.ts`, never imported.
 */
import { parentPort } from "node:worker_threads";
import type { SqlRefusal } from "../../sql-engine.ts";
import { type FactName, Facts, TooMuchToRead } from "../facts.ts";
import { type Forbidden, TOO_WIDE } from "../reading/dependencies.ts";
import { type Reading, readingOf } from "../reading/reading.ts";
import { type Fields, nodesOfKind } from "./parse-tree.ts";
import { loadParser, type Parse, readDefinition, readStatement, type Statement } from "./statement.ts";

/** A statement to read, with known facts: JSON by `keyOf` the name, null for a name without a meaning. */
export interface ReadRequest {
  readonly sql: string;
  readonly facts: ReadonlyMap<string, string | null>;
}

/** A single statement that may be examined further. */
interface ReadableStatement {
  /** The statement alone, without a semicolon. */
  readonly text: string;
  /** The highest number of a `$1`, `$2`, …. */
  readonly places: number;
}

export type ReadReply =
  | SqlRefusal
  /** Ask again with the facts of these names. */
  | { readonly kind: "missing"; readonly statement: ReadableStatement; readonly names: readonly FactName[] }
  | { readonly kind: "reading"; readonly statement: ReadableStatement; readonly found: Reading };

export type WorkerReply = ReadReply | { readonly kind: "not-loaded"; readonly cause: unknown };

const TOO_DEEP: Forbidden = {
  message: "The statement is nested too deeply.",
  why: "It is nested too deep to be analysed.",
  fix: "Write a flatter one.",
};

const parser = loadParser();
parser.catch(() => {});

/** The last statement, which is requested again after facts were loaded. */
let last: { readonly sql: string; readonly statement: Statement } | null = null;

function read(parse: Parse, { sql, facts: loaded }: ReadRequest): ReadReply {
  if (last?.sql !== sql) {
    const parsed = readStatement(parse, sql);
    if ("kind" in parsed) return parsed;
    last = { sql, statement: parsed };
  }
  const { select, text } = last.statement;
  const statement: ReadableStatement = { text, places: placesIn(select) };
  const facts = new Facts(loaded);
  const found = readTree(select, facts, parse);
  if (facts.missing.length > 0) return { kind: "missing", statement, names: facts.missing };
  return "message" in found
    ? { kind: "refused", catalog: true, ...found }
    : { kind: "reading", statement, found };
}

const placesIn = (select: Fields): number =>
  nodesOfKind({ kind: "SelectStmt", fields: select }, "ParamRef").reduce(
    (most, { fields }) => (typeof fields.number === "number" ? Math.max(most, fields.number) : most),
    0,
  );

function readTree(select: Fields, facts: Facts, parse: Parse): Reading | Forbidden {
  try {
    return readingOf(select, facts, (sql) => readDefinition(parse, sql));
  } catch (error) {
    if (error instanceof RangeError) return TOO_DEEP;
    if (error instanceof TooMuchToRead) return TOO_WIDE;
    throw error;
  }
}

parentPort?.on("message", async (request: ReadRequest) => {
  const reply = await parser.then(
    (parse): WorkerReply => read(parse, request),
    (cause: unknown): WorkerReply => ({ kind: "not-loaded", cause }),
  );
  parentPort?.postMessage(reply);
});
parentPort?.postMessage("ready");
