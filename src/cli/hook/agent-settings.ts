/** A hook in Claude Code's settings: put in, found again, taken out. Everything else in the file stays, byte for byte. */
import { INSTALLED_EVENTS } from "../../adapters/claude-code/hook-event.ts";
import { SluicegateError } from "../../errors/index.ts";
import { listIn, propertyOf, textIn } from "../../json/plain-data.ts";
import { parseStrictJson } from "../../json/strict-json.ts";
import { nodeAt, parsePlaces, unitOf, withoutPart, withPart } from "./json-text.ts";

/** A hook as it stands in the settings. */
export interface AgentHook {
  readonly command: string;
  /** Seconds that the agent waits for it. */
  readonly timeout: number;
}

/**
 * By this the agent's `Glob` leaves out what git ignores, as its `Grep` does; else it names ignored files at nearly
 * every call, and the hook asks each time.
 */
const LEAVES_OUT_IGNORED = { name: "CLAUDE_CODE_GLOB_NO_IGNORE", value: "false" };

/**
 * Claude Code from 2.1.295 on blocks the call then if the hook fails or is too late; earlier ones ignore this, and let
 * the call through.
 */
const FAILURE = { onFailure: "block" };

/** Whether a command is this hook, however it was set up. */
const isOurs = (command: string): boolean => OURS.test(command);
const OURS = /(?:^|[/\s])(?:sluicegate|start\.js|main\.ts)'? hook claude-code(?:\s|$)/;

/**
 * The settings with the hook before and after every tool, in place of an older one.
 * @throws SluicegateError `usage` for a text that is no JSON, or whose hooks aren't where they belong.
 */
export function withHook(text: string, hook: AgentHook): string {
  const clean = isEvery(text, hook) ? null : withoutHook(text);
  if (clean === null) return text;
  const begun = withVariable(clean.trim() === "" ? "{}\n" : clean);
  return INSTALLED_EVENTS.reduce((settings, event) => add(settings, event, hook), begun);
}

/** The settings without the hook; the same text where it isn't there. Throws as `withHook` does. */
export function withoutHook(text: string): string {
  let [before, after] = ["", text];
  // One at a time, since every place moves with it.
  while (before !== after) [before, after] = [after, withoutOne(after)];
  return after === text ? text : withoutVariable(after);
}

/** The hook's commands before a tool. Throws as `withHook` does. */
export const hookCommandsIn = (text: string): readonly string[] =>
  listIn(propertyOf(parse(text), "hooks"), "PreToolUse").flatMap((entry) =>
    listIn(entry, "hooks").flatMap((one) => {
      const command = textIn(one, "command") ?? "";
      return isOurs(command) ? [command] : [];
    }),
  );

/** Whether the hook stands there for every event, just so and once. */
function isEvery(text: string, hook: AgentHook): boolean {
  const settings = parse(text);
  return INSTALLED_EVENTS.every((event) => {
    const entries = listIn(propertyOf(settings, "hooks"), event);
    const own = entries.flatMap((entry) =>
      listIn(entry, "hooks").flatMap((one) => (isOurs(textIn(one, "command") ?? "") ? [{ entry, one }] : [])),
    );
    const [{ entry, one } = { entry: null, one: null }] = own;
    const isSame = Object.entries({ ...hook, ...FAILURE }).every(
      ([key, value]) => propertyOf(one, key) === value,
    );
    return own.length === 1 && isSame && textIn(entry, "matcher") === "*";
  });
}

function withVariable(text: string): string {
  const { name, value } = LEAVES_OUT_IGNORED;
  const env = propertyOf(parse(text), "env");
  if (env !== undefined && (!isObject(env) || propertyOf(env, name) !== undefined)) return text;
  return env === undefined
    ? put(text, [], { env: { [name]: value } })
    : put(text, ["env"], { [name]: value });
}

function withoutVariable(text: string): string {
  const { name, value } = LEAVES_OUT_IGNORED;
  const env = propertyOf(parse(text), "env");
  if (propertyOf(env, name) !== value) return text;
  return cutMember(text, isOnlyKey(env) ? ["env"] : ["env", name]);
}

function add(text: string, event: string, hook: AgentHook): string {
  const settings = parse(text);
  const hooks = propertyOf(settings, "hooks");
  const entry = { matcher: "*", hooks: [{ type: "command", ...hook, ...FAILURE }] };
  if (hooks === undefined) return put(text, [], { hooks: { [event]: [entry] } });
  if (propertyOf(hooks, event) === undefined) return put(text, ["hooks"], { [event]: [entry] });
  return put(text, ["hooks", event], entry);
}

/** Puts an item into a list, or the one member of an object into another. */
function put(text: string, keys: readonly string[], value: object): string {
  const root = parsePlaces(text);
  const node = nodeAt(root, keys);
  if (node === undefined) throw wrongShape();
  const unit = unitOf(text);
  const lines = JSON.stringify(value, null, unit).split("\n");
  const isMember = text[node.start] === "{";
  // A member is what stands between the braces of the object that brings it.
  const part = isMember ? lines.slice(1, -1).map((line) => line.slice(unit.length)) : lines;
  return withPart(text, node, part);
}

/** Takes one of ours out, with what is left empty by it. */
function withoutOne(text: string): string {
  const settings = parse(text);
  if (settings === undefined) return text;
  for (const event of INSTALLED_EVENTS) {
    const entries = listIn(propertyOf(settings, "hooks"), event);
    for (const [at, entry] of entries.entries()) {
      const own = listIn(entry, "hooks");
      const index = own.findIndex((one) => isOurs(textIn(one, "command") ?? ""));
      if (index < 0) continue;
      const path = ["hooks", event, String(at), "hooks", String(index)];
      const isAlone = [own.length === 1, entries.length === 1, isOnlyKey(propertyOf(settings, "hooks"))];
      return cut(text, path, isAlone);
    }
  }
  return text;
}

/** Cuts off the outermost part of a path that holds nothing else. */
function cut(text: string, path: readonly string[], [inEntry, inEvent, inHooks]: readonly boolean[]): string {
  const levels = [5, inEntry ? 3 : 5, inEntry && inEvent ? 2 : 5, inEntry && inEvent && inHooks ? 1 : 5];
  return cutMember(text, path.slice(0, Math.min(...levels)));
}

function cutMember(text: string, keys: readonly string[]): string {
  const holder = nodeAt(parsePlaces(text), keys.slice(0, -1));
  const index = holder?.parts?.findIndex(({ key }) => key === keys.at(-1)) ?? -1;
  return holder === undefined || index < 0 ? text : withoutPart(text, holder, index);
}

const isOnlyKey = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 1;

/** The settings; undefined for an empty file. */
function parse(text: string): unknown {
  if (text.trim() === "") return undefined;
  let settings: unknown;
  try {
    settings = parseStrictJson(text);
  } catch (cause) {
    throw new SluicegateError("usage", "The agent's settings can't be changed.", {
      why: "They are no plain JSON that is read in one way only: a comment, a comma too many or a key that stands there twice is enough.",
      fix: "Make them plain JSON, or name another file with `--settings`.",
      cause,
    });
  }
  const hooks = propertyOf(settings, "hooks");
  const lists = INSTALLED_EVENTS.map((event) => propertyOf(hooks, event));
  const isRight =
    isObject(settings) &&
    (hooks === undefined || isObject(hooks)) &&
    lists.every((list) => list === undefined || Array.isArray(list));
  if (!isRight) throw wrongShape();
  return settings;
}

const isObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const wrongShape = (): SluicegateError =>
  new SluicegateError("usage", "The agent's settings can't be changed.", {
    why: "Their `hooks` aren't an object with a list for each event, as the agent's are.",
    fix: "Fix the file, or name another one with `--settings`.",
  });
