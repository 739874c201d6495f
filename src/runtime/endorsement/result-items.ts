/** A tool's result as the things that it names: the hits of a search, the entries of a list, or a single thing. */
import { parseJson } from "../../json/parse-json.ts";

export interface Field {
  readonly key: string;
  /** 0 for a field of the thing itself. */
  readonly depth: number;
  readonly value: string | number;
}

/** One thing of a result with its fields. */
export type Item = readonly Field[];

const MAX_LENGTH = 1024 * 1024;
const MAX_ITEMS = 256;
const MAX_FIELDS = 64;

/** The things that a result names; none if it has no structure. */
export function itemsOf(result: unknown): readonly Item[] {
  return documentsOf(result)
    .flatMap(listOf)
    .slice(0, MAX_ITEMS)
    .map((item) => {
      const fields: Field[] = [];
      collect(item, { key: "", depth: -1 }, fields);
      return fields;
    });
}

/** The values at a path such as `members[].email`, in each document of a result. */
export function valuesAt(result: unknown, path: string): readonly string[] {
  const keys = path
    .split(".")
    .flatMap((part) => [part.replaceAll("[]", ""), ...(part.endsWith("[]") ? ["[]"] : [])]);
  let found: readonly unknown[] = documentsOf(result);
  for (const key of keys.filter((one) => one !== "")) {
    found = found.flatMap((value): readonly unknown[] => {
      if (key === "[]") return Array.isArray(value) ? value : [];
      return isObject(value) && Object.hasOwn(value, key) ? [value[key]] : [];
    });
  }
  return found.filter((value) => typeof value === "string");
}

export function textsOf(result: unknown): readonly string[] {
  return documentsOf(result).map((document) =>
    typeof document === "string" ? document : (JSON.stringify(document) ?? ""),
  );
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An MCP result's structured content, otherwise its texts; any other result unchanged. */
function documentsOf(result: unknown): readonly unknown[] {
  if (typeof result === "string") return [readText(result)];
  if (!isObject(result)) return [result];
  const { structuredContent, content, isError } = result;
  if (isError === true) return [];
  if (isObject(structuredContent)) {
    const [only, ...others] = Object.entries(structuredContent);
    // A schema that requires an object wraps a list or a text like this.
    const isWrapped = others.length === 0 && only?.[0] === "result";
    return [isWrapped && typeof only?.[1] !== "string" ? only?.[1] : structuredContent];
  }
  if (!Array.isArray(content)) return [result];
  return content.flatMap((block: unknown) =>
    isObject(block) && typeof block.text === "string" ? [readText(block.text)] : [],
  );
}

function readText(text: string): unknown {
  if (text.length > MAX_LENGTH) return text;
  try {
    return parseJson(text);
  } catch {
    return readLines(text) ?? text;
  }
}

/** Keys beside a list that only count its entries. */
const COUNTS =
  /^(?:total|count|size|page|pages|limit|offset|next\w*|has_?more|query|took|message|status|ok|success)$/i;

/** The entries of a list, also if it is in an object with nothing else but counts. */
function listOf(document: unknown): readonly unknown[] {
  if (Array.isArray(document)) return document;
  if (!isObject(document)) return [document];
  const lists = Object.entries(document).filter(([key]) => !COUNTS.test(key));
  const [only, ...others] = lists;
  if (only !== undefined && others.length === 0 && Array.isArray(only[1])) return only[1];
  if (only !== undefined && others.length === 0 && isObject(only[1])) return [only[1]];
  return [document];
}

function collect(value: unknown, { key, depth }: Pick<Field, "key" | "depth">, fields: Field[]): void {
  if (fields.length >= MAX_FIELDS) return;
  if (typeof value === "string" || typeof value === "number") {
    fields.push({ key, depth: Math.max(depth, 0), value });
  } else if (Array.isArray(value)) {
    for (const item of value) collect(item, { key, depth: depth + 1 }, fields);
  } else if (isObject(value)) {
    for (const [name, part] of Object.entries(value)) collect(part, { key: name, depth: depth + 1 }, fields);
  }
}

const LINE = /^(- | {2})?([A-Za-z_][\w .-]{0,63}):(?: (.*))?$/;

/**
 * A text of lines `key: value`, as YAML writes one thing or a list of things; null for any other text. THREAT:
 * whoever writes a value may write lines. Deeper lines are skipped; with a repeated key, or a line of another form,
 * the whole is plain text.
 */
function readLines(text: string): unknown {
  const isList = text.startsWith("- ");
  const items: Map<string, string>[] = [];
  for (const line of text.split("\n")) {
    if (line.trim() === "" || isDeeper(line, isList)) continue;
    const [, indent = "", key = "", value = ""] = LINE.exec(line) ?? [];
    const isField = key !== "" && (indent !== "") === isList;
    if (items.length === 0 || indent === "- ") items.push(new Map());
    const item = items.at(-1);
    if (!isField || item === undefined || item.has(key)) return null;
    item.set(key, unquote(value));
  }
  const things = items.map((item) => Object.fromEntries(item));
  return isList ? things : (things[0] ?? null);
}

/** Whether a line is part of a field's value. */
const isDeeper = (line: string, isList: boolean): boolean =>
  isList ? /^(?: {3,}|\t| {2}- )/.test(line) : /^(?:\s|- )/.test(line);

const unquote = (value: string): string => /^(['"])(.*)\1$/s.exec(value.trim())?.[2] ?? value.trim();
