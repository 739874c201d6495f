/** What `sluicegate/claude-agent` promises, before the real SDK and a scripted model. */
import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { approvalIdOf, guard, type PermissionHost } from "../../src/adapters/claude-agent.ts";
import {
  createGate,
  createMemoryStore,
  currentSession,
  definePolicy,
  type Gate,
  type Session,
  withSession,
} from "../../src/index.ts";
import { type ScriptedCall, startScriptedModel } from "./scripted-model.ts";

/** What is used of the SDK. */
export interface AgentSdk {
  query(asked: { prompt: string; options: object }): AsyncIterable<{ terminal_reason?: string }>;
  tool(name: string, description: string, schema: object, handler: unknown, extras?: object): any;
  createSdkMcpServer(server: object): object;
}

const POLICY = definePolicy({
  tools: {
    read_mail: { permissions: ["read"], source: { level: "internal", trust: "untrusted" } },
    web_search: { permissions: ["connect"], source: { level: "public", trust: "untrusted" } },
    pay: { permissions: ["write"], approval: "always" },
    fail: { permissions: ["read"], source: { level: "confidential" } },
    Read: { permissions: ["read"], source: { level: "internal", trust: "untrusted" } },
    WebFetch: { permissions: ["connect"], source: { level: "public", trust: "untrusted" } },
    Bash: { permissions: ["write"], approval: "always" },
    Task: { permissions: ["read"] },
  },
});

/** Where agents work and have their homes, and what they ask. */
export interface Office {
  readonly sdk: AgentSdk;
  readonly home: string;
  readonly gate: Gate;
  /** Tools whose facts take long to find out, and those whose facts can't be found out. */
  readonly slow: Set<string>;
  readonly broken: Set<string>;
}

export function openOffice(sdk: AgentSdk, home: string): Office {
  const [slow, broken] = [new Set<string>(), new Set<string>()];
  const gate = createGate({
    policy: POLICY,
    store: createMemoryStore(),
    inspect: async (result) => ({
      findings: [],
      label: JSON.stringify(result).includes("hello") ? { level: "secret" } : null,
    }),
    facts: async ({ tool }) => {
      if (broken.has(tool)) throw new Error("nothing is known");
      for (let turn = 0; slow.has(tool) && turn < 2000; turn += 1) await new Promise(setImmediate);
      return {};
    },
  });
  return { sdk, home, gate, slow, broken };
}

interface Playing extends PermissionHost {
  readonly session?: Session | (() => Session);
  /** The turns of a subagent. */
  readonly subagent?: readonly (readonly ScriptedCall[])[];
  /** More of what `query` takes. */
  readonly more?: object;
}

interface Played {
  readonly results: readonly string[];
  /** The tools that the model was shown, each with its description. */
  readonly shown: ReadonlyMap<string, string>;
  /** What ran of this program's tools. */
  readonly ran: readonly string[];
  readonly session: Session;
  /** Entries of these kinds, each with its tool, or with how it ended. */
  journal(...kinds: readonly string[]): Promise<readonly string[]>;
}

/** One query. The names of this program's tools are completed. */
export async function play(
  { sdk, home, gate }: Office,
  turns: readonly (readonly ScriptedCall[])[],
  { session: given, canUseTool, subagent = [], more = {} }: Playing = {},
): Promise<Played> {
  const ran: string[] = [];
  const session = typeof given === "function" ? given() : (given ?? (await gate.open()));
  const schema = { query: z.string().optional(), amount: z.number().optional() };
  const make = (name: string, work: (args: any) => string, extras = {}): any =>
    sdk.tool(
      name,
      `Does ${name}.`,
      schema,
      async (args: any) => {
        ran.push(name);
        return { content: [{ type: "text", text: work(args) }] };
      },
      extras,
    );
  // The SDK starts tools that only read all at once.
  const reads = { annotations: { readOnlyHint: true } };
  const tools = [
    make("read_mail", () => "Q3 is up 4 percent.", reads),
    make("web_search", () => "The market is calm.", reads),
    make("pay", ({ amount }) => `paid ${amount}`),
    make("fail", () => {
      throw new Error("the index is broken");
    }),
  ];
  const { server, options } = guard(given ?? session, tools, canUseTool ? { canUseTool } : {});
  const owned = new Set(tools.map(({ name }) => name).concat("pax"));
  const named = (script: typeof turns) =>
    script.map((turn) =>
      turn.map(({ name, input }) => ({ name: owned.has(name) ? `mcp__tools__${name}` : name, input })),
    );
  const model = await startScriptedModel(named(turns), named(subagent));
  const cwd = mkdtempSync(join(home, "agent-"));
  writeFileSync(join(cwd, "notes.md"), "hello\n");
  const env = {
    PATH: process.env.PATH,
    HOME: cwd,
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: "no-key",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    IS_SANDBOX: "1",
  };
  const asked = {
    prompt: "go",
    options: {
      ...options,
      mcpServers: { [server.name]: sdk.createSdkMcpServer(server) },
      settingSources: [],
      permissionMode: "default",
      cwd,
      env,
      maxTurns: turns.length + 2,
      ...more,
    },
  };
  for await (const _ of sdk.query(asked));
  model.close();
  const journal = async (...kinds: readonly string[]): Promise<readonly string[]> => {
    const entries = await session.journal();
    return entries
      .filter(({ kind }) => kinds.includes(kind))
      .map(({ kind, data }) => `${kind} ${data.outcome ?? data.tool}`);
  };
  return { results: model.results, shown: model.shown, ran, session, journal };
}

const call = (name: string, input: ScriptedCall["input"] = {}): ScriptedCall => ({ name, input });
const read = call("read_mail", { query: "Q3" });
const search = call("web_search", { query: "market" });
const pay = call("pay", { amount: 5 });
const fetchPage = call("WebFetch", { url: "http://127.0.0.1:1/", prompt: "x" });
const echo = call("Bash", { command: "echo ran-it", description: "x" });

async function decidesInOrder(office: Office): Promise<void> {
  const { results, ran, session, shown } = await play(office, [[read], [search], [fetchPage]]);
  assert.match(results[0] ?? "", /Q3 is up/);
  assert.match(results[1] ?? "", /`web_search` is blocked in this session/);
  assert.match(results[2] ?? "", /`WebFetch` is blocked in this session/);
  assert.deepEqual([ran, session.label.level], [["read_mail"], "internal"]);
  const seen = ["Agent", "Bash", "Read", "WebFetch", "Write", "Edit", "WebSearch"].filter((name) =>
    shown.has(name),
  );
  assert.deepEqual(seen, ["Agent", "Bash", "Read", "WebFetch"]);
  assert.match(shown.get("mcp__tools__read_mail") ?? "", /\[Sluicegate\] Calling it blocks/);
}

/** In one step, though the facts of the first call take long: this program's tools, the SDK's own, and both. */
async function decidesBatchesInOrder(office: Office): Promise<void> {
  const notes = call("Read", { file_path: "notes.md" });
  office.slow.add("read_mail").add("Read");
  const refused = async (turn: readonly ScriptedCall[]): Promise<void> => {
    const { journal } = await play(office, [turn]);
    assert.deepEqual(await journal("call-admitted", "call-refused"), [
      `call-admitted ${turn[0]?.name}`,
      `call-refused ${turn[1]?.name}`,
    ]);
  };
  await refused([read, search]);
  await refused([notes, fetchPage]);
  await refused([read, fetchPage]);
  await refused([notes, search]);
  office.slow.clear();
  const { ran } = await play(office, [[search, read]]);
  assert.deepEqual([...ran].sort(), ["read_mail", "web_search"]);
}

async function hidesTools(office: Office): Promise<void> {
  const session = await office.gate.open();
  const visibility = { visibleTools: (tools: any) => tools.filter(({ name }: any) => name === "read_mail") };
  const { results, ran } = await session.run({ visibility }, (view) =>
    play(office, [[pay], [call("pax", { amount: 5 })], [echo]], { session: view }),
  );
  assert.match(results[0] ?? "", /No such tool available/);
  assert.equal(results[0]?.replaceAll("pay", "<tool>"), results[1]?.replaceAll("pax", "<tool>"));
  assert.match(results[2] ?? "", /No such tool available: Bash/);
  assert.deepEqual(ran, []);
}

/** What the SDK is told admits nothing; the gate's answer does, once. */
async function asksThePerson(office: Office): Promise<void> {
  const answering =
    (answer: "approved" | "denied" | null): NonNullable<PermissionHost["canUseTool"]> =>
    async (_, updatedInput, asked) => {
      const approval = approvalIdOf(asked);
      if (approval && answer) await office.gate.answerApproval(approval, { answer, by: "grace" });
      return { behavior: "allow", updatedInput };
    };
  for (const permissionMode of ["default", "bypassPermissions", "dontAsk", "acceptEdits"]) {
    const more = {
      permissionMode,
      allowDangerouslySkipPermissions: permissionMode === "bypassPermissions",
      allowedTools: ["Bash", "mcp__tools__pay"],
    };
    const answered = async (answer: "approved" | "denied" | null): Promise<Played> =>
      play(office, [[pay], [echo]], { canUseTool: answering(answer), more });
    const given = await answered("approved");
    assert.match(given.results.join(), /paid 5.*ran-it/, permissionMode);
    assert.deepEqual(await given.journal("call-admitted", "call-finished"), [
      "call-admitted pay",
      "call-finished ok",
      "call-admitted Bash",
      "call-finished ok",
    ]);
    for (const answer of ["denied", null] as const) {
      const { results, ran } = await answered(answer);
      assert.deepEqual([ran, results.join().includes("ran-it")], [[], false], permissionMode);
      assert.match(results.join(), answer ? /said no.*said no/ : /waits for a person.*waits for a person/);
    }
  }
  // Without a host's function nobody is asked, and the model is told what it waits for.
  const { results } = await play(office, [[pay], [echo]]);
  assert.match(results.join(), /The approval is appr_.*The approval is appr_/);
}

/** Other arguments are another call; a no of the host, or of the SDK's own rules, ends the call that was admitted. */
async function holdsToWhatWasDecided(office: Office): Promise<void> {
  const hostname = call("Read", { file_path: "/etc/hostname" });
  const endings = async (playing: Playing): Promise<readonly string[]> =>
    (await play(office, [[hostname]], playing)).journal("call-admitted", "call-finished");
  const changed = await endings({
    canUseTool: async () => ({ behavior: "allow", updatedInput: { file_path: "/etc/hosts" } }),
  });
  assert.deepEqual(changed, [
    "call-admitted Read",
    "call-finished error",
    "call-admitted Read",
    "call-finished ok",
  ]);
  const unrun = ["call-admitted Read", "call-finished error"];
  assert.deepEqual(
    await endings({ canUseTool: async () => ({ behavior: "deny", message: "The host says no." }) }),
    unrun,
  );
  const settings = JSON.stringify({ permissions: { deny: ["WebFetch(domain:127.0.0.1)"] } });
  const denied = await play(office, [[fetchPage]], { more: { settings } });
  assert.match(denied.results[0] ?? "", /denied/);
  assert.deepEqual(await denied.journal("call-admitted", "call-finished"), [
    "call-admitted WebFetch",
    "call-finished error",
  ]);
}

async function reportsErrors(office: Office): Promise<void> {
  const { results, session, journal } = await play(office, [
    [call("fail")],
    [call("Read", { file_path: "nowhere.md" })],
    [search],
  ]);
  assert.match(results[0] ?? "", /the index is broken/);
  assert.match(results[2] ?? "", /is blocked in this session/);
  assert.equal(session.label.level, "confidential");
  assert.deepEqual(await journal("call-finished"), ["call-finished error", "call-finished error"]);
}

/** What is found in a result of the SDK's own tools counts before the model's next call. */
async function looksIntoResults(office: Office): Promise<void> {
  const { session, results } = await play(office, [[call("Read", { file_path: "notes.md" })], [fetchPage]]);
  assert.match(results[0] ?? "", /hello/);
  assert.match(results[1] ?? "", /is blocked in this session/);
  assert.equal(session.label.level, "secret");
}

async function keepsSessionsApart(office: Office): Promise<void> {
  const [one, two] = [await office.gate.open(), await office.gate.open()];
  const [first, second] = await Promise.all([
    withSession(one, () => play(office, [[read], [search]], { session: currentSession })),
    withSession(two, () => play(office, [[search], [fetchPage]], { session: currentSession })),
  ]);
  assert.match(first.results[1] ?? "", /is blocked in this session/);
  assert.match(second.results[0] ?? "", /The market is calm/);
  assert.deepEqual([one.label.level, two.label.level], ["internal", "public"]);
}

async function countsSubagents(office: Office): Promise<void> {
  const task = {
    description: "x",
    prompt: "SUBTASK",
    subagent_type: "general-purpose",
    run_in_background: false,
  };
  const { results, ran, journal } = await play(office, [[call("Agent", task)], [search]], {
    subagent: [[read], [fetchPage]],
  });
  assert.deepEqual(ran, ["read_mail"]);
  assert.match(results.at(-1) ?? "", /`web_search` is blocked in this session/);
  assert.deepEqual(await journal("call-admitted", "call-refused"), [
    "call-admitted Task",
    "call-admitted read_mail",
    "call-refused WebFetch",
    "call-refused web_search",
  ]);
}

/** What the policy doesn't know, and what nothing is known about. */
async function deniesInDoubt(office: Office): Promise<void> {
  const more = {
    tools: { type: "preset", preset: "claude_code" },
    permissionMode: "bypassPermissions",
    allowDangerouslySkipPermissions: true,
  };
  const glob = call("Write", { file_path: "new.md", content: "x" });
  office.broken.add("Read").add("read_mail");
  const { results, ran } = await play(office, [[glob], [call("Read", { file_path: "notes.md" })], [read]], {
    more,
  });
  office.broken.clear();
  assert.match(results[0] ?? "", /There is no tool `Write`/);
  assert.ok(!results.join().includes("hello"));
  assert.deepEqual(ran, []);
}

/** Each holds before the SDK, or throws. */
export const ADAPTER_SCENARIOS: readonly ((office: Office) => Promise<void>)[] = [
  decidesInOrder,
  decidesBatchesInOrder,
  hidesTools,
  asksThePerson,
  holdsToWhatWasDecided,
  reportsErrors,
  looksIntoResults,
  keepsSessionsApart,
  countsSubagents,
  deniesInDoubt,
];
