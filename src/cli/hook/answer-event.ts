/** An event as it came, answered as it is printed: what is broken on the way is told to the agent. */

import { answerFailure, type HookAnswer } from "../../adapters/claude-code/hook-answer.ts";
import { type HookEvent, parseHookEvent } from "../../adapters/claude-code/hook-event.ts";
import { parseStrictJson } from "../../gateway/strict-json.ts";
import { propertyOf } from "../plain-data.ts";
import { answerHook } from "./answer-hook.ts";
import type { HookGate } from "./hook-gate.ts";
import type { HookSettings } from "./hook-settings.ts";

/** The answer, as JSON. Never rejects. `open` is asked once the event is known to be one. */
export async function answerEvent(
  text: string,
  settings: HookSettings,
  open: () => HookGate | Promise<HookGate>,
  signal?: AbortSignal,
): Promise<string> {
  let heard: Pick<HookEvent, "name" | "response"> = { name: "PreToolUse", response: undefined };
  let answer: HookAnswer;
  try {
    const event = readEvent(text);
    heard = event;
    answer = await answerHook(await open(), event, settings, signal);
  } catch (cause) {
    answer = answerFailure(heard, cause);
  }
  return JSON.stringify(answer);
}

/**
 * THREAT: a tool's result may hold what no strict parser takes, and all that counts after a call is what was called,
 * which was read strictly before. So what comes after isn't.
 */
function readEvent(text: string): HookEvent {
  const loose = parseLoosely(text);
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
