/** A database for its tools: the engine, the labels, the limits, and examined calls. */
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
  /** Rejects if the catalog at the time of the examination lacks a labelled column. */
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

/** An examined call: its source, and how it will run. */
export interface PreparedQuery {
  readonly source: Label;
  /** The label of what the examination itself reveals: whether a name exists. */
  readonly told?: Label;
  perform(signal?: AbortSignal): Promise<ToolResult>;
}

/** A call that runs nothing and returns a text. */
export const toNothing = (text: string, source: Label): PreparedQuery => ({
  source,
  told: source,
  perform: async () => failed(text),
});

/** A call with wrong arguments reveals nothing. */
export const toWrong = (text: string, { labels }: Database): PreparedQuery =>
  toNothing(text, bottomLabel(labels.lattice));

/** The result as structured content, and as text. */
export const succeeded = (value: JsonObject): ToolResult => ({
  content: [{ type: "text", text: JSON.stringify(value) }],
  structuredContent: value,
});

const failed = (text: string): ToolResult => ({ content: [{ type: "text", text }], isError: true });

/** A database error is shown to the model; an unexpected one is shown without its message. */
export function toFailed(error: unknown): ToolResult {
  if (!SluicegateError.isInstance(error)) return failed("The tool failed.");
  return failed(sentencesOf(error));
}

export const sentencesOf = (parts: { message: string; why: string; fix: string }): string =>
  `${parts.message} ${parts.why} ${parts.fix}`;

/** A label for models. */
export const shownLabel = ({ level, categories, trust }: Label, { lattice }: ColumnLabels): JsonObject => ({
  sensitivity: level,
  ...(categories.length > 0 && { categories }),
  ...(trust !== lattice.trust.at(-1) && { trust }),
});
