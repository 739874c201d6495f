/** Whether the agent's hook, as it stands in its settings, denies what it must: it is started as the agent starts it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { parseJson } from "../../json/parse-json.ts";
import { propertyOf, textIn } from "../../json/plain-data.ts";
import { hookCommandsIn } from "../hook/agent-settings.ts";
import type { Finding } from "./checks.ts";

const SETTINGS = [".claude/settings.json", ".claude/settings.local.json"];
const TIMEOUT_MS = 20_000;

/** @param secret a file that no agent may read */
export async function* checkHooks(policyFile: string, secret: string): AsyncGenerator<Finding> {
  const folders = new Set([process.cwd(), dirname(policyFile), homedir()]);
  const files = [...folders].flatMap((folder) => SETTINGS.map((name) => join(folder, name)));
  let found = 0;
  for (const file of files.filter((one) => existsSync(one))) {
    const commands = readCommands(file);
    if (commands === null) {
      yield {
        check: "hook",
        result: "warning",
        note: `${file} is no plain JSON, so no hook can be found in it`,
      };
      continue;
    }
    for (const command of new Set(commands)) {
      found += 1;
      yield await tryHook(file, command, secret);
    }
  }
  if (found === 0)
    yield {
      check: "hook",
      result: "skipped",
      note: "none is installed (`sluicegate hook install claude-code`)",
    };
}

function readCommands(file: string): readonly string[] | null {
  try {
    return hookCommandsIn(readFileSync(file, "utf8"));
  } catch {
    return null;
  }
}

async function tryHook(file: string, command: string, secret: string): Promise<Finding> {
  const event = {
    hook_event_name: "PreToolUse",
    session_id: "sluicegate-doctor",
    cwd: dirname(dirname(file)),
    tool_name: "Read",
    tool_use_id: "toolu_doctor",
    tool_input: { file_path: secret },
  };
  const child = spawn("/bin/sh", ["-c", command], { timeout: TIMEOUT_MS, stdio: ["pipe", "pipe", "ignore"] });
  child.stdin.on("error", () => {});
  child.stdin.end(JSON.stringify(event));
  const [out, [status]] = await Promise.all([text(child.stdout), once(child, "close")]);
  const answer = decisionIn(out);
  if (answer === "deny")
    return { check: "hook", result: "ok", note: `of ${file} denies a read of ${secret}` };
  const said =
    answer === null ? `gave no decision (exit status ${String(status)})` : `answered \`${answer}\``;
  return {
    check: "hook",
    result: "failed",
    note: `The hook of ${file} ${said} to a read of ${secret}.`,
    fix: "Install it again with `sluicegate hook install claude-code`, and declare `workspace` in the policy.",
  };
}

function decisionIn(out: string): string | null {
  try {
    return textIn(propertyOf(parseJson(out), "hookSpecificOutput"), "permissionDecision") ?? null;
  } catch {
    return null;
  }
}
