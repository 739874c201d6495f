/**
 * What of a command is shown to a person who is asked whether it may start. THREAT: a project that was cloned chose the
 * command, so nothing that could run is hidden as a secret: only a value that stands behind the program under a
 * secret's name, and is one word that no shell reads or several plain ones.
 */
import type { FoundTransport } from "../configurations/read-configuration.ts";
import { programIndex, SECRET_NAME, STARTERS, startsPackage } from "./started-program.ts";

type Stdio = Extract<FoundTransport, { kind: "stdio" }>;

const MASK = "…";

/** The command's words, with `…` for what is plainly a secret and no part of what runs. */
export function maskArguments(transport: Stdio): readonly string[] {
  const { command, args } = transport;
  const program = programIndex(transport);
  const isPackage = startsPackage(transport);
  const masked = args.map((arg, index) => {
    if (index <= program) return maskLine(arg, false);
    const before = args[index - 1] ?? "";
    const isKey = isPackage && (MIXED_WORD.test(arg) || PADDED.test(arg));
    if (isKey || isSecretValue(arg, before, isPackage)) return MASK;
    const [, name = "", value = ""] = /^(--?[A-Za-z][\w-]*[=:]|[A-Za-z][\w-]*: ?)(.*)$/s.exec(arg) ?? [];
    return isSecretName(name) && isOpaque(value) ? `${name}${MASK}` : maskLine(arg, true);
  });
  return [maskLine(command, false), ...masked];
}

const isSecretName = (name: string): boolean =>
  SECRET_NAME.test(name.replace(/=$|: ?$/, "")) &&
  !/^--?no-|^GIT_CONFIG_|(?:command|cmd|program|exec|helper|script)=?$/i.test(name);

const isSecretValue = (arg: string, before: string, isPackage: boolean): boolean =>
  /^-[^=]*$/.test(before) &&
  (isSecretName(before) || (isPackage && /^-[pPkKtTsSaAwWu]$/.test(before))) &&
  (!/^--/.test(arg) || /^--(?=.*\d)(?=.*[A-Z])[^=]+$/.test(arg)) &&
  // Often a flag that a program follows.
  (before !== "--login" || arg.includes(":")) &&
  !/^[A-Za-z_]\w*=+[^=]/.test(arg) &&
  isOpaque(arg);

/** A word as a shell parts them: what stands in quotes, or has a backslash before its blank, is one. */
const WORD = /(?:\\(?!\s-).|[^\s"']|"(?:[^"\\]|\\.)*"|'[^']*')+|["'][^\s]*/gs;
/** `password = "…"` and `apiKey: '…'` in a program's text. */
const IN_CODE = /([\w-]+)(["']?\]?\s*[:=]\s*)(["'`])([\w+=.~@%!#,-]+)\3/g;

/** The same within a line for a shell, or a program's text. */
function maskLine(line: string, isBehindProgram: boolean): string {
  let before = "";
  let isBehind = isBehindProgram;
  const code = line.replaceAll(IN_CODE, (written, name: string, sign: string, quote: string) =>
    isSecretName(name) ? `${name}${sign}${quote}${MASK}${quote}` : written,
  );
  return code.replaceAll(WORD, (word) => {
    const [, name = "", quote = "", value = ""] = /^(--?[\w-]+=|\w+=)?(["']?)(.*)\2$/s.exec(word) ?? [];
    const isPair = isSecretName(name) && isOpaque(value) && (isBehind || !name.startsWith("-"));
    const isValue = name === "" && isBehind && isSecretValue(value, before, false);
    before = word;
    if (/[;&|`]/.test(word)) isBehind = false;
    else isBehind ||= !/^-|^\w+=/.test(word) && !STARTERS.test(word);
    return isPair || isValue ? `${name}${quote}${MASK}${quote}` : word;
  });
}

/** Letters with digits and nothing that a name, a place or a version has. */
const MIXED_WORD = /^(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z0-9][\w-]{7,}$/;
/** Base64 with its padding. */
const PADDED = /^(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9+/_-]{6,}={1,2}$/;

/** One word without anything that a shell reads, or several plain ones, and no address: nothing that could be run. */
const isOpaque = (text: string): boolean =>
  /^(?:\w{2,}:)?[\w+=.~@%!#,-]+$/.test(text) ||
  (/^\w+(?: \w+)+$/.test(text) && !STARTERS.test(text.replace(/ .*/s, "")));
