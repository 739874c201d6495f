/** Answers an event as the text that the hook prints. An error becomes an answer to the agent. */

import { answerFailure, type HookAnswer } from "../../adapters/claude-code/hook-answer.ts";
import {
  type HookEvent,
  PROMPT_EVENT,
  type PromptEvent,
  parseHookEvent,
  parsePromptEvent,
} from "../../adapters/claude-code/hook-event.ts";
import { propertyOf } from "../../json/plain-data.ts";
import { parseStrictJson } from "../../json/strict-json.ts";
import { answerHook } from "./answer-hook.ts";
import { answerPrompt } from "./answer-prompt.ts";
import type { HookGate } from "./hook-gate.ts";
import type { HookSettings } from "./hook-settings.ts";

/** The answer, as JSON. Never rejects. Calls `open` only after the event was parsed. */
export async function answerEvent(
  text: string,
  settings: HookSettings,
  open: () => HookGate | Promise<HookGate>,
  signal?: AbortSignal,
): Promise<string> {
  let heard = unread(text);
  let answer: HookAnswer;
  try {
    const event = readEvent(text);
    heard = event;
    answer =
      event.name === PROMPT_EVENT
        ? await answerPrompt(await open(), event, settings)
        : await answerHook(await open(), event, settings, signal);
  } catch (cause) {
    answer = answerFailure(heard, cause);
  }
  return JSON.stringify(answer);
}

/** The kind of an unreadable event: the agent ignores an answer to an event of another kind. */
const unread = (text: string): Pick<HookEvent, "name" | "response"> | PromptEvent =>
  propertyOf(parseLoosely(text), "hook_event_name") === PROMPT_EVENT
    ? { name: PROMPT_EVENT, conversation: null, cwd: "", prompt: "" }
    : { name: "PreToolUse", response: undefined };

/**
 * THREAT: a tool's result may contain JSON that a strict parser rejects. An event after a call is parsed loosely,
 * because only the call itself matters there, and it was parsed strictly before it ran.
 */
function readEvent(text: string): HookEvent | PromptEvent {
  const loose = parseLoosely(text);
  const prompt = parsePromptEvent(loose);
  if (prompt !== null) return prompt;
  const isAfter = propertyOf(loose, "hook_event_name") !== "PreToolUse";
  return parseHookEvent(isAfter && loose !== undefined ? loose : parseStrictJson(text));
}

function parseLoosely(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
