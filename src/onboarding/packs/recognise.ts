/**
 * Which published server a configuration starts or reaches. The name that somebody gave it in a configuration says
 * nothing; what counts is the package, the image, the installed program or the address that will really be used.
 * THREAT: a line may look like a known one and start another: by an option that this doesn't know, a version that
 * is an address, a variable that changes where packages come from. Then nothing is recognised.
 */

/** How a server is reached, as policies say it. */
export type Transport =
  | {
      readonly kind: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    }
  | { readonly kind: "http"; readonly url: string };

/** What is started or reached. */
export interface Origin {
  readonly kind: "npm" | "pypi" | "image" | "program" | "url";
  /** A package or an image without its version, a program's name, or `https://host/path`. */
  readonly name: string;
}

/** Where the server comes from; null if that can't be determined for certain. */
export function originOf(transport: Transport): Origin | null {
  if (transport.kind === "http") return fromUrl(transport.url);
  const { command, args, env } = transport;
  if (Object.entries(env).some(([name, value]) => changesCode(name, value))) return null;
  if (isPlainName(command)) return fromLauncher(plainName(command), args);
  return fromModules(command);
}

/** Variables by which another program, package or library is loaded, or other settings that say so are found. */
const CHANGES_CODE =
  /^(NODE_(?!ENV$).*|BASH_ENV|ENV|SHELL|COMSPEC|SYSTEMROOT|PATH|PATHEXT|LD_.*|DYLD_.*|PYTHON.*|PIP_.*|PIPX_.*|UV_.*|VIRTUAL_ENV|npm_config_.*|yarn_.*|pnpm_.*|COREPACK_.*|BUN_.*|DENO_.*|GIT_(?!AUTHOR_|COMMITTER_).*|DOCKER_.*|CONTAINERS?_.*|HOME|USERPROFILE|(LOCAL)?APPDATA|PROGRAMDATA|XDG_.*|PREFIX|GLIBC_TUNABLES|SSL_CERT_.*|HTTPS?_PROXY|ALL_PROXY)$/i;

/** Git's settings may name programs; those that a pack asks for name none. */
const changesCode = (name: string, value: string): boolean =>
  CHANGES_CODE.test(name) && !(Object.hasOwn(GIT_ENVIRONMENT, name) && GIT_ENVIRONMENT[name] === value);

const isPlainName = (command: string): boolean => /^[A-Za-z0-9._-]+$/.test(command);
const plainName = (command: string): string => command.replace(/\.(cmd|exe)$/i, "");

function fromLauncher(command: string, args: readonly string[]): Origin | null {
  const launcher = LAUNCHERS.get(command);
  return launcher === undefined ? { kind: "program", name: command } : launcher(args);
}

const HARMLESS = /^(-y|--yes|-q|--quiet|--)$/;
const npx = (args: readonly string[]): Origin | null => fromNpm(args, HARMLESS);
const after =
  (words: readonly string[], next: (args: readonly string[]) => Origin | null) =>
  (args: readonly string[]): Origin | null =>
    words.every((word, index) => args[index] === word) ? next(args.slice(words.length)) : null;

const LAUNCHERS: ReadonlyMap<string, (args: readonly string[]) => Origin | null> = new Map([
  ["npx", npx],
  ["bunx", npx],
  ["pnpm", after(["dlx"], npx)],
  ["yarn", after(["dlx"], npx)],
  ["npm", after(["exec"], npmExec)],
  ["uvx", (args) => fromPypi(args)],
  ["uv", after(["tool", "run"], fromPypi)],
  ["pipx", after(["run"], fromPypi)],
  ["docker", after(["run"], fromImage)],
  ["podman", after(["run"], fromImage)],
  ["node", ([script = ""]) => fromModules(script)],
  ["cmd", after(["/c"], fromCommandLine)],
  ...["deno", "bun", "python", "python3", "sh", "bash", "zsh", "powershell", "pwsh", "env", "sudo"].map(
    (name): [string, () => null] => [name, () => null],
  ),
]);

/** Takes its options behind the package's name too, up to a `--`. */
function npmExec(args: readonly string[]): Origin | null {
  const end = args.indexOf("--");
  const own = end < 0 ? args : args.slice(0, end);
  return own.some((arg) => arg.startsWith("-") && !HARMLESS.test(arg)) ? null : npx(args);
}

/** A line of a shell that starts more than one program by `&` and the like, or another by a variable. */
function fromCommandLine(args: readonly string[]): Origin | null {
  const [command = "", ...rest] = args;
  return args.some((arg) => /[&|<>^%!"()\r\n]/.test(arg)) ? null : fromLauncher(plainName(command), rest);
}

/** What follows a package's name as its version: never a place that it is fetched from. */
const VERSION = /^(?:@[A-Za-z0-9][A-Za-z0-9.+_~^-]*)?$/;

function fromNpm(args: readonly string[], harmless: RegExp): Origin | null {
  const [first, ...rest] = skipHarmless(args, harmless);
  const [, name = "", version = ""] = /^((?:@[a-z0-9._-]+\/)?[a-z0-9._-]+)(@.*)?$/.exec(first ?? "") ?? [];
  if (name === "" || !VERSION.test(version)) return null;
  // A bridge to a server elsewhere: that one is what answers.
  if (name === "mcp-remote") return rest[0] === undefined ? null : fromUrl(rest[0]);
  return { kind: "npm", name };
}

function fromPypi(args: readonly string[]): Origin | null {
  const [first] = skipHarmless(args, /^(-q|--quiet|--)$/);
  const [, name = "", version = ""] = /^([A-Za-z0-9._-]+)([=@].*)?$/.exec(first ?? "") ?? [];
  if (name === "" || !/^(?:(?:==|@)[A-Za-z0-9][A-Za-z0-9.+_-]*)?$/.test(version)) return null;
  return { kind: "pypi", name: name.toLowerCase().replaceAll(/[._-]+/g, "-") };
}

const VALUED = /^(-e|--env|-v|--volume|--mount|--name|--network)$/;
/** Where an image has data. What is put anywhere else may be another program in the place of its own. */
const DATA = /^\/(?:projects|data|mcp|mnt|workspaces?)(?:\/(?!\.\.?(?:\/|$))[^/]*)*$/;
const FLAG = /^(-i|-t|-it|-ti|--rm|--init|--interactive|--(env|name|network|volume|mount)=.*|--pull=[a-z]+)$/;

function fromImage(args: readonly string[]): Origin | null {
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    const isOption = VALUED.test(arg) || FLAG.test(arg);
    if (!isOption) return parseImage(arg);
    const [, name = "", joined] = /^(-[a-z]|--[a-z]+)(?:=(.*))?$/s.exec(arg) ?? [];
    const given = VALUED.test(arg) ? (rest.shift() ?? "") : (joined ?? "");
    if (changesImage(name, given)) return null;
  }
  return null;
}

/** Whether an option's value loads other code than the image has. */
function changesImage(option: string, given: string): boolean {
  if (option === "-e" || option === "--env") {
    const [, name = "", value = ""] = /^([^=]*)(?:=(.*))?$/s.exec(given) ?? [];
    return changesCode(name, value);
  }
  if (option === "-v" || option === "--volume") return !DATA.test(targetOfVolume(given));
  if (option !== "--mount") return false;
  const targets = given.split(",").filter((part) => /^(?:dst|destination|target)=/i.test(part));
  return targets.length !== 1 || !DATA.test(targets[0]?.replace(/^[^=]*=/, "") ?? "");
}

/** `SOURCE:TARGET` or `SOURCE:TARGET:ro`, where a source of Windows begins with a letter and a colon. */
const targetOfVolume = (given: string): string =>
  /^(?:[A-Za-z]:[\\/])?[^:]*:([^:]*)(?::[a-zA-Z,]*)?$/.exec(given)?.[1] ?? "";

function parseImage(text: string): Origin | null {
  const [, name] = /^([a-z0-9][a-z0-9._/-]*)(?::[\w.-]+)?(?:@sha256:[0-9a-f]{64})?$/.exec(text) ?? [];
  return name === undefined ? null : { kind: "image", name: name.replace(/^docker\.io\//, "") };
}

/**
 * A file of an installed package: `/…/node_modules/@scope/name/…`. Of nested ones the innermost is started.
 * THREAT: a project may bring a folder of this name. Its configuration can name that by a relative path only.
 */
function fromModules(path: string): Origin | null {
  if (!/^(?:\/|[A-Za-z]:[\\/])/.test(path)) return null;
  const parts = path.split(/[\\/]/);
  const at = parts.lastIndexOf("node_modules");
  const [scope = "", name = ""] = parts.slice(at + 1);
  if (at < 0 || parts.includes("..") || scope === "") return null;
  if (scope === ".bin") return name === "" ? null : { kind: "program", name: plainName(name) };
  return { kind: "npm", name: scope.startsWith("@") ? `${scope}/${name}` : scope };
}

function fromUrl(text: string): Origin | null {
  const url = URL.parse(text);
  if (url === null || url.protocol !== "https:" || url.username !== "" || url.password !== "") return null;
  if (url.port !== "") return null;
  return { kind: "url", name: `https://${url.hostname}${url.pathname.replace(/\/+$/, "")}` };
}

function skipHarmless(args: readonly string[], harmless: RegExp): readonly string[] {
  const start = args.findIndex((arg) => !harmless.test(arg));
  return start < 0 ? [] : args.slice(start);
}

type Stdio = Extract<Transport, { kind: "stdio" }>;

/**
 * THREAT: git runs what a repository's settings name, and which repository that is, a call says. A folder of ordinary
 * files, as any clone may hold, is a repository to git unless bare ones have to be named as such.
 */
export const GIT_ENVIRONMENT: Readonly<Record<string, string>> = Object.freeze({
  GIT_CONFIG_COUNT: "2",
  GIT_CONFIG_KEY_0: "safe.bareRepository",
  GIT_CONFIG_VALUE_0: "explicit",
  GIT_CONFIG_KEY_1: "core.fsmonitor",
  GIT_CONFIG_VALUE_1: "false",
});

/** The server started with these variables besides its own; in its container, where it is an image. */
export function startedWith<Server extends Stdio>(
  transport: Server,
  environment: Readonly<Record<string, string>>,
  isImage: boolean,
): Server {
  const missing = Object.entries(environment).filter(
    ([name, value]) => !has(transport, name, value, isImage),
  );
  if (!isImage) return { ...transport, env: { ...transport.env, ...Object.fromEntries(missing) } };
  const at = transport.args.indexOf("run") + 1;
  const options = missing.flatMap(([name, value]) => ["-e", `${name}=${value}`]);
  return { ...transport, args: [...transport.args.slice(0, at), ...options, ...transport.args.slice(at)] };
}

/** Whether it is started with all of these variables. */
export const isStartedWith = (
  transport: Stdio,
  environment: Readonly<Record<string, string>>,
  isImage: boolean,
): boolean => Object.entries(environment).every(([name, value]) => has(transport, name, value, isImage));

function has({ args, env }: Stdio, name: string, value: string, isImage: boolean): boolean {
  if (!isImage) return Object.hasOwn(env, name) && env[name] === value;
  const pair = `${name}=${value}`;
  return args.some(
    (arg, at) => arg === `--env=${pair}` || (arg === pair && /^(?:-e|--env)$/.test(args[at - 1] ?? "")),
  );
}
