/**
 * `sluicegate hook claude-code`: one event of an agent on standard input, one answer on standard output. It asks the
 * gateway that runs on the store, and decides by itself where none does. It stands before every call of the agent, so
 * on the way to a gateway it loads nothing but Node's own files and its neighbours here.
 *
 * INVARIANT: it ends with an answer, whatever happens: for an agent, a hook that fails or is late says yes.
 */
import { writeSync } from "node:fs";
import { DECISION_SECONDS, type HookSettings } from "../../hooks/claude-code/hook-settings.ts";
import { parseJson } from "../../json/parse-json.ts";
import { askGateway } from "./ask-gateway.ts";
import { MAX_BYTES } from "./hook-socket.ts";
import { readSettings } from "./read-settings.ts";
import { endAfter } from "./watchdog.ts";

/** What is said in the place of a decision. */
class Refusal extends Error {}

/** Answers the event on standard input, and ends the process. */
export async function runHook(args: readonly string[]): Promise<void> {
  end(await answerInTime(args, readEvent));
}

/** The answer to the event that `read` gives, or a refusal where it is late or goes wrong. Never rejects. */
export function answerInTime(args: readonly string[], read: () => Promise<string>): Promise<string> {
  return new Promise((resolve) => {
    let event = "";
    let timer: NodeJS.Timeout;
    const endIn = (seconds: number): void => {
      clearTimeout(timer);
      timer = setTimeout(() => resolve(refuse(event, NO_ANSWER)), seconds * 1000);
    };
    const decide = async (): Promise<string> => {
      const settings = readSettings(args, process.cwd());
      if (typeof settings === "string")
        throw new Refusal(`The hook is set up wrongly. ${settings} ${SET_UP}`);
      endIn(DECISION_SECONDS + settings.waitSeconds);
      event = await read();
      return answer(event, settings);
    };
    endIn(DECISION_SECONDS);
    decide()
      .catch((cause) => refuse(event, cause instanceof Refusal ? cause.message : BROKEN))
      .then(resolve)
      .finally(() => clearTimeout(timer));
  });
}

const SET_UP = "Set it up again with `sluicegate hook install claude-code`.";
const NO_ANSWER =
  "Sluicegate could not decide this call. No decision came in time. See that the gateway and the disk of its store answer, then call again.";
const BROKEN =
  "Sluicegate could not decide this call. Something went wrong inside its hook. Tell the operator to run `sluicegate hook claude-code` by hand; nothing was allowed.";
const TOO_LONG =
  "Sluicegate could not decide this call. It is longer than 64 MiB. Call the tool with less at once.";

/** Claude Code waits ten seconds longer than that. */
const GRACE_SECONDS = 5;

async function answer(event: string, settings: HookSettings): Promise<string> {
  const asked = await askGateway(settings, event);
  if (asked.kind === "answer") return asked.text;
  if (asked.kind === "failed") throw new Refusal(`Sluicegate could not decide this call. ${asked.why}`);
  // The refusal of `answerInTime` comes before, unless this thread is too busy for it.
  const callOff = endAfter(DECISION_SECONDS + settings.waitSeconds + GRACE_SECONDS);
  try {
    const { decideAlone } = await import("./decide-alone.ts");
    return await decideAlone(settings, event);
  } finally {
    callOff();
  }
}

async function readEvent(): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Refusal(TOO_LONG);
    chunks.push(chunk);
  }
  // What is no UTF-8 becomes U+FFFD here, which is another text than any that was meant; it is decided as it is.
  return Buffer.concat(chunks).toString("utf8");
}

/** Both are said where it can't be determined before what it is: the one that doesn't fit is put aside. */
function refuse(event: string, reason: string): string {
  const name = nameOf(event);
  if (name === "UserPromptSubmit") return JSON.stringify({ decision: "block", reason });
  const isAfter = name?.startsWith("Post") === true;
  return JSON.stringify(
    isAfter
      ? { continue: false, stopReason: reason }
      : {
          hookSpecificOutput: {
            hookEventName: "PreToolUse",
            permissionDecision: "deny",
            permissionDecisionReason: reason,
          },
        },
  );
}

function nameOf(event: string): string | null {
  try {
    const parsed: unknown = parseJson(event);
    const name =
      typeof parsed === "object" && parsed !== null ? Reflect.get(parsed, "hook_event_name") : null;
    return typeof name === "string" ? name : null;
  } catch {
    return null;
  }
}

/** Ends the process with an answer: what else it still waits for must not keep the agent waiting. */
function end(text: string): void {
  writeAll(`${text}\n`);
  process.exit(0);
}

function writeAll(text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (cause) {
      // A pipe that is full is written to again; whoever closed it reads nothing any more.
      if (!(cause instanceof Error && "code" in cause && cause.code === "EAGAIN")) process.exit(2);
    }
  }
}
