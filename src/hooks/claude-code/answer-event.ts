/** Answers an event as the text that the hook prints. An error becomes an answer to the agent. */

import { answerFailure, type HookAnswer } from "../../adapters/claude-code/hook-answer.ts";
import {
  type HookEvent,
  PROMPT_EVENT,
  type PromptEvent,
  parseHookEvent,
  parsePromptEvent,
} from "../../adapters/claude-code/hook-event.ts";
import { parseJson } from "../../json/parse-json.ts";
import { propertyOf, textIn } from "../../json/plain-data.ts";
import { assertJsonDepth, parseStrictJson } from "../../json/strict-json.ts";
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
  const loose = parseLoosely(text);
  let heard = unread(textIn(loose, "hook_event_name") ?? NAME.exec(text)?.[1]);
  let answer: HookAnswer;
  try {
    const event = readEvent(text, loose);
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

/** In an event that can't be parsed: the agent writes it before anything of a tool. */
const NAME = /"hook_event_name"\s*:\s*"(\w+)"/;

/** The kind of an unreadable event: the agent ignores an answer to an event of another kind. */
function unread(name: string | undefined): Pick<HookEvent, "name" | "response"> | PromptEvent {
  if (name === PROMPT_EVENT) return { name, conversation: null, cwd: "", prompt: "" };
  const isAfter = name === "PostToolUse" || name === "PostToolUseFailure";
  return { name: isAfter ? name : "PreToolUse", response: undefined };
}

/**
 * THREAT: a tool's result may contain JSON that a strict parser rejects. An event after a call is parsed loosely,
 * because only the call itself matters there, and it was parsed strictly before it ran.
 */
function readEvent(text: string, loose: unknown): HookEvent | PromptEvent {
  const prompt = parsePromptEvent(loose);
  if (prompt !== null) return prompt;
  const isAfter = propertyOf(loose, "hook_event_name") !== "PreToolUse";
  return parseHookEvent(isAfter && loose !== undefined ? loose : parseStrictJson(text));
}

/** Deeper JSON takes seconds to parse and to walk. */
const MAX_DEPTH = 1000;

function parseLoosely(text: string): unknown {
  try {
    assertJsonDepth(text, MAX_DEPTH);
    return parseJson(text);
  } catch {
    return undefined;
  }
}
