/**
 * Takes what may be secret out of what is to be written into a policy: each becomes a variable of the env file.
 * THREAT: a policy is committed and sent around, and a secret that is missed here is out. So every value of a variable
 * and of a header goes, and every argument but a plain option, path, package, host or word.
 */
import type { FoundTransport } from "../configurations/read-configuration.ts";
import { variablesIn } from "../configurations/variables.ts";
import { isImageOption, programIndex, SECRET_NAME } from "./started-program.ts";

/** A variable that stands for something that was taken out. */
export interface Hidden {
  readonly name: string;
  readonly value: string;
  /** Where it was, as in "`env.GITHUB_TOKEN`". */
  readonly where: string;
}

interface HiddenTransport {
  readonly transport: FoundTransport;
  readonly hidden: readonly Hidden[];
}

/** Puts a variable in a value's place; the server's id begins its name, unless it has one of its own. */
type Hide = (value: string, name: string, where: string, isOwnName?: boolean) => string;

/** The same server without its secrets. `server` is its id. */
export function hideSecrets(
  transport: FoundTransport,
  server: string,
  nameVariable: NameVariable,
): HiddenTransport {
  const hidden: Hidden[] = [];
  const hide: Hide = (value, wish, where, isOwnName = false) => {
    if (value === "" || isOnlyVariables(value)) return value;
    const name = nameVariable(isOwnName ? wish : `${server}_${wish}`, value);
    if (hidden.every((one) => one.name !== name)) hidden.push({ name, value, where });
    return `\${${name}}`;
  };
  const safe = transport.kind === "http" ? hideInHttp(transport, hide) : hideInStdio(transport, hide);
  return { transport: safe, hidden };
}

/** A text of variables alone holds no secret. */
const isOnlyVariables = (text: string): boolean =>
  variablesIn(text).length > 0 &&
  /^(?:[A-Za-z]+ )?$/.test(text.replaceAll(/\$\{[A-Za-z_][A-Za-z0-9_]*\}/g, ""));

type Stdio = Extract<FoundTransport, { kind: "stdio" }>;
type Http = Extract<FoundTransport, { kind: "http" }>;

function hideInHttp({ url, headers }: Http, hide: Hide): FoundTransport {
  const safe = hideAll(headers, (key, value) => hide(value, key, `headers.${key}`));
  const parsed = URL.parse(url);
  if (parsed === null || (parsed.username === "" && parsed.password === ""))
    return { kind: "http", url: hideInUrl(url, hide), headers: safe };
  // A policy's addresses hold no user and no password; they go into a header.
  const credentials = Buffer.from(`${decode(parsed.username)}:${decode(parsed.password)}`).toString("base64");
  parsed.username = "";
  parsed.password = "";
  const authorization = `Basic ${hide(credentials, "BASIC", "the user and password in `url`, in base64")}`;
  return { kind: "http", url: hideInUrl(parsed.href, hide), headers: { authorization, ...safe } };
}

const hideAll = (
  record: Readonly<Record<string, string>>,
  hideOne: (key: string, value: string) => string,
): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, hideOne(key, value)]));

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** An address keeps its host, and its path where that is of plain words and versions alone. */
function hideInUrl(url: string, hide: Hide): string {
  const [, origin = "", path = "", sign = "", query = ""] =
    /^(https?:\/\/[^/?#@\s${}]+)([^?#]*)([?#]?)(.*)$/s.exec(url) ?? [];
  if (origin === "") return hide(url, "URL", "url");
  const segments = path
    .split("/")
    .map((one) => (PLAIN_SEGMENT.test(one) ? one : hide(one, "URL_PATH", "a part of `url`")));
  return `${origin}${segments.join("/")}${sign}${hide(query, "URL_QUERY", "the query of `url`")}`;
}

const PLAIN_SEGMENT =
  /^(?:[a-z]{1,20}(?:[-_.][a-z]{1,20})*\d{0,2}|[A-Z]?[a-z]{1,20}|v?\d{1,3}(?:\.\d{1,3}){0,2})?$/;

function hideInStdio(transport: Stdio, hide: Hide): FoundTransport {
  const { command, args, env } = transport;
  const program = programIndex(transport);
  const isProgram = !/\s/.test(command) || (PATH.test(command) && !/\s--?[A-Za-z]/.test(command));
  return {
    ...transport,
    command: isProgram ? command : hide(command, "COMMAND", "`command`"),
    args: args.map((arg, index) => {
      const before = args[index - 1] ?? "";
      if (isImageOption(transport, before) && /^[\w.,:/\\~=-]+$/.test(arg)) return arg;
      const isStarted = index <= program && !namesSecret(before) && !/^-[uH]$/.test(before);
      return isStarted && isStartedPlainly(arg) ? arg : hideInArgument(arg, before, hide);
    }),
    env: hideAll(env, (key, value) => hide(value, key, `env.${key}`, true)),
  };
}

/** What names a program, a package or an image, or is an option of what starts it: no line, no pair, no password. */
const isStartedPlainly = (arg: string): boolean =>
  !/[\s"'`{}=?#]|:\/\/[^/]*@/.test(arg) && !looksRandom(arg.replace(/@sha256:[0-9a-f]+$/, ""));

/** `before` is the argument before it. */
function hideInArgument(arg: string, before: string, hide: Hide): string {
  // Another pair may be a part of a secret, such as base64 with its padding.
  const [, option = "", given = ""] = /^(--?[A-Za-z][A-Za-z_-]*)=(.*)$/s.exec(arg) ?? [];
  if (VARIABLE_OPTION.test(option)) return `${option}=${hideInVariable(given, hide)}`;
  if (option !== "")
    return `${option}=${hideValue(given, nameOf(option), `the argument \`${option}\``, hide)}`;
  if (VARIABLE_OPTION.test(before)) return hideInVariable(arg, hide);
  const isBehindFlag = isFlag(before);
  if (isFlag(arg) && !(isBehindFlag && /^-[^-]./.test(arg))) return arg;
  if (isBehindFlag) return hideValue(arg, nameOf(before), `the argument after \`${before}\``, hide);
  const isOfSecret = namesSecret(before);
  if (/^[A-Z_][A-Z0-9_]*=(?!=*$)/.test(arg) && !isOfSecret) return hideInVariable(arg, hide);
  if (/^[a-z]+(?:-[a-z]+)*$/.test(arg) && !isOfSecret) return arg;
  return isOfSecret ? hide(arg, "ARGUMENT", "an argument") : hideValue(arg, "ARGUMENT", "an argument", hide);
}

/** Whether an argument says that the next one is a secret; the name of a variable says nothing of it. */
const namesSecret = (arg: string): boolean => /^[-a-z]/.test(arg) && SECRET_NAME.test(arg);
const VARIABLE_OPTION = /^(?:-e|--env|--build-arg)$/;
const nameOf = (option: string): string => option.replace(/^-+/, "");

/** `NAME=value`, or `NAME` alone. */
function hideInVariable(arg: string, hide: Hide): string {
  const [, name = "", sign = "", value = ""] = /^([A-Z_][A-Z0-9_]*)(=?)(.*)$/s.exec(arg) ?? [];
  if (name === "" || (sign === "" && value !== "")) return hide(arg, "ARGUMENT", "an argument");
  return `${name}${sign}${hide(value, name, `the argument \`${name}\``, true)}`;
}

/** What an option is given, or stands by itself: kept where it is a path, a package or a host. */
function hideValue(value: string, name: string, where: string, hide: Hide): string {
  const plain = SECRET_NAME.test(name) ? [PATH] : [PATH, PACKAGE, HOST];
  // Folders are named with hyphens, and keys in paths are without as a rule.
  if (plain.some((pattern) => pattern.test(value)) && !looksRandom(value.replaceAll("-", "/"))) return value;
  if (/^https?:\/\/[^/?#@\s${}]+(?:[/?#]|$)/i.test(value)) return hideInUrl(value, hide);
  return hide(value, name, where);
}

const isFlag = (arg: string): boolean => /^(?:-[A-Za-z]{1,2}|-[a-oq-z][a-z-]+|--[a-z][a-z-]*)$/.test(arg);
const PATH =
  /^(?:\.{1,2}|~|(?:(?:\.{0,2}|~)\/(?!\/)|[A-Za-z]:[\\/]|\.{0,2}\\)(?:[^=@;&|`$<>"'\s]|[ ](?!-))*)$/;
const PACKAGE =
  /^(?:npm:)?(?:@?[a-z0-9][a-z0-9._-]*\/[a-z0-9._/-]+(?:@[\w.^~-]+)?|[a-z][a-z-]*@v?\d[\w.-]*)$/;
const HOST = /^(?!-)(?:[a-z][a-z.-]*@)?(?:localhost|[a-z0-9-]+(?:\.[a-z0-9-]+)+)(?::\d{1,5})?$/;
/** Whether a text has a run of letters and digits such as keys are made of. */
const looksRandom = (text: string): boolean =>
  (text.match(/[\w+-]{20,}/g) ?? []).some(
    (run) => /(?:\d\D*){4}/.test(run) || (/\d/.test(run) && /[a-z]/.test(run) && /[A-Z]/.test(run)),
  );

/** Gives a secret its variable's name; the same secret under one wish gets the same. */
type NameVariable = (wish: string, value: string) => string;

interface TakenNames {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What an env file has already. */
  readonly kept: ReadonlyMap<string, string>;
  /** Names that configurations ask for. */
  readonly asked: ReadonlySet<string>;
}

/** Names variables so that each stands for one value, and for none that the environment has otherwise. */
export function createVariableNames({
  environment,
  kept,
  asked,
}: TakenNames): (server: string) => NameVariable {
  const values = new Map<string, string>();
  return (server) => (wish, value) => {
    const wanted = toName(wish);
    const isFree = (name: string): boolean => {
      const own = environment[name];
      // THREAT: a project's configuration may ask for `${GITHUB_TOKEN}`, and must not get what another one holds.
      if (asked.has(name) && own !== value) return false;
      return [values.get(name), own, kept.get(name)].every((taken) => taken === undefined || taken === value);
    };
    const names = [wanted, toName(`${server}_${wanted}`)];
    let name = names.find(isFree);
    for (let next = 2; name === undefined; next += 1) {
      const numbered = `${names[1]}_${next}`;
      if (isFree(numbered)) name = numbered;
    }
    values.set(name, value);
    return name;
  };
}

function toName(wish: string): string {
  const name = wish
    .toUpperCase()
    .replaceAll(/[^A-Z0-9_]+/g, "_")
    .slice(0, 64);
  return /^[A-Z_]/.test(name) && !RESERVED.test(name) ? name : `MCP_${name}`;
}

// THREAT: the gateway's own secrets are called `SLUICEGATE_…`, and must reach no server. The others change what a program
// runs, and an env file may be given to a whole program, as with `node --env-file`.
const RESERVED =
  /^(?:SLUICEGATE_|LD_|DYLD_|NODE_(?:OPTIONS|PATH|EXTRA_CA_CERTS|TLS_)|NPM_CONFIG_|BASH_|SHELLOPTS$|PYTHON|PERL5|RUBY(?:LIB|OPT)|JAVA_|GIT_(?:SSH|CONFIG|EXEC)|SSL_CERT_|(?:HTTPS?|ALL|NO)_PROXY$|(?:ENV|PATH|HOME|IFS|PS4|PROMPT_COMMAND)$)/;
