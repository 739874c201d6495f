/** The events of Claude Code's hook, from standard input. Their content isn't trusted. */
import { SluicegateError } from "../../errors/index.ts";
import { isJsonObject, type JsonObject } from "../../json/json-object.ts";

/** Events about calls: before a tool runs, after it did, after it failed. */
const HOOK_EVENTS = Object.freeze(["PreToolUse", "PostToolUse", "PostToolUseFailure"] as const);

type HookEventName = (typeof HOOK_EVENTS)[number];

/** The event before each prompt of a conversation, and so before its first call. */
export const PROMPT_EVENT = "UserPromptSubmit";

/** All events for which the hook is installed. */
export const INSTALLED_EVENTS: readonly string[] = [PROMPT_EVENT, ...HOOK_EVENTS];

/** A prompt before the model gets it. */
export interface PromptEvent {
  readonly name: typeof PROMPT_EVENT;
  /** The agent's id of the conversation; null if the event names none, or a subagent. */
  readonly conversation: string | null;
  readonly cwd: string;
  /** What the person wrote. */
  readonly prompt: string;
}

/** A call of one of the agent's own tools, before it runs or after. */
export interface HookEvent {
  readonly name: HookEventName;
  /** The agent's own id of the conversation. */
  readonly conversation: string;
  /** The agent's working folder, to which relative paths refer. */
  readonly cwd: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  /** The agent's own id of the call. */
  readonly use: string;
  /** Whether the tool failed, as far as is known. */
  readonly failed: boolean;
  /** The tool's result or error; undefined before it ran. */
  readonly response: unknown;
  /** The agent's own id of the subagent that calls; null for the agent itself. */
  readonly agent: string | null;
}

/** The agent chooses its ids; a principal's name contains only these characters. */
const ID = /^[\w.:-]{1,128}$/;
const MAX_NAME_LENGTH = 256;

/**
 * Parses an event.
 * @throws SluicegateError `invalid-request` for an unknown event.
 */
export function parseHookEvent(document: unknown): HookEvent {
  if (!isJsonObject(document)) throw broken("It isn't a JSON object.");
  const name = HOOK_EVENTS.find((known) => known === own(document, "hook_event_name"));
  if (name === undefined) throw broken("Its `hook_event_name` is none that this hook is for.");
  const [conversation, use] = ["session_id", "tool_use_id"].map((key) => own(document, key));
  if (typeof conversation !== "string" || !ID.test(conversation)) throw broken("It has no `session_id`.");
  if (typeof use !== "string" || !ID.test(use)) throw broken("It has no `tool_use_id`.");
  const [cwd, tool, input] = ["cwd", "tool_name", "tool_input"].map((key) => own(document, key));
  if (!isFolder(cwd))
    throw broken("Its `cwd` isn't an absolute path of at most 4,096 characters and 255 folders.");
  if (typeof tool !== "string" || tool === "" || tool.length > MAX_NAME_LENGTH)
    throw broken("It has no `tool_name`.");
  if (!isJsonObject(input)) throw broken("Its `tool_input` isn't a JSON object.");
  const response = own(document, name === "PostToolUseFailure" ? "error" : "tool_response");
  const agent = own(document, "agent_id");
  const failed = name === "PostToolUseFailure" || saysError(response);
  return {
    name,
    conversation,
    cwd,
    tool,
    arguments: input,
    use,
    failed,
    response,
    agent: typeof agent === "string" ? agent : null,
  };
}

/**
 * Parses a prompt; null for another event.
 * @throws SluicegateError `invalid-request` for a prompt without a working folder.
 */
export function parsePromptEvent(document: unknown): PromptEvent | null {
  if (!isJsonObject(document) || own(document, "hook_event_name") !== PROMPT_EVENT) return null;
  const cwd = own(document, "cwd");
  if (!isFolder(cwd))
    throw broken("Its `cwd` isn't an absolute path of at most 4,096 characters and 255 folders.");
  const prompt = own(document, "prompt");
  const [id, agent] = [own(document, "session_id"), own(document, "agent_id")];
  const conversation = typeof id === "string" && ID.test(id) && agent === undefined ? id : null;
  return { name: PROMPT_EVENT, conversation, cwd, prompt: typeof prompt === "string" ? prompt : "" };
}

const isFolder = (cwd: unknown): cwd is string =>
  typeof cwd === "string" && cwd.startsWith("/") && cwd.length <= 4096 && cwd.split("/").length <= 256;

/** Two ways in which tools report an error in their results. */
const saysError = (response: unknown): boolean =>
  isJsonObject(response) && (own(response, "is_error") === true || own(response, "isError") === true);

const own = (object: JsonObject, key: string): unknown =>
  Object.hasOwn(object, key) ? object[key] : undefined;

const broken = (why: string): SluicegateError =>
  new SluicegateError("invalid-request", "The hook was given something that is no event of a tool.", {
    why,
    fix: "Let the agent start the hook as `sluicegate hook install claude-code` set it up, and update both.",
  });
