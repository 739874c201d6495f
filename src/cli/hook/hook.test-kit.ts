/**
 * For the tests of the hook: a project with a policy, and an agent that asks the command before each call, in this
 * process or in one of its own.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openSqliteStore } from "../../stores/index.ts";
import { BUNDLED_COMMAND, type Ran, run, sluicegate } from "../cli.test-kit.ts";
import { answerInTime } from "./hook-process.ts";
import { type StartedServe, startServe } from "./served.test-kit.ts";
import "../../providers/workspace/kept-runner.test-kit.ts";

export const HOOK_POLICY = `version: 1
workspace:
  root: work
  source: { level: internal, trust: untrusted }
servers:
  mail:
    command: node
    args: [server.js]
    env: { TOKEN: "\${HOOK_TEST_TOKEN}" }
    tools:
      search_email: { permissions: [read], source: { level: confidential, trust: untrusted } }
tools:
  WebFetch: { permissions: [connect], source: { trust: untrusted }, sink: public }
  TodoWrite: { permissions: [write] }
  Task: { permissions: [read] }
roles:
  reviewer: { tools: [Read, Glob, Grep], permissions: [read] }
  fixer: { tools: [Read, Edit, Write], approval: { Edit: never, Write: never } }
`;

/** Asked through the agent's client as well. */
export const CLIENT_POLICY = `${HOOK_POLICY}approvals: { via: [console, terminal, client], wait: 0 }\n`;

export interface Asking {
  readonly session?: string;
  readonly use?: string;
  readonly words?: readonly string[];
  /** Starts the real command for it, as the agent does. */
  readonly started?: boolean;
}

export interface Answered extends Ran {
  /** What stands in the answer for a call that hasn't run. */
  readonly decision: string | undefined;
  readonly reason: string;
}

export interface ProjectEntry {
  readonly session: string;
  readonly kind: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface HookProject extends AsyncDisposable {
  readonly folder: string;
  /** The agent's folder. */
  readonly work: string;
  readonly store: string;
  at(name: string): string;
  /** Asks before a call. */
  before(tool: string, input: unknown, asking?: Asking): Promise<Answered>;
  /** Tells that a call has run; `response` undefined: that it failed. */
  after(tool: string, input: unknown, response?: unknown, asking?: Asking): Promise<Answered>;
  /** Hands the hook any text. */
  say(text: string, asking?: Asking): Promise<Answered>;
  sluicegate(...args: string[]): Promise<Ran>;
  /** The entries of the journal, of all sessions. */
  entries(): Promise<readonly ProjectEntry[]>;
  serve(): Promise<StartedServe>;
}

/** A git repository with a tracked and an ignored file, a policy beside it. */
export function createProject(policy = HOOK_POLICY): HookProject {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "sluicegate hook-")));
  const work = join(folder, "work");
  const files = {
    ".gitignore": ".env\nbuild/\n",
    "notes.md": "notes\n",
    ".env": "SECRET\n",
    "build/x.ts": "x\n",
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(work, name)), { recursive: true });
    writeFileSync(join(work, name), text);
  }
  execFileSync("git", ["init", "-q"], { cwd: work });
  execFileSync("git", ["add", "."], { cwd: work });
  writeFileSync(join(folder, "sluicegate.yaml"), policy);
  mkdirSync(join(folder, ".sluicegate"));
  const serves: StartedServe[] = [];
  const config = join(folder, "sluicegate.yaml");

  const say = async (
    input: string,
    { words = ["--wait", "0"], started = false }: Asking = {},
  ): Promise<Answered> => {
    const given = ["--config", config, ...words];
    const ran = started
      ? await run(BUNDLED_COMMAND, ["hook", "claude-code", ...given], { input })
      : answered(await answerInTime(given, async () => input));
    const { hookSpecificOutput: said } = toAnswer(ran);
    return { ...ran, decision: said?.permissionDecision, reason: said?.permissionDecisionReason ?? "" };
  };
  const event = (name: string, tool: string, input: unknown, asking: Asking = {}, more = {}) =>
    JSON.stringify({
      hook_event_name: name,
      session_id: asking.session ?? "conversation-1",
      cwd: work,
      tool_name: tool,
      tool_use_id: asking.use ?? "toolu_1",
      tool_input: input,
      ...more,
    });
  return {
    folder,
    work,
    store: join(folder, ".sluicegate/sluicegate.db"),
    at: (name) => join(work, name),
    say,
    before: (tool, input, asking) => say(event("PreToolUse", tool, input, asking), asking),
    after: (tool, input, response, asking) =>
      say(
        response === undefined
          ? event("PostToolUseFailure", tool, input, asking, { error: "it failed" })
          : event("PostToolUse", tool, input, asking, { tool_response: response }),
        asking,
      ),
    sluicegate: (...args) => sluicegate([...args, "--config", config]),
    entries: async () => {
      const store = openSqliteStore(join(folder, ".sluicegate/sluicegate.db"), { mustExist: true });
      const found = await store.feed(0, 1000);
      await store.close();
      return found.map(({ session, entry }) => ({ session, kind: entry.kind, data: { ...entry.data } }));
    },
    serve: async () => {
      const serve = await startServe(config);
      serves.push(serve);
      return serve;
    },
    [Symbol.asyncDispose]: async () => {
      for (const serve of serves) await serve.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What a process that gave this answer would have left. */
const answered = (out: string): Ran => ({ status: 0, out, err: "", json: () => JSON.parse(out) });

interface Printed {
  readonly hookSpecificOutput?: {
    readonly permissionDecision?: string;
    readonly permissionDecisionReason?: string;
  };
}

/** The document that was printed; whoever prints none has said yes to an agent. */
function toAnswer(ran: Ran): Printed {
  try {
    return ran.json() as Printed;
  } catch {
    throw new Error(`The hook printed no JSON (status ${ran.status}): ${ran.out} ${ran.err}`);
  }
}
