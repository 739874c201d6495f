/** A database as its tools have it: the engine, the labels, the limits, and what a call was found to be. */
import { bottomLabel, type Label } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import type { JsonObject, ToolResult } from "../../runtime/index.ts";
import type { ColumnLabels } from "./column-labels.ts";
import type { SqlEngine } from "./sql-engine.ts";

export interface Database {
  readonly id: string;
  readonly engine: SqlEngine;
  readonly labels: ColumnLabels;
  readonly limits: DatabaseLimits;
  /** Rejects where a query was examined in a catalogue that lacks a labelled column. */
  checkKeys(names: string | undefined): Promise<void>;
}

export interface DatabaseLimits {
  /** The most rows of one page. */
  readonly rows: number;
  /** The most bytes of JSON of one page. */
  readonly bytes: number;
  /** The longest that one statement may take. */
  readonly seconds: number;
}

/** A call that was examined: what it brings in, and how exactly that is done. */
export interface PreparedQuery {
  readonly source: Label;
  /** The label of what looking tells by itself: that a name is there, or isn't. */
  readonly told?: Label;
  perform(signal?: AbortSignal): Promise<ToolResult>;
}

/** A call that comes to nothing, and says why. */
export const toNothing = (text: string, source: Label): PreparedQuery => ({
  source,
  told: source,
  perform: async () => failed(text),
});

/** A call whose arguments are wrong brings nothing in. */
export const toWrong = (text: string, { labels }: Database): PreparedQuery =>
  toNothing(text, bottomLabel(labels.lattice));

/** The result as data, and the same as text for clients that read no data. */
export const succeeded = (value: JsonObject): ToolResult => ({
  content: [{ type: "text", text: JSON.stringify(value) }],
  structuredContent: value,
});

export const failed = (text: string): ToolResult => ({ content: [{ type: "text", text }], isError: true });

/** What went wrong in the database is for the model to read; what nobody foresaw is told without its words. */
export function toFailed(error: unknown): ToolResult {
  if (!SluicegateError.isInstance(error)) return failed("The tool failed.");
  return failed(sentencesOf(error));
}

export const sentencesOf = (parts: { message: string; why: string; fix: string }): string =>
  `${parts.message} ${parts.why} ${parts.fix}`;

/** A label as models are shown it. */
export const shownLabel = ({ level, categories, trust }: Label, { lattice }: ColumnLabels): JsonObject => ({
  sensitivity: level,
  ...(categories.length > 0 && { categories }),
  ...(trust !== lattice.trust.at(-1) && { trust }),
});
