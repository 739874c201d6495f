/** What `sluicegate doctor` looks at. Each check tries the thing itself, and says what to do where it fails. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import type { Policy } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import { assertPrivate, secretFilesOf, tokenFileOf } from "../../gateway/state/secrets.ts";
import { parseJson } from "../../json/parse-json.ts";
import { propertyOf, textIn } from "../../json/plain-data.ts";
import { type Config, loadConfig } from "../../policy-file/index.ts";
import { createGate } from "../../runtime/index.ts";
import { createMemoryStore } from "../../stores/index.ts";
import { hookCommandsIn } from "../hook/agent-settings.ts";
import { findGateway, type Whereabouts } from "../wiring/gateway-client.ts";
import { isStoreThere, openStoreAt, storePlaceOf } from "../wiring/store-file.ts";

export interface Finding {
  readonly check: "policy" | "decision" | "hook" | "server" | "gateway" | "store" | "secrets" | "clock";
  readonly result: "ok" | "warning" | "failed" | "skipped";
  readonly note: string;
  readonly fix?: string;
}

export interface CheckOptions extends Whereabouts {
  readonly startsServers: boolean;
}

/** Every check, in order; a policy that can't be loaded ends them. */
export async function* runChecks(options: CheckOptions): AsyncGenerator<Finding> {
  const loaded = await attempt("policy", () => loadConfig(options.config));
  if ("result" in loaded) return yield loaded;
  const config = loaded.value;
  yield describePolicy(config);
  yield await checkDecisions(config.policy);
  yield* checkHooks(config.file, tokenFileOf(storePlaceOf(config.file, options.store).file));
  yield* checkServers(config, options.startsServers);
  yield await checkGateway(options);
  yield* checkStore(config.file, options.store);
}

function describePolicy({ policy, warnings, file }: Config): Finding {
  const count = `${policy.tools.size} tools declared in ${file}`;
  if (warnings.length === 0) return { check: "policy", result: "ok", note: count };
  const note = `${count}; ${warnings.length === 1 ? "a warning" : `${warnings.length} warnings`}`;
  return { check: "policy", result: "warning", note, fix: "Look at them: `sluicegate check`." };
}

/** Private data must not reach the first tool that may not have it; without one, an unknown tool must be refused. */
async function checkDecisions(policy: Policy): Promise<Finding> {
  const gate = createGate({ policy, store: createMemoryStore() });
  const session = await gate.open();
  const { levels } = policy.lattice;
  const highest = levels.at(-1) ?? "";
  const outside = [...policy.tools.values()].find(
    ({ permissions, clearances }) =>
      permissions.includes("connect") &&
      (clearances?.every(({ level }) => levels.indexOf(level) < levels.length - 1) ?? false),
  );
  if (outside) await session.addDataset("doctor", { level: highest });
  const name = outside?.id ?? "no_such_tool";
  const [decision] = await session.decide([{ tool: name }]);
  await gate.close();
  const what = outside
    ? `with ${highest} data in the session, \`${outside.name}\` is not allowed`
    : "a tool that nobody declares is not allowed";
  if (decision?.effect === "deny" || decision?.effect === "ask")
    return { check: "decision", result: "ok", note: `${what}: ${decision.effect}` };
  return { check: "decision", result: "failed", note: `This must hold and doesn't: ${what}.`, fix: REPORT };
}

const REPORT = "Report it as SECURITY.md says.";

async function* checkServers({ servers }: Config, startsServers: boolean): AsyncGenerator<Finding> {
  if (servers.size === 0) return yield { check: "server", result: "skipped", note: "the policy has none" };
  if (!startsServers)
    return yield { check: "server", result: "skipped", note: `${servers.size} not started (--no-start)` };
  const { listTools } = await import("../init/list-tools.ts");
  // The tokens are the gateway's.
  for (const { id, oauth } of servers.values())
    if (oauth)
      yield {
        check: "server",
        result: "skipped",
        note: `${id} asks for OAuth: see \`sluicegate sign-in --list\``,
      };
  for (const [id, listed] of await listTools([...servers.values()].filter(({ oauth }) => !oauth))) {
    if (listed.kind === "tools") {
      yield { check: "server", result: "ok", note: `${id} starts, and offers ${listed.tools.length} tools` };
    } else {
      const fix = "Start its command by itself to see more, or take the server out of the policy.";
      yield { check: "server", result: "failed", note: `${id}: ${listed.reason}`, fix };
    }
  }
}

async function checkGateway(options: Whereabouts): Promise<Finding> {
  const found = await attempt("gateway", () => findGateway(options));
  if ("result" in found) return found;
  if (found.value === null)
    return {
      check: "gateway",
      result: "skipped",
      note: "none runs with this policy's store on the usual port",
    };
  const { url } = found.value;
  const ready = await attempt("gateway", () => found.value?.ask("/readyz", (answer) => answer) ?? null);
  if ("result" in ready) return ready;
  const other = textIn(propertyOf(ready.value, "other_policy"), "version");
  if (other === null) return { check: "gateway", result: "ok", note: `${url} is ready` };
  return {
    check: "gateway",
    result: "warning",
    note: `${url} is ready; another gateway on its store decides by policy ${other}`,
    fix: "Give all of them one policy file, and reload or restart those that have another.",
  };
}

async function* checkStore(policyFile: string, named: string | undefined): AsyncGenerator<Finding> {
  const place = storePlaceOf(policyFile, named);
  const secrets = secretFilesOf(place.file).filter((file) => existsSync(file));
  const isPrivate = await attempt("secrets", () => {
    for (const file of secrets) assertPrivate(file);
  });
  yield "result" in isPrivate
    ? isPrivate
    : { check: "secrets", result: "ok", note: secrets.length > 0 ? "private, and not in git" : "none yet" };
  if (!isStoreThere(place)) return yield { check: "store", result: "skipped", note: "none yet" };
  const opened = await attempt("store", () => openStoreAt(place));
  if ("result" in opened) return yield opened;
  const store = opened.value;
  try {
    const [damage, newest] = await Promise.all([store.damage(), store.newest()]);
    const [problem] = damage;
    yield problem === undefined
      ? {
          check: "store",
          result: "ok",
          note: `${place.name} opens; \`sluicegate journal verify\` checks each entry`,
        }
      : { check: "store", result: "failed", note: problem, fix: "Restore it from a backup." };
    yield checkClock(newest);
  } finally {
    await store.close();
  }
}

const MAX_AHEAD_MS = 60_000;

/** A store's time never goes back, so what a clock that is fast has written holds up what expires. */
function checkClock(newest: string | null): Finding {
  const ahead = newest === null ? 0 : Date.parse(newest) - Date.now();
  if (ahead < MAX_AHEAD_MS)
    return { check: "clock", result: "ok", note: "not behind the store's newest entry" };
  return {
    check: "clock",
    result: "warning",
    note: `the store's newest entry is ${Math.round(ahead / 1000)} seconds ahead of this machine`,
    fix: "Set the clocks of all machines that write to the store.",
  };
}

type Attempt<Value> = { readonly value: Value } | Finding;

/** What `work` gives, or the finding that it failed. */
async function attempt<Value>(
  check: Finding["check"],
  work: () => Value | Promise<Value>,
): Promise<Attempt<Value>> {
  try {
    return { value: await work() };
  } catch (cause) {
    const isOurs = SluicegateError.isInstance(cause);
    const note = isOurs ? `${cause.message} ${cause.why}` : String(textIn(cause, "message") ?? cause);
    return { check, result: "failed", note, ...(isOurs && { fix: cause.fix }) };
  }
}

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
