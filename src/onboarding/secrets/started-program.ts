/** Which of a command's words name the program that is started in the end, and which tell a secret. */
import type { FoundTransport } from "../configurations/read-configuration.ts";

type Stdio = Extract<FoundTransport, { kind: "stdio" }>;

/** Programs that start the one that their arguments name. */
const STARTERS =
  /^(?:npx|bunx|npm|pnpm|yarn|uvx|uv|pipx|docker|podman|node|deno|bun|python[\d.]*|ruby|perl|php|env|sudo|cmd|powershell|pwsh|(?:ba|z|da|k|fi)?sh)(?:\.exe|\.cmd)?$/i;
const SUBCOMMANDS = /^(?:exec|dlx|tool|run|x|create)$/;
/** Those of them that start packages and nothing else. */
const PACKAGE_STARTERS = /^(?:npx|bunx|npm|pnpm|yarn|uvx|uv|pipx)(?:\.exe|\.cmd)?$/i;

const programName = ({ command }: Stdio): string => command.split(/[\\/]/).at(-1) ?? "";

const startsPackage = (transport: Stdio): boolean => PACKAGE_STARTERS.test(programName(transport));

const IMAGE_STARTERS = /^(?:docker|podman)(?:\.exe)?$/i;
const VALUED_BY_IMAGE =
  /^(?:-[evpuwl]|--(?:env|volume|mount|name|network|publish|user|workdir|label|entrypoint))$/;

/** Whether what follows this option says how an image is started, and what of this machine it sees. */
export const isImageOption = (transport: Stdio, option: string): boolean =>
  IMAGE_STARTERS.test(programName(transport)) && /^(?:-v|--volume|--mount|--name|--network)$/.test(option);

/** Where among the arguments the program stands that is started; -1: it is the command. */
export function programIndex(transport: Stdio): number {
  const { args } = transport;
  if (!STARTERS.test(programName(transport))) return -1;
  const isImage = IMAGE_STARTERS.test(programName(transport));
  const isProgram = (arg: string, index: number): boolean =>
    !/^-|^\w+=/.test(arg) &&
    !SUBCOMMANDS.test(arg) &&
    !(isImage && VALUED_BY_IMAGE.test(args[index - 1] ?? ""));
  const index = args.findIndex(isProgram);
  return index < 0 ? args.length : index;
}

/** A name of something that is kept secret, whatever stands around it. */
export const SECRET_NAME =
  /key|token|secret|(?<!com|by)pass|pwd|login|(?:^|[_-])(?:pw|pat|access|user|basic)$|mnemonic|seed[_-]?phrase|pin$|code$|otp|auth|cred|cookie|session|dsn|connection|conn_?str|webhook|private|signature|salt|bearer|license|psk|jwt/i;

const MASK = "…";

/**
 * The command's words as they are shown to a person who is asked whether it may start, with `…` for what is plainly a
 * secret and no part of what runs. THREAT: a project that was cloned chose the command, so nothing that could run is
 * hidden as a secret: only a value that stands behind the program under a secret's name, and is one word that no shell
 * reads or several plain ones.
 */
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
