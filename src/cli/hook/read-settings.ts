/**
 * The words of a hook's command line. Part of the way that every call of an agent takes, so nothing but Node is
 * loaded for it.
 */
import { resolve } from "node:path";
import { defaultStoreOf } from "../../gateway/state/state-files.ts";
import { agentEnvironment } from "../../hooks/claude-code/agent-environment.ts";
import type { HookSettings } from "../../hooks/claude-code/hook-settings.ts";

/** How long a call is held where nothing is said; agents give a hook a minute unless they are told otherwise. */
const USUAL_WAIT_SECONDS = 50;
export const MAX_WAIT_SECONDS = 3600;

/** The settings, or what is wrong with the words, in a sentence. */
export function readSettings(args: readonly string[], cwd: string): HookSettings | string {
  const given = readWords(args);
  if (typeof given === "string") return given;
  const config = resolve(cwd, given.get("--config") ?? "sluicegate.yaml");
  const unlisted = given.get("--unlisted") ?? "policy";
  if (unlisted !== "policy" && unlisted !== "defer" && unlisted !== "pass")
    return "`--unlisted` is `policy`, `defer` or `pass`.";
  if (/^postgres(ql)?:/i.test(given.get("--store") ?? ""))
    return "A store in PostgreSQL is its gateway's alone: leave `--store` out, and the gateway that runs by this policy is asked.";
  const wait = given.get("--wait") ?? String(USUAL_WAIT_SECONDS);
  if (!/^\d{1,4}$/.test(wait) || Number(wait) > MAX_WAIT_SECONDS)
    return `\`--wait\` is a whole number of seconds up to ${MAX_WAIT_SECONDS}.`;
  return {
    config,
    store: storeOf(given.get("--store"), config, cwd),
    role: given.get("--role") ?? null,
    unlisted,
    waitSeconds: Number(wait),
    environment: agentEnvironment(process.env),
    settings: absolute(given.get("--settings"), cwd),
  };
}

/** The options by their names, or what is wrong. */
function readWords(args: readonly string[]): ReadonlyMap<string, string> | string {
  const given = new Map<string, string>();
  // It has no effect here: the answer is JSON always.
  const words = args.filter((word) => word !== "--json");
  for (let at = 0; at < words.length; at += 2) {
    const [name = "", value] = [words[at], words[at + 1]];
    if (!KNOWN.has(name)) return `It has no option \`${name.replaceAll(/[^\w-]/g, "?").slice(0, 40)}\`.`;
    if (value === undefined || given.has(name)) return `\`${name}\` is given once, with a value.`;
    given.set(name, value);
  }
  return given;
}

const absolute = (path: string | undefined, cwd: string): string | null =>
  path === undefined ? null : resolve(cwd, path);

const storeOf = (store: string | undefined, config: string, cwd: string): string =>
  store === undefined ? defaultStoreOf(config) : resolve(cwd, store.replace(/^sqlite:/, ""));

const KNOWN: ReadonlySet<string> = new Set([
  ...["--config", "--store", "--role", "--unlisted", "--wait", "--settings"],
]);

/** The words again; from anywhere they mean the same. */
export const toWords = ({
  config,
  store,
  role,
  unlisted,
  waitSeconds,
  settings,
}: HookSettings): readonly string[] => [
  ...["--config", config],
  ...(store === defaultStoreOf(config) ? [] : ["--store", store]),
  ...(role === null ? [] : ["--role", role]),
  ...(unlisted === "policy" ? [] : ["--unlisted", unlisted]),
  ...(waitSeconds === USUAL_WAIT_SECONDS ? [] : ["--wait", String(waitSeconds)]),
  ...(settings === null ? [] : ["--settings", settings]),
];
