/** Variables that a known server has to be started with, so that what its pack says of its tools is true. */
import type { Transport } from "./recognise.ts";

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
