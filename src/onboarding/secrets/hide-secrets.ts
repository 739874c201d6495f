/**
 * Takes secrets out of what is to be written into a policy: each becomes a variable, to be set where the gateway runs.
 * THREAT: a policy is committed and sent around, and a secret that is missed here is out. So every value of a variable
 * and of a header goes, whatever it looks like; arguments are kept unless they look like a secret or are named as one,
 * since they say what is started.
 */
import type { FoundTransport } from "../configurations/read-configuration.ts";
import { variablesIn } from "../configurations/variables.ts";
import { PACKAGE_STARTERS, programIndex, programName, STARTERS, SUBCOMMANDS } from "./started-program.ts";
import type { NameVariable } from "./variable-names.ts";

/** A variable that stands for something that was taken out. */
export interface Hidden {
  readonly name: string;
  readonly value: string;
  /** Whether it is plainly no part of what is started, so that a question about that needn't show it. */
  readonly isMasked: boolean;
  /** Where it was, as in "`env.GITHUB_TOKEN`". */
  readonly where: string;
}

export interface HiddenTransport {
  readonly transport: FoundTransport;
  readonly hidden: readonly Hidden[];
}

type Hiding = { readonly server: string; readonly nameVariable: NameVariable; readonly hidden: Hidden[] };

/** The same server without its secrets. `server` is its id. */
export function hideSecrets(
  transport: FoundTransport,
  server: string,
  nameVariable: NameVariable,
): HiddenTransport {
  const hiding: Hiding = { server, nameVariable, hidden: [] };
  const safe = transport.kind === "http" ? hideInHttp(transport, hiding) : hideInStdio(transport, hiding);
  return { transport: safe, hidden: hiding.hidden };
}

type Stdio = Extract<FoundTransport, { kind: "stdio" }>;
type Http = Extract<FoundTransport, { kind: "http" }>;

function hideInStdio(transport: Stdio, hiding: Hiding): FoundTransport {
  const env = Object.entries(transport.env).map(([key, value]) => [
    key,
    value === "" ? value : hide(value, key, `env.${key}`, hiding),
  ]);
  const program = programIndex(transport);
  const isPackage = PACKAGE_STARTERS.test(programName(transport));
  const args = transport.args.map((arg, index) => {
    const isAfterProgram = index > program;
    const before = transport.args[index - 1] ?? "";
    const isOfPackage = isAfterProgram && isPackage;
    return hideInArgument({ arg, before, isAfterProgram, isOfPackage, isQuoted: false }, hiding);
  });
  return {
    ...transport,
    command: hideInCommand(transport.command, hiding),
    args,
    env: Object.fromEntries(env),
  };
}

/** `C:\\Program Files\\x` is a program; with options behind it, or without a folder, it is a line. */
const hideInCommand = (command: string, hiding: Hiding): string =>
  isCommandLine(command) || (PATH.test(command) && /\s--?[A-Za-z]/.test(command))
    ? hideInCommandLine(command, hiding)
    : command;

function hideInHttp({ url, headers }: Http, hiding: Hiding): FoundTransport {
  const found = Object.entries(headers).map(([key, value]) => [key, hideInHeader(key, value, hiding)]);
  const safe = Object.fromEntries(found);
  const parsed = URL.parse(url);
  if (parsed === null || (parsed.username === "" && parsed.password === ""))
    return { kind: "http", url: hideInUrl(url, hiding), headers: safe };
  // A policy's addresses hold no user and no password; they go into a header.
  const credentials = Buffer.from(`${decode(parsed.username)}:${decode(parsed.password)}`).toString("base64");
  parsed.username = "";
  parsed.password = "";
  const authorization = `Basic ${hide(credentials, prefixed(hiding, "BASIC"), "the user and password in `url`, in base64", hiding)}`;
  return { kind: "http", url: hideInUrl(parsed.href, hiding), headers: { authorization, ...safe } };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A text of variables alone holds no secret. */
const isOnlyVariables = (text: string): boolean =>
  variablesIn(text).length > 0 &&
  /^(?:[A-Za-z]+ )?$/.test(text.replaceAll(/\$\{[A-Za-z_][A-Za-z0-9_]*\}/g, ""));

function hide(
  value: string,
  wish: string,
  where: string,
  { nameVariable, hidden }: Hiding,
  isMasked = false,
): string {
  if (value === "" || isOnlyVariables(value)) return value;
  const name = nameVariable(wish, value);
  const known = hidden.findIndex((one) => one.name === name);
  if (known < 0) hidden.push({ name, value, where, isMasked });
  // What is shown in one place is shown in all.
  else if (!isMasked)
    hidden.splice(known, 1, { name, value, where: hidden[known]?.where ?? where, isMasked });
  return `\${${name}}`;
}

const prefixed = ({ server }: Hiding, name: string): string => `${server}_${name}`;

const SECRET_NAME =
  /key|token|secret|passw|pwd|(^|[_-]|require)pass|(^|[_-])(?:pw|pat)$|mnemonic|seed[_-]?phrase|pin$|code$|otp|auth|cred|cookie|session|dsn|database_url|db_url|connection|conn_?str|webhook|private|signature|salt|bearer|license|psk|jwt|(^|[_-])access$/i;
const PLAIN =
  /^(?:true|false|yes|no|on|off|none|null|debug|info|warn(?:ing)?|error|trace|silent|verbose|production|development|test|stdio|https?|sse|utf-?8|en(?:_US(?:\.UTF-8)?)?|localhost|\d{1,5}|[a-z]{2}-[a-z]+-\d|)$/i;
const PATH = /^(?:\.{0,2}|~|[A-Za-z]:)[\\/]/;

/** A value of a secret's name is never plain. */
const isPlainValue = (key: string, value: string): boolean =>
  PLAIN.test(value) && (value === "" || !SECRET_NAME.test(key));

/** Whether a variable's value plainly tells nothing that must not be seen. */
function isHarmless(key: string, value: string): boolean {
  if (isOnlyVariables(value) || isPlainValue(key, value)) return true;
  if (SECRET_NAME.test(key) && !/_(?:path|file|dir)$/i.test(key)) return false;
  return (PATH.test(value) && !looksSecret(value)) || isPlainUrl(value);
}

function isPlainUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    return false;
  return url.search === "" && url.hash === "" && !looksSecret(text);
}

const TOKEN_SHAPES =
  /\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{8,}|\bgh[a-z]_[A-Za-z0-9]{8,}|github_pat_|glpat-|\bxox[a-z]-|\beyJ[A-Za-z0-9_-]{8,}|\bAKIA[A-Z0-9]{8,}|\bAIza[A-Za-z0-9_-]{8,}|\bntn_|\bsecret_|\blin_api_|\bfigd_|\bhf_[A-Za-z0-9]{8,}|\bnpm_[A-Za-z0-9]{8,}|\bBearer\s+\S/i;
const RUN = /[A-Za-z0-9+_=-]{20,}/g;

/** Whether a text looks made by chance, or as known services write their keys. */
function looksSecret(text: string): boolean {
  if (TOKEN_SHAPES.test(text)) return true;
  return (text.match(RUN) ?? []).some((run) => {
    const digits = run.match(/\d/g)?.length ?? 0;
    const isMixed = /[a-z]/.test(run) && /[A-Z]/.test(run);
    return /[A-Za-z]/.test(run) && (digits >= 4 || (isMixed && digits >= 1));
  });
}

/** What stands before the secret in a header. Another first word may be a part of the secret. */
const SCHEME = /^((?:Basic|Bearer|Digest|Token|Key|Api-?Key|Bot|OAuth|Negotiate|GitHub-?Token) +)(\S.*)$/is;

function hideInHeader(key: string, value: string, hiding: Hiding, isAfterProgram = false): string {
  if (isOnlyVariables(value)) return value;
  const [, scheme = "", rest = value] = SCHEME.exec(value) ?? [];
  const isMasked = isAfterProgram && isOpaque(rest);
  return `${scheme}${hide(rest, prefixed(hiding, key), `headers.${key}`, hiding, isMasked)}`;
}

function hideInUrl(url: string, hiding: Hiding, isMasked = true): string {
  if (isOnlyVariables(url)) return url;
  const [, origin, path = "", rest = ""] = /^(https?:\/\/[^/?#\s${}]+)([^?#]*)(.*)$/is.exec(url) ?? [];
  if (origin === undefined) return hide(url, prefixed(hiding, "URL"), "url", hiding);
  const segments = path
    .split("/")
    .map((one) =>
      PLAIN_SEGMENT.test(one)
        ? one
        : hide(one, prefixed(hiding, "URL_PATH"), "a part of `url`", hiding, isMasked),
    );
  const [, sign = "", query = ""] = /^([?#]?)(.*)$/s.exec(rest) ?? [];
  const hidden = hide(query, prefixed(hiding, "URL_QUERY"), "the query of `url`", hiding, true);
  return `${origin}${segments.join("/")}${sign}${hidden}`;
}

/** A word, a version, nothing: what a path has that is no token. */
const PLAIN_SEGMENT =
  /^(?:[a-z]{1,20}(?:[-_.][a-z]{1,20})*\d{0,2}|[A-Z]?[a-z]{1,20}|v?\d{1,3}(?:\.\d{1,3}){0,2})?$/;

interface Argument {
  readonly arg: string;
  readonly before: string;
  /** Whether what is started stands before it, so that what an option's name calls a secret is no program. */
  readonly isAfterProgram: boolean;
  /** Whether that is a package, so that no argument of it is a program of this machine. */
  readonly isOfPackage: boolean;
  /** Whether it stood in quotes within a command line, so that its blanks part nothing. */
  readonly isQuoted: boolean;
}

// The value of a secret's option and of a pair come first: what they hold is one secret, whatever it looks like inside.
function hideInArgument(argument: Argument, hiding: Hiding): string {
  const { arg, before, isQuoted } = argument;
  const isLine = isCommandLine(arg) && !isQuoted && !CREDENTIAL_OPTION.test(before);
  return (
    hideOptionValue(argument, hiding) ??
    hideJoined(argument, hiding) ??
    hideInPair(argument, hiding) ??
    (isLine ? hideInCommandLine(arg, hiding) : (hideHeader(argument, hiding) ?? hideWord(argument, hiding)))
  );
}

const isOptionValue = ({ arg, before }: Pick<Argument, "arg" | "before">): boolean =>
  /^-/.test(before) && !before.includes("=") && (!/^-/.test(arg) || isDashedSecret(arg, before));

/** What begins with `-` after an option that is named as a secret is, and is written as no option. */
const isDashedSecret = (arg: string, before: string): boolean =>
  SECRET_NAME.test(before) &&
  !/^--?no-/.test(before) &&
  (/\s/.test(arg) || /^-[^-=\s][^=\s]+$/.test(arg) || /^--(?=.*\d)(?=.*[A-Z])[^=\s]+$/.test(arg));

/** What follows an option that is named as a secret is; null for another argument. */
function hideOptionValue(argument: Argument, hiding: Hiding): string | null {
  const { arg, before, isAfterProgram, isOfPackage } = argument;
  if (!isOptionValue(argument) || arg === "" || isPath(arg)) return null;
  const isShort = isAfterProgram && SHORT_SECRET.test(before) && !isPlainWord(arg);
  if (!isShort && !SECRET_NAME.test(before)) return null;
  const wish = isShort ? prefixed(hiding, "ARGUMENT") : wishOf(before, hiding);
  const isMasked =
    (isShort ? isOfPackage : isAfterProgram) &&
    isOpaque(arg) &&
    !isVariable(arg) &&
    !/(?:command|cmd|program|exec|helper|script)$/i.test(before);
  return hide(arg, wish, `the argument after \`${before}\``, hiding, isMasked);
}

/** `-phunter2`: an option of one letter with its value. */
function hideJoined({ arg, isAfterProgram, isOfPackage, isQuoted }: Argument, hiding: Hiding): string | null {
  const [, option = "", value = ""] = /^(-[pP])(.+)$/s.exec(arg) ?? [];
  if (!isAfterProgram || option === "" || isPath(value) || (/^[a-z-]+$/.test(value) && !isQuoted))
    return null;
  const isMasked = isOfPackage && isOpaque(value);
  return `${option}${hide(value, prefixed(hiding, "ARGUMENT"), `the argument \`${option}\``, hiding, isMasked)}`;
}

function hideHeader({ arg, before, isAfterProgram }: Argument, hiding: Hiding): string | null {
  const [, header = "", gap = "", text = ""] = /^([A-Za-z][\w.-]*)(: ?)(\S.*)$/s.exec(arg) ?? [];
  // `localhost:8080`, `alpine:latest` and `C:\data` are no headers.
  const isHeader = gap === ": " || CREDENTIAL_OPTION.test(before) || SECRET_NAME.test(header);
  if (header === "" && CREDENTIAL_OPTION.test(before) && /^[^:]*:\S/.test(arg))
    return hide(arg, prefixed(hiding, "ARGUMENT"), `the argument after \`${before}\``, hiding);
  if (header === "" || !isHeader || text.startsWith("//")) return null;
  return `${header}${gap}${hideInHeader(header, text, hiding, isAfterProgram)}`;
}

function hideWord(argument: Argument, hiding: Hiding): string {
  const { arg, isOfPackage } = argument;
  const isKey = isOfPackage && !isOptionValue(argument) && (MIXED_WORD.test(arg) || PADDED.test(arg));
  const isSecret = holdsCredentials(arg) || (PATH.test(arg) ? TOKEN_SHAPES.test(arg) : looksSecret(arg));
  if (!isSecret && isAddress(argument, arg)) return hideInUrl(arg, hiding, isOfPackage);
  if (!isKey && !isSecret) return arg;
  return hide(arg, prefixed(hiding, "ARGUMENT"), "an argument", hiding, isOfPackage && isOpaque(arg));
}

/** Whether it is where a server is reached, and not what is started: its path may hold a token. */
const isAddress = ({ isAfterProgram }: Argument, text: string): boolean =>
  isAfterProgram && /^https?:\/\/[^/?#\s${}]+[/?#]/i.test(text);

/** `KEY=VALUE` and `--key=value`; null for what only looks like one, such as base64 with its padding. */
function hideInPair(argument: Argument, hiding: Hiding): string | null {
  const { arg, isAfterProgram } = argument;
  const [, key = "", value = ""] = /^(-{0,2}[A-Za-z_][\w.-]*)=(.*)$/s.exec(arg) ?? [];
  if (key === "" || /^=*$/.test(value) || looksSecret(key)) return null;
  const isOption = key.startsWith("-");
  if (isOption && !SECRET_NAME.test(key) && isCommandLine(value))
    return `${key}=${hideInArgument({ ...argument, arg: value, before: key, isQuoted: false }, hiding)}`;
  if (!isOption && isAssignmentsOfLine(argument, value)) return null;
  if (isOption && !SECRET_NAME.test(key) && !isTelling(value) && isAddress(argument, value))
    return `${key}=${hideInUrl(value, hiding, argument.isOfPackage)}`;
  if (isKeptPair(key, value)) return arg;
  const isMasked = SECRET_NAME.test(key) && isOpaque(value) && (isAfterProgram || !isOption);
  return `${key}=${hide(value, wishOf(key, hiding), `the argument \`${key}\``, hiding, isMasked)}`;
}

/** Whether `KEY=VALUE …` is a line that begins with a variable, not a variable whose value has blanks. */
const isAssignmentsOfLine = ({ before, isQuoted }: Argument, value: string): boolean =>
  /\s/.test(value) &&
  !isQuoted &&
  !/^(?:-e|--env|--build-arg)$/.test(before) &&
  (/^(?:-\w*c|\/[ck]|-Command)$/i.test(before) ||
    /[;&|`]|\s-{1,2}\w/.test(value) ||
    value.split(/\s+/).some((word) => STARTERS.test(word)));

/** `-p hunter2`: options of one letter that a password, a key or a token follows as a rule. */
const SHORT_SECRET = /^-[pPkKtTsSaAwW]$/;
const isPlainWord = (text: string): boolean => PLAIN.test(text) && !/^\d+$/.test(text);
/** Letters with digits and nothing that a name, a place or a version has. */
const MIXED_WORD = /^(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z0-9][\w-]{7,}$/;
/** Base64 with its padding. */
const PADDED = /^(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9+/_-]{6,}={1,2}$/;
const isPath = (text: string): boolean => PATH.test(text) && !looksSecret(text) && !PADDED.test(text);
/** `NODE_OPTIONS=…`: what may change what runs. */
const isVariable = (text: string): boolean => /^[A-Za-z_]\w*=+[^=]/.test(text);
/** One word without anything that a shell reads, or several plain ones, and no address: nothing that could be run. */
const isOpaque = (text: string): boolean =>
  /^[\w+=.~@%!#,-]+$/.test(text) || (/^\w+(?: \w+)+$/.test(text) && !STARTERS.test(text.replace(/ .*/s, "")));

/** A text that a shell is given: several words, and not a path with blanks, JSON, a header, or an option with one. */
const isCommandLine = (arg: string): boolean =>
  /\S\s+\S/.test(arg) &&
  !PATH.test(arg) &&
  !/^(?:[{["']|-{0,2}[A-Za-z][\w.-]*(?::(?!\/\/)|=[A-Za-z-]+: ))/.test(arg);

/** `password = "…"` and `apiKey: '…'` in a program's text, or a variable of a shell. */
const hideInCode = (text: string, hiding: Hiding): string =>
  text.replaceAll(
    /([\w-]+)(["']?\]?\s*[:=]\s*)(["'`])((?:\\.|(?!\3)[^\\])+)\3/gs,
    (written: string, key: string, sign: string, quote: string, value: string) =>
      SECRET_NAME.test(key)
        ? `${key}${sign}${quote}${hide(value, wishOf(key, hiding), `the argument \`${key}\``, hiding, isOpaque(value) && !/\s/.test(value))}${quote}`
        : written,
  );

/** A word as a shell parts them: what stands in quotes, or has a backslash before its blank, is one. */
const WORD = /(?:\\(?!\s-).|[^\s"']|"(?:[^"\\]|\\.)*"|'[^']*')+|["'][^\s]*/gs;

/** Hides the words of a command line that are secrets, and leaves the rest of it to be read. */
function hideInCommandLine(line: string, hiding: Hiding): string {
  let before = "";
  let isAfterProgram = false;
  // Whether a secret has begun whose further words stand in no quotes.
  let isInSecret = false;
  return hideInCode(line, hiding).replaceAll(WORD, (word) => {
    isInSecret = isInSecret && /^\w+$/.test(word);
    if (isInSecret && !SCHEME.test(`${word} x`))
      return hide(word, prefixed(hiding, "ARGUMENT"), "an argument", hiding);
    const safe = hideInWord(word, before, isAfterProgram, hiding);
    isInSecret ||= isAfterProgram && beginsSecret(word, before);
    before = word;
    if (/[;&|`]/.test(word)) isAfterProgram = false;
    else if (!/^-|^\w+=/.test(word) && !STARTERS.test(word) && !SUBCOMMANDS.test(word)) isAfterProgram = true;
    return safe;
  });
}

/** A word without its quotes. What stands before them is `opening`, as in `--key='…'` and `-p'…'`. */
function unquoted(word: string): {
  readonly opening: string;
  readonly quote: string;
  readonly inner: string;
} {
  const [, opening = "", quote = "", inner = word] = /^((?:[\w-]+=|-[pP])?)(["'])(.*)\2$/s.exec(word) ?? [];
  return { opening, quote, inner };
}

const beginsSecret = (word: string, before: string): boolean =>
  unquoted(word).quote === "" &&
  ((SECRET_NAME.test(before) && isOptionValue({ arg: word, before })) ||
    (CREDENTIAL_OPTION.test(before) && /^[A-Za-z][\w-]*:$/.test(word)));

function hideInWord(word: string, before: string, isAfterProgram: boolean, hiding: Hiding): string {
  const { opening, quote, inner } = unquoted(word);
  const arg = `${opening}${inner}`;
  const isSecret = SECRET_NAME.test(before) && isOptionValue({ arg, before });
  const isLine = quote !== "" && opening === "" && isCommandLine(inner);
  const safe =
    isLine && !isSecret && !CREDENTIAL_OPTION.test(before)
      ? hideInCommandLine(inner, hiding)
      : hideInArgument(
          { arg, before, isAfterProgram, isOfPackage: false, isQuoted: /\s/.test(word) },
          hiding,
        );
  if (quote === "") return safe;
  return safe.startsWith(opening) ? `${opening}${quote}${safe.slice(opening.length)}${quote}` : safe;
}

/** Options that a header follows, or a user with a password. */
const CREDENTIAL_OPTION = /^(?:-H|--?headers?|-u|--user|--basic)$/;

/** `--level=debug` says what is started; `-e NAME=value` is a variable, and judged as one. */
const isKeptPair = (key: string, value: string): boolean =>
  key.startsWith("-")
    ? isOnlyVariables(value) || isPlainValue(key, value) || !(SECRET_NAME.test(key) || isTelling(value))
    : isHarmless(key, value);

const isTelling = (value: string): boolean =>
  holdsCredentials(value) || looksSecret(value) || /^[A-Za-z-]{3,}: ?[^/\\]/.test(value);

/** An address with a user, a password or a query, whatever its scheme; an assignment or JSON in a longer argument. */
const holdsCredentials = (text: string): boolean =>
  /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#]*@|[^?#]*[?#]\S)/i.test(text) ||
  /\b\w*(?:key|token|secret|passw(?:or)?d|pwd)=[^\s$]/i.test(text) ||
  /["'](?:[^"']*(?:key|token|secret|passw|pwd|auth|cred)[^"']*|pass|pw|pat)["']\s*:\s*["'][^"'$]/i.test(
    text,
  ) ||
  USER_AT_HOST.test(text);

/** `user:password@host`, and `user/password@host:1521`; an image's digest and an alias of npm are none. */
const USER_AT_HOST =
  /^(?:\/\/)?(?!npm:|mailto:)(?:[a-z]+:)*[^\s:/@]+(?::[^\s/@$]+@[\w.-]+(?::\d{1,5})?(?:\/|$)|\/[^\s/@$]+@[\w.-]+:\d{1,5}\b)/i;

function wishOf(key: string, hiding: Hiding): string {
  const name = key.replace(/^-+/, "");
  return key.startsWith("-") ? prefixed(hiding, name) : name;
}
