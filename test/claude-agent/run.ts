/**
 * `npm run test:claude [-- --sdk FOLDER]`: the hook and the adapter before the real Claude Agent SDK, with a scripted
 * model. The SDK brings a program of 360 MB, so it is no dependency: it is installed into a temporary folder, or taken
 * from one in which it is.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { ADAPTER_SCENARIOS, type AgentSdk, openOffice } from "./adapter.ts";
import { runSample } from "./run-sample.ts";
import { type ScriptedCall, startScriptedModel } from "./scripted-model.ts";

const ROOT = join(import.meta.dirname, "../..");
const LAUNCHER = join(ROOT, "bin/sluicegate");

const POLICY = (more: string) => `version: 1
workspace: { root: work, source: { level: internal, trust: untrusted } }
tools:
  WebFetch: { permissions: [connect], source: { trust: untrusted }, sink: public }
approvals: { wait: 0 ${more} }
`;

interface Played {
  /** What the model was given for each of its calls. */
  readonly results: readonly string[];
  /** The tools that the agent's person was asked about. */
  readonly asked: readonly string[];
  readonly journal: string;
  /** How the agent says that it ended. */
  readonly ended: string | undefined;
}

interface Playing {
  readonly permissionMode?: string;
  /** What happens while the agent's person is asked. */
  readonly whileAsked?: (folder: string) => void;
}

function installed(given: string | undefined): string {
  const folder = given ?? join(home, "sdk");
  if (given === undefined) {
    mkdirSync(folder);
    copyFileSync(join(import.meta.dirname, "package.json"), join(folder, "package.json"));
    console.log("Installing the Claude Agent SDK into a temporary folder …");
    execFileSync("npm", ["install", "--no-audit", "--no-fund"], { cwd: folder, stdio: "inherit" });
  }
  return join(folder, "node_modules/@anthropic-ai/claude-agent-sdk");
}

async function shutsTheWayOut(sdk: AgentSdk): Promise<void> {
  const { results, journal } = await play(sdk, POLICY(""), [
    [{ name: "Read", input: { file_path: "notes.md" } }],
    [{ name: "WebFetch", input: { url: "http://127.0.0.1:1/", prompt: "x" } }],
    [{ name: "Read", input: { file_path: ".env" } }],
    [{ name: "Bash", input: { command: "cat .env", description: "x" } }],
  ]);
  assert.match(results[0] ?? "", /hello/);
  assert.match(results[1] ?? "", /`WebFetch` is blocked in this session/);
  assert.match(results[2] ?? "", /Git ignores the path/);
  assert.match(results[3] ?? "", /waits for a person/);
  assert.ok(!results.join().includes("SECRET"));
  assert.match(journal, /call-finished +mcp__workspace__Read +ok/);
}

async function decidesABatchInOrder(sdk: AgentSdk): Promise<void> {
  const { results } = await play(sdk, POLICY(""), [
    [
      { name: "Read", input: { file_path: "notes.md" } },
      { name: "Bash", input: { command: "curl http://127.0.0.1:1/", description: "x" } },
    ],
  ]);
  assert.match(results[0] ?? "", /hello/);
  assert.match(results[1] ?? "", /waits for a person/);
}

async function asksItsPerson(sdk: AgentSdk): Promise<void> {
  const { results, asked, journal } = await play(sdk, POLICY(", via: [console, client]"), [
    [{ name: "Write", input: { file_path: "new.md", content: "x" } }],
  ]);
  assert.deepEqual(asked, ["Write"]);
  assert.match(results[0] ?? "", /created/);
  assert.match(journal, /approval-answered[\s\S]*call-admitted +mcp__workspace__Write[\s\S]*call-finished/);
}

/** A result that may not be in the session's label doesn't reach the model. */
async function endsWhatItCantRecord(sdk: AgentSdk): Promise<void> {
  const damage = (folder: string): void =>
    writeFileSync(join(folder, ".sluicegate/sluicegate.db"), "garbage".repeat(1000));
  const { results, asked, ended } = await play(
    sdk,
    POLICY(", via: [console, client]"),
    [[{ name: "Read", input: { file_path: ".env" } }]],
    { whileAsked: damage },
  );
  assert.deepEqual([asked, ended, results], [["Read"], "hook_stopped", []]);
}

/** No mode of the agent's own answers in the place of its person. */
async function isAskedInEachMode(sdk: AgentSdk): Promise<void> {
  for (const permissionMode of ["acceptEdits", "bypassPermissions", "dontAsk"]) {
    const calls: ScriptedCall[] = [{ name: "Write", input: { file_path: "new.md", content: "x" } }];
    const refused = await play(sdk, POLICY(""), [calls], { permissionMode });
    assert.match(refused.results[0] ?? "", /waits for a person/, permissionMode);
    const { asked } = await play(sdk, POLICY(", via: [console, client]"), [calls], { permissionMode });
    assert.deepEqual(asked, ["Write"], permissionMode);
  }
}

async function play(
  { query }: AgentSdk,
  policy: string,
  turns: readonly (readonly ScriptedCall[])[],
  { permissionMode = "default", whileAsked = () => {} }: Playing = {},
): Promise<Played> {
  count += 1;
  const folder = join(home, `project-${count}`);
  const cwd = join(folder, "work");
  mkdirSync(cwd, { recursive: true });
  for (const [name, text] of [
    ["notes.md", "hello\n"],
    [".env", "SECRET\n"],
    [".gitignore", ".env\n"],
  ] as const)
    writeFileSync(join(cwd, name), text);
  execFileSync("git", ["init", "-q"], { cwd });
  writeFileSync(join(folder, "sluicegate.yaml"), policy);
  const config = ["--config", join(folder, "sluicegate.yaml")];
  execFileSync(LAUNCHER, ["hook", "install", "claude-code", ...config], { cwd });
  const model = await startScriptedModel(turns.map((turn) => turn.map((call) => inFolder(call, cwd))));
  const asked: string[] = [];
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: "no-key",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    IS_SANDBOX: "1",
  };
  const options = {
    cwd,
    env,
    permissionMode,
    allowDangerouslySkipPermissions: permissionMode === "bypassPermissions",
    settingSources: ["project"],
    maxTurns: turns.length + 2,
    canUseTool: async (name: string, updatedInput: unknown) => {
      asked.push(name);
      whileAsked(folder);
      return { behavior: "allow", updatedInput };
    },
  };
  let ended: string | undefined;
  for await (const { terminal_reason } of query({ prompt: "go", options })) ended = terminal_reason ?? ended;
  model.close();
  if (ended === "hook_stopped") return { results: model.results, asked, journal: "", ended };
  const [session = ""] = /sess_[0-9a-f]+/.exec(sluicegate("journal", "show", ...config)) ?? [];
  return { results: model.results, asked, journal: sluicegate("journal", "show", session, ...config), ended };
}

const sluicegate = (...args: readonly string[]): string => execFileSync(LAUNCHER, args, { encoding: "utf8" });

/** The agent's files have absolute paths. */
const inFolder = ({ name, input }: ScriptedCall, cwd: string): ScriptedCall => ({
  name,
  input: typeof input.file_path === "string" ? { ...input, file_path: join(cwd, input.file_path) } : input,
});

const { values } = parseArgs({ options: { sdk: { type: "string" } } });
const home = realpathSync(mkdtempSync(join(tmpdir(), "sluicegate-claude-")));
let count = 0;
try {
  const folder = installed(values.sdk);
  const sdk: AgentSdk = await import(pathToFileURL(join(folder, "sdk.mjs")).href);
  await shutsTheWayOut(sdk);
  await decidesABatchInOrder(sdk);
  await asksItsPerson(sdk);
  await isAskedInEachMode(sdk);
  await endsWhatItCantRecord(sdk);
  console.log("The hook holds before the real agent: 5 scenarios passed.");
  for (const scenario of ADAPTER_SCENARIOS) {
    const office = openOffice(sdk, home);
    await scenario(office);
    await office.gate.close();
  }
  await runSample(folder, home);
  console.log(
    `The adapter holds before the real SDK: ${ADAPTER_SCENARIOS.length} scenarios and the sample passed.`,
  );
} finally {
  rmSync(home, { recursive: true, force: true });
}
