/** For the tests of the hook: its decisions without a process for each of them. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseHookEvent } from "../../adapters/claude-code/hook-event.ts";
import { answerEvent } from "../../hooks/claude-code/answer-event.ts";
import { answerHook } from "../../hooks/claude-code/answer-hook.ts";
import type { HookSettings } from "../../hooks/claude-code/hook-settings.ts";
import type { HookGate } from "../../hooks/index.ts";
import { loadConfig } from "../../policy-file/index.ts";
import { createMemoryStore } from "../../stores/index.ts";
import { openHooks } from "../wiring/open-hooks.ts";
import "../../providers/workspace/kept-runner.test-kit.ts";

export const PLAIN_POLICY = `version: 1
workspace:
  root: work
  source: { level: internal, trust: untrusted }
roles:
  fixer: { tools: [Read, Edit, Write, Glob, Grep], approval: { Edit: never, Write: never } }
`;

export interface HookAnswered {
  /** `undefined` where the hook leaves the call to the agent's own rules. */
  readonly decision: string | undefined;
  readonly reason: string;
}

export interface HookCall {
  /** Of a prompt. */
  readonly prompt?: string;
  readonly cwd?: string;
  readonly session?: string;
  readonly settings?: Partial<HookSettings>;
}

export interface HookInProcess extends AsyncDisposable {
  readonly folder: string;
  /** The agent's folder, a git repository. */
  readonly work: string;
  readonly hooks: HookGate;
  put(name: string, text: string): void;
  git(...args: readonly string[]): void;
  before(tool: string, input: unknown, call?: HookCall): Promise<HookAnswered>;
  /** Hands the agent a prompt; undefined where the model gets it, else why not. */
  prompt(call?: HookCall): Promise<string | undefined>;
  /** Tells that a call has run. */
  after(tool: string, input: unknown, response: unknown, call?: HookCall): Promise<unknown>;
}

export interface HookOptions {
  readonly policy?: string;
  /** The folder of the policy and its store: beside the repository, or in it. */
  readonly policyIn?: "folder" | "work";
}

/** A repository in `work` that ignores `.env` and `build/`. */
export async function openHook({ policy, policyIn }: HookOptions = {}): Promise<HookInProcess> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "sluicegate-hook-")));
  const work = join(folder, "work");
  const put = (name: string, text: string): void => {
    mkdirSync(dirname(join(work, name)), { recursive: true });
    writeFileSync(join(work, name), text);
  };
  const git = (...args: readonly string[]): void => {
    execFileSync("git", args, { cwd: work, stdio: "ignore" });
  };
  put(".gitignore", ".env\nbuild/\n");
  put("notes.md", "notes\n");
  put("src/a.ts", "a\n");
  put(".env", "SECRET\n");
  put("build/x.ts", "x\n");
  git("init", "-q");
  git("add", ".");
  const place = policyIn === "work" ? work : folder;
  const text = policy ?? PLAIN_POLICY;
  writeFileSync(
    join(place, "sluicegate.yaml"),
    policyIn === "work" ? text.replace("root: work", "root: .") : text,
  );
  const config = await loadConfig(join(place, "sluicegate.yaml"), { unset: "unset" });
  const storeFile = join(place, "sluicegate.db");
  const hooks = await openHooks(config, {
    store: createMemoryStore(),
    storeFile,
    key: new Uint8Array(32),
    onFault: () => {},
  });
  const settingsOf = (call: HookCall): HookSettings => ({
    config: config.file,
    store: storeFile,
    role: null,
    unlisted: "policy",
    waitSeconds: 0,
    environment: {},
    settings: null,
    ...call.settings,
  });
  const said = async (name: string, tool: string, input: unknown, call: HookCall, more = {}) => {
    const event = parseHookEvent({
      hook_event_name: name,
      session_id: call.session ?? "conversation-1",
      cwd: call.cwd ?? work,
      tool_name: tool,
      tool_use_id: "toolu_1",
      tool_input: input,
      ...more,
    });
    return answerHook(hooks, event, settingsOf(call));
  };
  return {
    folder,
    work,
    hooks,
    put,
    git,
    before: async (tool, input, call = {}) => {
      const { hookSpecificOutput: output } = await said("PreToolUse", tool, input, call);
      if (output === undefined || output.hookEventName !== "PreToolUse")
        return { decision: undefined, reason: "" };
      return { decision: output.permissionDecision, reason: output.permissionDecisionReason ?? "" };
    },
    prompt: async (call = {}) => {
      const event = {
        hook_event_name: "UserPromptSubmit",
        session_id: call.session ?? "conversation-1",
        cwd: call.cwd ?? work,
        prompt: call.prompt ?? "go",
      };
      return JSON.parse(await answerEvent(JSON.stringify(event), settingsOf(call), () => hooks)).reason;
    },
    after: (tool, input, response, call = {}) =>
      said("PostToolUse", tool, input, call, { tool_response: response }),
    [Symbol.asyncDispose]: async () => {
      hooks.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
