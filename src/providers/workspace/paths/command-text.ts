/**
 * The names that stand in a command, and which of them an interpreter may open. Which file a command runs can't be
 * determined, so the order of names doesn't count: escapes are decoded into further texts, and each text is split into
 * names, and once more into words, to find what follows an interpreter.
 */
import { EXTENSION } from "./command-words.ts";

export interface CommandText {
  /** Every name in lower case, of files, folders and modules, with what stands before it. */
  readonly names: ReadonlyMap<string, number>;
  readonly interpreters: ReadonlySet<Interpreter>;
  /** An interpreter may open a base folder itself. */
  readonly opensBase: boolean;
  /** A base folder stands in it as a whole, so that it may have another name there, as in a container. */
  readonly namesBase: boolean;
  /** It says where programs without a slash are found. */
  readonly setsPath: boolean;
  /** For names that contain characters at which other names end. */
  readonly includes: (name: string) => boolean;
}

/** Nothing stands before a name. */
export const ALONE = 1;
/** A slash behind a base folder's name, or behind something unknown such as a variable. */
export const AT_BASE = 2;
/** Any slash. */
export const AFTER_SLASH = 4;
/** The same for what an interpreter may open: `ALONE << OPENED`. */
export const OPENED = 3;

/** By what they open without its whole name: an index, a package, a folder's program, or nothing such. */
export type Interpreter = "node" | "python" | "go" | "other";

const INTERPRETERS: readonly (readonly [Interpreter, RegExp])[] = [
  ["node", /^(?:node|nodejs|nodemon|bun|tsx|ts-node(?:-esm|-script)?|vite-node|electron)[\d.]*$/],
  [
    "python",
    /^(?:(?:i?python|pypy)[\d.]*t?|pythonw|(?:uv|uvicorn|gunicorn|hypercorn|flask|fastapi|fastmcp|celery)[\d.]*)$/,
  ],
  ["go", /^go$/],
  ["other", /^(?:\.|source|(?:a|ba|da|fi|k|z)?sh|(?:deno|php|ruby|perl|lua|julia|rscript|pwsh)[\d.]*)$/],
];
const SHELL = /^(?:\w*sh|\.|source)$/;

/** A name ends at these characters. */
const ENDS = "\\s!\"#$%&'()*+,/:;<=>?@[\\\\\\]^`{|}~";
const NAME = new RegExp(`[^${ENDS}]+`, "g");
const END = new RegExp(`[${ENDS}]`);
export const isOdd = (name: string): boolean => END.test(name);

/** The texts belong to one command, its program first; `folders` are those in which it may run. */
export function readCommand(texts: readonly string[], folders: readonly string[]): CommandText {
  const bases = folders.map((folder) => folder.split(END).at(-1) ?? "").filter((name) => name !== "");
  // A line feed would begin another command.
  const whole = texts.join("\v");
  const variants = toVariants(whole.replaceAll(ADDRESS, " ").toLowerCase());
  const reading: Reading = {
    ...{ names: new Map(), bases, interpreters: new Set(), opensBase: false, namesBase: false },
    ...{
      state: "closed",
      interpreter: "$",
      hasProgram: false,
      isTold: false,
      isDue: false,
      isUnknown: false,
    },
  };
  for (const text of variants.map(toPlainText)) {
    addNames(text, reading, "whole");
    readWords(text, reading);
  }
  const { names, interpreters, opensBase, namesBase } = reading;
  const searched = new Set(variants.flatMap((text) => [text, text.replaceAll(/["']/g, "")]))
    .values()
    .toArray();
  return {
    ...{ names, interpreters, opensBase, namesBase },
    setsPath: /(?:^|[^$\w])PATH["']?\s*\+?[=:]/.test(whole),
    includes: (name) => searched.some((text) => text.includes(name)),
  };
}

/** What such an address names is no file. */
const ADDRESS = /\bhttps?:\/\/[^\s"'`<>|;&(){},]*/gi;

/** The text, and what it means where backslashes and percent signs are escapes. */
function toVariants(text: string): readonly string[] {
  const plain = text.includes("\\")
    ? [text, text.replaceAll(/\\(?:\r?\n\s*|(.))/gs, "$1"), text.replaceAll(ESCAPE, unescaped).toLowerCase()]
    : [text];
  const decoded = plain
    .filter((each) => each.includes("%"))
    .map((each) => each.replaceAll(PERCENT, unquoted));
  return [...new Set([...plain, ...decoded.map((each) => each.toLowerCase())])];
}

const ESCAPE = /\\(?:\r?\n\s*|x([\da-f]{1,2})|u([\da-f]{1,4})|u\{([\da-f]{1,6})\}|([0-7]{1,3})|(.))/gs;
const unescaped = (_: string, x?: string, u?: string, long?: string, octal?: string, other = ""): string => {
  const hex = x ?? u ?? long;
  const code = hex === undefined ? Number.parseInt(octal ?? "", 8) : Number.parseInt(hex, 16);
  return Number.isNaN(code) ? other : String.fromCodePoint(Math.min(code, 0x10ffff));
};
const PERCENT = /(?:%[\da-f]{2})+/g;
const unquoted = (codes: string): string => Buffer.from(codes.replaceAll("%", ""), "hex").toString();

/**
 * Without quotes, and with `$` for what a variable or another command inserts, whose own text follows. A variable's
 * default stands in its place.
 */
function toPlainText(text: string): string {
  let plain = text
    .replaceAll(/\$(?=["'])/g, "")
    .replaceAll(/\$\{\w+:?[-=+?]/g, " ")
    .replaceAll(/\$\{[^{}]{0,100}\}|\$\w+/g, "$$");
  for (let depth = 0; depth < 3; depth += 1) {
    const inner: string[] = [];
    plain = plain.replaceAll(/\$\(([^()]*)\)|`([^`]*)`/g, (_, first?: string, other?: string) => {
      inner.push(first ?? other ?? "");
      return "$";
    });
    if (inner.length === 0) break;
    plain = [plain, ...inner].join("\n");
  }
  // The folder itself.
  return plain.replaceAll(/["']/g, "").replaceAll(/(?<=[^\s/])\/\.(?=[\s/;|&)]|$)/g, "");
}

/** No name is longer. */
const MAX_NAME = 255;

interface FoundNames {
  readonly names: Map<string, number>;
  readonly bases: readonly string[];
}

/** How a text is read: as one that may be opened, so without the folders on the way, and as a module's name. */
type Mode = "whole" | "opened" | "module";

function addNames(text: string, found: FoundNames, mode: Mode): void {
  let [before, end] = ["", -1];
  for (const { 0: token, index } of text.matchAll(NAME)) {
    const folder = end === index - 1 ? before : "";
    const flags = text[index - 1] === "/" ? flagsAfterSlash(text, index, folder, found) : ALONE;
    [before, end] = [token, index + token.length];
    const isFolder = text[end] === "/" && !END.test(text[end + 1] ?? " ");
    if (mode !== "whole" && isFolder) continue;
    for (const form of formsOf(token)) addName(form, flags, mode, found);
    if (!isFolder && flags === ALONE && isModule(token, mode)) addModules(token, mode, found);
  }
}

function addName(name: string, flags: number, mode: Mode, { names }: FoundNames): void {
  const shift = mode === "whole" ? 0 : OPENED;
  names.set(name, (names.get(name) ?? 0) | (flags << shift));
}

const isModule = (token: string, mode: Mode): boolean =>
  token.includes(".") && (mode === "module" || !EXTENSION.test(token));

function addModules(token: string, mode: Mode, found: FoundNames): void {
  let flags = ALONE;
  for (const part of (formsOf(token).at(-1) ?? token).split(".")) {
    addName(part, flags, mode, found);
    flags = found.bases.includes(part) ? AFTER_SLASH | AT_BASE : AFTER_SLASH;
  }
}

/** A name, also without a dot at its end, and without an option's letter before it. */
function formsOf(token: string): readonly string[] {
  const isOption = token.length > 2 && token.startsWith("-");
  if (token.length > MAX_NAME || !(isOption || token.endsWith("."))) return [token];
  const last = token.replace(/\.+$/, "") || token;
  const options = isOption ? [/^-+/, /^-\w*m/, /^-\w/].map((start) => last.replace(start, "")) : [];
  return [token, last, ...options];
}

function flagsAfterSlash(text: string, index: number, folder: string, { bases }: FoundNames): number {
  if (folder !== "" && !/^\.+$/.test(folder))
    return bases.some((base) => folder.endsWith(base)) ? AFTER_SLASH | AT_BASE : AFTER_SLASH;
  // A path from the top of the file system begins here.
  const isAbsolute = index < 2 || /[\s:;=|&(<>,]/.test(text[index - 2] ?? "");
  return isAbsolute ? AFTER_SLASH : AFTER_SLASH | AT_BASE;
}

/** A word, or what ends a command. */
const WORD = /[;|&]+|[^\s!;|&()<>{}[\],`:]+:?/g;
/** Between two words: the second one begins a command, or may be its program. */
const BEGINS = /[\n(){}!]/;
/** What may stand before a program: options, numbers, variables, words of the shell, and programs that start another. */
const BEFORE_PROGRAM =
  /^(?:\$|-.*|\d.*|[a-z_]\w*\+?=.*|case|do|elif|else|if|in|then|until|while|command|env|eval|exec|ionice|nice|nohup|setsid|stdbuf|sudo|time|timeout|xargs)$/;
/** What a command writes to, and an empty input, are no arguments. */
const REDIRECTION = /(?<!\d)\d*(?:>{1,2}\|?\s*(?:&\d+|[^\s;|&()<>]+)|<\s*\/dev\/null)/g;
/** The file is parsed and not run. */
const IS_CHECK = /^--(?:check|syntax-only)$/;
const CHECKS: readonly (readonly [interpreter: RegExp, option: RegExp])[] = [
  [/^\w*sh$/, /^-n$/],
  [/^php/, /^-l$/],
];
/** Subcommands before a file. */
const RUNS = /^(?:run|exec|watch|start|dev)$/;
/** Its other subcommands open no file as a program. */
const IS_GO = /^(?:\/.*\/)?go$/;
/** Words after which a program is only looked for. */
const LOOKS_FOR = /^(?:-v|which|type|hash|use)$/;
/** A module's name follows. */
const MODULE = /^-\w*m$/;
/** What follows is the program itself. */
const IS_CODE = /^(?:-\w*[ce]|-p|--eval|--print)$/;
const isBase = (word: string): boolean => word.length < 100 && /^[.$/]*[.$]\/*:?$/.test(word);
/** A path that ends with a base folder's name. */
const endsAtBase = (word: string, bases: readonly string[]): boolean =>
  word.includes("/") && bases.includes(word.split(END).findLast((name) => name !== "") ?? "");
/** Where a container's option names a folder. */
const MOUNT = /^(?:--volume=|-v|src=|source=)/;

/** What is read of a text so far. */
interface Reading extends FoundNames {
  readonly interpreters: Set<Interpreter>;
  opensBase: boolean;
  namesBase: boolean;
  /** Where a word stands: `value` after an option of an interpreter, `module` after `-m`. */
  state: "closed" | "open" | "value" | "module" | "code";
  /** The interpreter at hand; `$` if it isn't known. */
  interpreter: string;
  /** A program stands in this command. */
  hasProgram: boolean;
  /** The interpreter is a variable that stands behind a program. */
  isTold: boolean;
  /** An interpreter stands alone so far. */
  isDue: boolean;
  /** What an interpreter opens may be any word. */
  isUnknown: boolean;
}

/** Collects what interpreters may open: the first argument, and words that may be an option's value. */
function readWords(text: string, reading: Reading): void {
  Object.assign(reading, { state: "closed", hasProgram: false, isDue: false, isUnknown: false });
  let [before, end] = ["", 0];
  const plain = text.replaceAll(REDIRECTION, " ");
  for (const { 0: word, index } of plain.matchAll(WORD)) {
    const begins = reading.state === "code" ? /\n/ : BEGINS;
    if (begins.test(plain.slice(end, index))) reading.hasProgram = false;
    end = index + word.length;
    const kinds = LOOKS_FOR.test(before) || isGiven(word, reading) ? [] : interpretersOf(word);
    readBase(word, before, reading);
    if (kinds.length > 0) readInterpreter(word, kinds, reading);
    else readOther(word, before, reading);
    reading.hasProgram = hasProgramAfter(word, reading.hasProgram);
    before = word;
  }
  endCommand(reading);
  if (reading.isUnknown) addNames(text, reading, "module");
}

function readOther(word: string, before: string, reading: Reading): void {
  if (/^[;|&]/.test(word)) endCommand(reading);
  else if (RUNS.test(word)) readSubcommand(word, before, reading);
  else if (IS_GO.test(before) && /^[a-z]+$/.test(word)) closeCommand(reading);
  else if (isArgument(word, reading)) readArgument(word, before, reading);
}

/** Behind a key comes a value, which may be a command. */
const hasProgramAfter = (word: string, hadProgram: boolean): boolean =>
  !/^[;|&]|:$/.test(word) && (hadProgram || !BEFORE_PROGRAM.test(word));

/** A variable behind a known interpreter is a file's name or an argument. A shell may run it as another interpreter. */
const isGiven = (word: string, { state, interpreter, hasProgram }: Reading): boolean =>
  word === "$" && hasProgram && state !== "closed" && interpreter !== "$" && !SHELL.test(interpreter);

/** A module may run another one, as `-m coverage run -m` does. */
const isArgument = (word: string, { state, interpreters }: Reading): boolean =>
  !isBase(word) && (state !== "closed" || (MODULE.test(word) && interpreters.has("python")));

function readBase(word: string, before: string, reading: Reading): void {
  if (before !== "cd")
    reading.namesBase ||= isBase(word.replace(MOUNT, "")) || endsAtBase(word, reading.bases);
  if (!isBase(word) || reading.state === "closed") return;
  // Behind the program itself, it is data.
  if (reading.state === "code" && isGiven(word, reading)) return;
  reading.isDue = false;
  reading.isUnknown ||= word === "$";
  // Of two variables that a program is told, such as a name and a date, the first one is no interpreter.
  reading.opensBase ||= word !== "$" || !reading.isTold;
}

function readInterpreter(word: string, kinds: readonly Interpreter[], reading: Reading): void {
  for (const kind of kinds) reading.interpreters.add(kind);
  if (word !== "." || reading.state === "closed") reading.state = "open";
  reading.interpreter = word.slice(word.lastIndexOf("/") + 1);
  reading.isTold = word === "$" && reading.hasProgram;
  reading.isDue = !isBase(word);
}

/** Others than these take it as a file's name. */
const HAS_SUBCOMMANDS = /(?:^|\/)(?:bun|deno|uv|go|flask|fastapi|fastmcp|celery)$/;

function readSubcommand(word: string, before: string, reading: Reading): void {
  if (reading.state !== "closed" && !HAS_SUBCOMMANDS.test(before)) addNames(word, reading, "opened");
}

/** What follows is opened by no interpreter. */
function closeCommand(reading: Reading): void {
  Object.assign(reading, { isDue: false, state: "closed" });
}

function endCommand(reading: Reading): void {
  reading.isUnknown ||= reading.isDue;
  reading.isDue = false;
  if (reading.state !== "code") reading.state = "closed";
}

/** Long options with a value that is a file. */
const LOADS = /^--?(?:.|require|import|preload|.*(?:loader|file|config))$/;

function readArgument(word: string, before: string, reading: Reading): void {
  const { interpreter } = reading;
  if (IS_CHECK.test(word) || CHECKS.some(([name, option]) => name.test(interpreter) && option.test(word))) {
    closeCommand(reading);
    return;
  }
  const isModule = reading.state === "module" || /^-\w*m\w/.test(word);
  addNames(word, reading, isModule ? "module" : "opened");
  reading.isDue &&= /^-(?!-?version$)/.test(word);
  if (reading.state === "module") reading.state = "closed";
  else if (reading.state !== "code") reading.state = stateAfter(word, before, reading);
}

function stateAfter(word: string, before: string, { state, interpreter }: Reading): Reading["state"] {
  if (IS_CODE.test(word)) return SHELL.test(interpreter) ? "open" : "code";
  if (MODULE.test(word)) return "module";
  if (word.startsWith("-")) return word.includes("=") || word === "--" ? "open" : "value";
  if (word.endsWith(":")) return state;
  const isValue = state === "value" && (LOADS.test(before) || !EXTENSION.test(word));
  return isValue ? "open" : "closed";
}

/** A variable may be any of them. */
const ANY: readonly Interpreter[] = ["node", "python", "go", "other"];

function interpretersOf(word: string): readonly Interpreter[] {
  const name = word.slice(word.lastIndexOf("/") + 1);
  if (name === "$") return ANY;
  return name.length > 32 ? [] : INTERPRETERS.filter(([, names]) => names.test(name)).map(([kind]) => kind);
}
