/** What a tool's definition says about it: by its arguments where it could send data or run a program, and its hints. */
import { hasWord, wordSet, wordsOf } from "./name-words.ts";

/** The arguments that a schema names, at any depth. */
export interface ToolArguments {
  readonly names: readonly string[];
  /** Of those, the ones that name a place outside or somebody. */
  readonly destinations: readonly string[];
  /** Of those, the ones that can mean nothing else. */
  readonly addresses: readonly string[];
  /** Of those, the ones that name a file of this machine to be written. */
  readonly saved: readonly string[];
  /** Of those, the ones that are a program, a query or a command. */
  readonly programs: readonly string[];
  /** Of those, the ones that say which program is started, or how. */
  readonly launches: readonly string[];
}

const DESTINATIONS = wordSet(`
  url uri href endpoint host hostname domain webhook to cc bcc recipient callback proxy origin website site phone
  address email attendee invitee assignee`);
const ADDRESSES = wordSet(
  "url uri href endpoint host hostname webhook cc bcc recipient callback proxy email",
);
const SAVES = wordSet("save local output out dest destination download target");
const PLACES = wordSet("path file filename dir directory folder to");
const PROGRAMS = wordSet("sql code script command cmd shell expression javascript js program graphql cypher");
const LAUNCHES = wordSet("launch executable interpreter binary entrypoint");
const LANGUAGES = /\b(sql|graphql|cypher|shell|bash|javascript|python|regexp? replace)\b/i;
const MAY_BE_PROGRAM = wordSet("query statement input text function body");

const MAX_DEPTH = 5;
const MAX_ARGUMENTS = 500;

type Found = Map<string, string>;

/** Reads a schema that a server made: bounded, and whatever it can't read names no argument. */
export function readArguments(schema: unknown): ToolArguments {
  const found: Found = new Map();
  collect(schema, found, 0);
  const names = [...found.keys()];
  return {
    names,
    destinations: names.filter((name) => hasWord(wordsOf(name), DESTINATIONS)),
    addresses: names.filter((name) => hasWord(wordsOf(name), ADDRESSES)),
    saved: names.filter((name) => hasWord(wordsOf(name), SAVES) && hasWord(wordsOf(name), PLACES)),
    programs: names.filter((name) => isProgram(name, found.get(name) ?? "")),
    launches: names.filter((name) => hasWord(wordsOf(name), LAUNCHES)),
  };
}

function isProgram(name: string, description: string): boolean {
  const words = wordsOf(name);
  return hasWord(words, PROGRAMS) || (hasWord(words, MAY_BE_PROGRAM) && LANGUAGES.test(description));
}

/** Where schemas hold a schema, and where several. */
const NESTED = ["items", "additionalProperties"];
const NESTED_BY_NAME = ["anyOf", "oneOf", "allOf", "$defs", "definitions"];

function collect(schema: unknown, found: Found, depth: number): void {
  if (typeof schema !== "object" || schema === null || depth > MAX_DEPTH || found.size >= MAX_ARGUMENTS)
    return;
  for (const [name, value] of entriesOf(own(schema, "properties"))) {
    const description = typeof value === "object" && value !== null ? own(value, "description") : "";
    found.set(name, typeof description === "string" ? description.slice(0, 500) : "");
    collect(value, found, depth + 1);
  }
  for (const key of NESTED) collect(own(schema, key), found, depth + 1);
  for (const key of NESTED_BY_NAME) {
    for (const [, value] of entriesOf(own(schema, key))) collect(value, found, depth + 1);
  }
}

const entriesOf = (value: unknown): readonly (readonly [string, unknown])[] =>
  typeof value === "object" && value !== null ? Object.entries(value).slice(0, MAX_ARGUMENTS) : [];

const own = (value: object, key: string): unknown =>
  Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;

/** MCP's annotations of a tool. THREAT: its server writes them; what isn't of the right kind counts as left out. */
type Annotations = Readonly<Record<string, unknown>> | undefined;

export function flagOf(annotations: Annotations, name: string): boolean | null {
  const value = read(annotations, name);
  return typeof value === "boolean" ? value : null;
}

export function textOf(annotations: Annotations, name: string): string {
  const value = read(annotations, name);
  return typeof value === "string" ? value : "";
}

const read = (annotations: Annotations, name: string): unknown =>
  annotations && Object.hasOwn(annotations, name) ? annotations[name] : undefined;
