import { once } from "node:events";
import { existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { stateFileOf } from "../../gateway/state/state-files.ts";
import { DECISION_SECONDS } from "../../hooks/claude-code/hook-settings.ts";
import {
  CLIENT_POLICY,
  createProject,
  HOOK_POLICY,
  type HookProject,
  type ProjectEntry,
} from "./hook.test-kit.ts";
import type { StartedServe } from "./served.test-kit.ts";

interface Setting {
  readonly name: string;
  readonly served: boolean;
}

/** With a gateway all of them are tried, and without one, where each takes longer, the first few. */
const CALLS = [
  ["Bash", { command: "ls", run_in_background: true }, "deny"],
  ["Write", { file_path: "new.txt", content: "x" }, "deny"],
  ["NotebookEdit", { notebook_path: "a.ipynb", new_source: "x" }, "deny"],
  ["Grep", { pattern: "x", "-n": true, type: "ts" }, "allow"],
  ["Grep", { pattern: "x", glob: "!*.md" }, "allow"],
  ["Grep", { pattern: "SECRET", glob: ".env" }, "deny"],
  ["Grep", { pattern: "x", path: "build" }, "deny"],
  ["Glob", { pattern: "**/*.md" }, "allow"],
  ["Glob", { pattern: "/etc/*" }, "deny"],
  ["Glob", { pattern: "{a,../../b}" }, "deny"],
  ["TodoWrite", { todos: [] }, "allow"],
  ["Agent", { prompt: "x", description: "y" }, "allow"],
  ["mcp__mail__search_email", { query: "x" }, "allow"],
  ["search_email", { query: "x" }, "deny"],
  ["mcp__workspace__Read", { file_path: "notes.md" }, "deny"],
  ["mcp__other__tool", {}, "deny"],
  ["WebSearch", { query: "x" }, "deny"],
  ["constructor", {}, "deny"],
] as const;

describe.each<Setting>([
  { name: "by itself", served: false },
  { name: "with a gateway", served: true },
])("the hook, deciding $name,", ({ served }) => {
  let project: HookProject;
  let count = 0;
  const fresh = () => {
    count += 1;
    return { session: `conversation-${count}` };
  };
  beforeAll(async () => {
    project = createProject();
    if (served) await project.serve();
  });
  afterAll(() => project[Symbol.asyncDispose]());

  it("lets a tracked file be read, and asks about an ignored one, one outside and one that can't be determined (D1)", async () => {
    const reads = await Promise.all(
      [
        project.at("notes.md"),
        "notes.md",
        project.at(".env"),
        "/etc/passwd",
        "~/.ssh/id_rsa",
        " .env",
        "build/../.env",
      ].map((file_path) => project.before("Read", { file_path, pages: "1-2" }, fresh())),
    );
    expect(reads.map(({ decision }) => decision)).toEqual([
      "allow",
      "allow",
      "deny",
      "deny",
      "deny",
      "deny",
      "deny",
    ]);
    expect(reads[2]?.reason).toMatch(/waits for a person\. Git ignores the path\./);
    expect(reads[2]?.reason).not.toContain("sluicegate");
    expect(reads[2]?.json()).toHaveProperty(
      "systemMessage",
      expect.stringContaining("sluicegate approve appr_"),
    );
    expect(reads[3]?.reason).toContain("outside the workspace");
    expect(reads[4]?.reason).toContain("can't be determined for sure");
  });

  it.each(
    served ? CALLS : CALLS.slice(0, 4),
  )("decides %s with %j by the policy: %s (D1)", async (tool, input, decision) => {
    expect((await project.before(tool, input, fresh())).decision).toBe(decision);
  });

  it("leaves a role what it has, and goes on in the role that a conversation was begun in (E1)", async () => {
    const at = { ...fresh(), words: ["--wait", "0", "--role", "reviewer"] };
    const read = await project.before("Read", { file_path: "notes.md" }, at);
    const write = await project.before("Write", { file_path: "n", content: "x" }, at);
    const without = await project.before("Read", { file_path: "notes.md" }, { session: at.session });
    expect([read.decision, write.decision, without.decision]).toEqual(["allow", "deny", "deny"]);
    expect(write.reason).toContain("The role `reviewer` doesn't have it");
    expect(without.reason).toContain("begun in another role");
    const unknown = await project.before(
      "Read",
      { file_path: "notes.md" },
      { ...fresh(), words: ["--role", "boss"] },
    );
    expect([unknown.decision, unknown.reason]).toEqual([
      "deny",
      expect.stringContaining("There is no such role"),
    ]);
  });

  it("keeps what guards it from a role that writes unasked (D4)", async () => {
    const settings = project.at("team.json");
    const at = { ...fresh(), words: ["--wait", "0", "--role", "fixer", "--settings", settings] };
    for (const name of [
      "app/.claude/settings.json",
      "team.json",
      "../sluicegate.yaml",
      "../.sluicegate/sock",
    ]) {
      const written = await project.before("Write", { file_path: name, content: "{}" }, at);
      expect([name, written.decision]).toEqual([name, "deny"]);
      expect(written.reason).toContain("is kept from this session");
    }
  });

  it("raises the conversation by what it read, and then shuts the way out; another one goes on (C1-declared)", async () => {
    const [one, other] = [fresh(), fresh()];
    const fetched = () => project.before("WebFetch", { url: "http://example.org" }, one);
    expect((await fetched()).decision).toBe("allow");
    expect((await project.before("Read", { file_path: "notes.md" }, one)).decision).toBe("allow");
    const blocked = await fetched();
    expect(blocked.decision).toBe("deny");
    expect(blocked.reason).toMatch(
      /`WebFetch` is blocked in this session\. `Read` \(call 2\) loaded internal data/,
    );
    expect((await project.before("WebFetch", { url: "x" }, other)).decision).toBe("allow");
  });

  it("decides two calls of one conversation one after the other (law-3)", async () => {
    const at = { ...fresh(), started: true };
    const calls = [
      project.before("Read", { file_path: "notes.md" }, at),
      project.before("WebFetch", { url: "http://example.org" }, at),
      project.before("Read", { file_path: "notes.md", offset: 2 }, at),
    ];
    const decisions = (await Promise.all(calls)).map(({ decision }) => decision);
    expect([decisions[0], decisions[2]]).toEqual(["allow", "allow"]);
    const entries = await entriesOf(project, at.session);
    const decided = entries.filter(({ data }) => data.tool !== undefined);
    const fetchAt = decided.findIndex(({ data }) => data.tool === "WebFetch");
    expect(decided[fetchAt]?.kind).toBe(fetchAt === 0 ? "call-admitted" : "call-refused");
  });

  it("records how a call ended, and raises by one that it wasn't asked about (X15-sqlite)", async () => {
    const at = fresh();
    const input = { file_path: "notes.md" };
    await project.before("Read", input, at);
    await project.before("Read", { file_path: "none.md" }, at);
    const started = { ...at, started: true };
    expect((await project.after("Read", input, { type: "text" }, started)).json()).toEqual({});
    expect((await project.after("Read", { file_path: "none.md" }, undefined, at)).json()).toEqual({});
    const unasked = await project.after("mcp__mail__search_email", { query: "x" }, [], at);
    expect(unasked.json()).toEqual({ systemMessage: expect.stringContaining("wasn't asked before") });
    const entries = await entriesOf(project, at.session);
    expect(entries.flatMap(({ data }) => data.outcome ?? [])).toEqual(["ok", "error"]);
    expect(entries.at(-1)).toMatchObject({
      kind: "label-raised",
      data: { label: { level: "confidential" } },
    });
    const unknown = await project.after("mcp__other__tool", {}, "x", at);
    expect(unknown.json()).toHaveProperty("systemMessage");
    expect((await entriesOf(project, at.session)).at(-1)?.data.label).toMatchObject({ level: "*" });
  });

  it("admits a call once that a person has approved meanwhile, and that very call (D6-binding)", async () => {
    const at = fresh();
    const asked = await project.before("Bash", { command: "make" }, at);
    const [id = ""] = /appr_[0-9a-f]{32}/.exec(asked.reason) ?? [];
    expect((await project.before("Bash", { command: "make" }, at)).reason).toContain(id);
    expect((await project.sluicegate("approve", id)).status).toBe(0);
    const decisions = [];
    for (const command of ["make all", "make", "make"])
      decisions.push((await project.before("Bash", { command }, at)).decision);
    expect(decisions).toEqual(["deny", "allow", "deny"]);
  });

  it("holds a call until a person has answered (D5-queue)", async () => {
    const at = { ...fresh(), words: ["--wait", "40"], started: true };
    const held = project.before("Bash", { command: "make" }, at);
    await project.sluicegate("approve", await waitingOf(project, at.session));
    expect((await held).decision).toBe("allow");
  });

  it("leaves tools that the policy doesn't name to others, where it is set up so", async () => {
    const answers = [];
    for (const unlisted of ["policy", "defer", "pass"])
      answers.push(
        (await project.before("WebSearch", {}, { ...fresh(), words: ["--unlisted", unlisted] })).decision,
      );
    expect(answers).toEqual(["deny", "defer", undefined]);
    const known = await project.before(
      "Bash",
      { command: "x" },
      { ...fresh(), words: ["--wait", "0", "--unlisted", "pass"] },
    );
    expect(known.decision).toBe("deny");
  });

  it.each([
    ["no JSON", "{"],
    ["nothing", ""],
    ["a list", "[]"],
    ["another event", JSON.stringify({ hook_event_name: "Stop" })],
    ["a key twice", `{"hook_event_name":"PreToolUse","hook_event_name":"PreToolUse"}`],
  ])("says no to %s", async (_, text) => {
    const { decision, reason, status } = await project.say(text, { started: text === "" });
    expect([status, decision, reason]).toEqual([
      0,
      "deny",
      expect.stringMatching(/^Sluicegate could not decide/),
    ]);
  });

  it.each([
    ["keys twice", `{"command":"a","command":"b"}`],
    ["__proto__", `{"command":"a","__proto__":{"x":1}}`],
    ["half a surrogate pair", `{"command":"\\ud800"}`],
    ["depth", `{"command":"a","x":${"[".repeat(100_000)}${"]".repeat(100_000)}}`],
  ])("says no to input with %s, and goes on", async (_, input) => {
    const text = `{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/","tool_name":"Bash","tool_use_id":"u","tool_input":${input}}`;
    const { decision, reason } = await project.say(text);
    expect([decision, reason]).toEqual(["deny", expect.stringMatching(/^Sluicegate could not decide/)]);
    expect((await project.before("TodoWrite", { todos: [] }, fresh())).decision).toBe("allow");
  });

  it("takes an input of five megabytes", async () => {
    const content = "x".repeat(5 * 1024 * 1024);
    const started = () => ({ ...fresh(), started: true });
    const [todo, write] = [
      await project.before("TodoWrite", { todos: [content] }, started()),
      await project.before("Write", { file_path: "new.txt", content }, started()),
    ];
    expect([todo.decision, write.decision]).toEqual(["allow", "deny"]);
    expect(write.reason).toContain("waits for a person");
  });
});

describe.each([false, true])("what the agent's tools gave back, with a gateway: %s,", (served) => {
  it("is looked into, whether or not the hook was asked before (C1-detectors)", async () => {
    const detectors = "detectors: { personal_data: secret, limits: { milliseconds: 20000 } }\n";
    await using project = createProject(HOOK_POLICY + detectors);
    if (served) await project.serve();
    const input = { file_path: "notes.md" };
    const levels = async (session: string) =>
      (await entriesOf(project, session)).flatMap(({ kind, data }) =>
        kind === "label-raised" ? [data.findings ?? "declared"] : [],
      );
    await project.before("Read", input, { session: "asked" });
    await project.after("Read", input, { content: "ask ada@example.org" }, { session: "asked" });
    expect(await levels("asked")).toEqual([[{ kind: "personal-data/email", place: "content" }]]);
    await project.after("Read", input, { content: "ask ada@example.org" }, { session: "unasked" });
    expect(await levels("unasked")).toEqual([
      "declared",
      [{ kind: "personal-data/email", place: "content" }],
    ]);
  });
});

describe("a call that the agent's own person is asked about", () => {
  it("counts as approved by them once it has run, and raised the conversation before (D6-binding)", async () => {
    await using project = createProject(CLIENT_POLICY);
    const input = { file_path: "notes.md", old_string: "notes", new_string: "words" };
    const asked = await project.before("Edit", input, { use: "toolu_7" });
    expect(asked.decision).toBe("ask");
    expect(asked.reason).toContain("waits for a person");
    expect((await entriesOf(project)).at(-2)).toMatchObject({
      kind: "label-raised",
      data: { dataset: "workspace" },
    });
    // By now it is another file than the one that was asked about.
    writeFileSync(project.at("notes.md"), "words\n");
    expect((await project.after("Edit", input, { filePath: "notes.md" }, { use: "toolu_7" })).json()).toEqual(
      {},
    );
    const entries = await entriesOf(project);
    expect(entries.slice(-3)).toMatchObject([
      {
        kind: "approval-answered",
        data: { answer: "approved", via: "client", by: "claude-code:conversation-1" },
      },
      { kind: "call-admitted", data: { tool: "mcp__workspace__Edit" } },
      { kind: "call-finished", data: { outcome: "ok" } },
    ]);
    const again = await project.before("Edit", input, { use: "toolu_8" });
    expect(again.decision).toBe("ask");
  });

  it("waits for somebody else where it would release data (D6-binding)", async () => {
    await using project = createProject(CLIENT_POLICY);
    await project.before("mcp__mail__search_email", { query: "x" });
    const asked = await project.before("Bash", { command: "curl x" });
    expect([asked.decision, asked.reason]).toEqual([
      "deny",
      expect.stringContaining("once it has been released"),
    ]);
  });
});

describe("a tool that nobody classified", () => {
  it("asks where the policy says so, and then brings in the worst (C1-declared)", async () => {
    await using project = createProject(`${HOOK_POLICY}unclassified: ask\n`);
    const calls = [
      ["WebSearch", { query: "x" }],
      ["mcp__other__tool", {}],
      ["mcp__mail__send_email", { to: "x" }],
    ] as const;
    for (const [tool, input] of calls) {
      const asked = await project.before(tool, input);
      expect([asked.decision, asked.reason]).toEqual([
        "deny",
        expect.stringContaining("Nobody has classified it yet"),
      ]);
    }
    const [id = ""] = /appr_\w+/.exec((await project.before("WebSearch", { query: "x" })).reason) ?? [];
    await project.sluicegate("approve", id);
    expect((await project.before("WebSearch", { query: "x" })).decision).toBe("allow");
    expect((await project.before("WebFetch", { url: "x" })).decision).toBe("deny");
    expect((await project.before("mcp__mail__search_email", { query: "x" })).decision).toBe("allow");
  });
});

describe("where the agent's tools see more than git does, the hook", () => {
  it("asks about whatever is read or searched in a folder that is no repository (D4)", async () => {
    await using project = createProject();
    rmSync(project.at(".git"), { recursive: true });
    for (const [tool, input] of [
      ["Read", { file_path: "notes.md" }],
      ["Grep", { pattern: "x" }],
    ] as const) {
      const asked = await project.before(tool, input);
      expect([asked.decision, asked.reason]).toEqual([
        "deny",
        expect.stringContaining("isn't a git repository"),
      ]);
    }
  });

  it("asks about a search that ripgrep's own ignore files would change (D4)", async () => {
    await using project = createProject();
    expect((await project.before("Grep", { pattern: "x" })).decision).toBe("allow");
    writeFileSync(project.at(".rgignore"), "!.env\n");
    const asked = await project.before("Grep", { pattern: "SECRET" });
    expect([asked.decision, asked.reason]).toEqual(["deny", expect.stringContaining("Git ignores the path")]);
  });
});

describe("a hook that can't decide", () => {
  const cases: readonly (readonly [string, (project: HookProject) => unknown, string])[] = [
    ["has no policy", ({ folder }) => rmSync(`${folder}/sluicegate.yaml`), "There is no such file"],
    [
      "has a broken policy",
      ({ folder }) => writeFileSync(`${folder}/sluicegate.yaml`, "version: 7\n"),
      "policy",
    ],
    ["has a damaged store", damage, "store"],
    ["has lost its store", ({ store }) => writeFileSync(stateFileOf(store, "key"), "00"), "is gone"],
    ["has an option that nobody knows", () => ["--yes", "always"], "has no option `--yes`"],
    ["has an option twice", () => ["--wait", "1", "--wait", "2"], "is given once"],
    ["is to wait for ever", () => ["--wait", "9999"], "up to 3600"],
  ];
  it.each(cases)("because it %s, says no and why (law-9)", async (_, breakIt, why) => {
    await using project = createProject();
    const words = breakIt(project);
    const told = Array.isArray(words) ? { words } : {};
    const asked = await project.before("TodoWrite", {}, { ...told, started: why === "policy" });
    expect([asked.status, asked.decision, asked.reason]).toEqual([0, "deny", expect.stringContaining(why)]);
  });

  it("has nobody's answer in time, says no (law-9)", async () => {
    await using project = createProject();
    const slow = createServer(() => {}).listen(stateFileOf(project.store, "sock"));
    await once(slow, "listening");
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const answer = project.before("TodoWrite", { todos: [] });
    const [connection] = await once(slow, "connection");
    await vi.advanceTimersByTimeAsync(DECISION_SECONDS * 1000);
    const asked = await answer;
    connection.destroy();
    slow.close();
    expect([asked.decision, asked.reason]).toEqual([
      "deny",
      expect.stringContaining("No decision came in time"),
    ]);
  });

  it.each([
    ["goes away", ""],
    ["breaks off", "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{}"],
    ["is something else", "HTTP/1.1 404 Not Found\r\ncontent-length: 2\r\n\r\n{}"],
  ])("has a gateway that %s in the middle, says no (law-9)", async (_, said) => {
    await using project = createProject();
    const broken = createServer((socket) => socket.once("data", () => socket.end(said)));
    broken.listen(stateFileOf(project.store, "sock"));
    await once(broken, "listening");
    const asked = await project.before("TodoWrite", { todos: [] });
    broken.close();
    expect([asked.decision, asked.reason]).toEqual(["deny", expect.stringContaining("could not decide")]);
  });

  it("stops the agent after a call of which it can't say that it counts (law-8)", async () => {
    await using project = createProject();
    damage(project);
    const response = { type: "text", file: { filePath: "a", content: "SECRET" } };
    const stopped = await project.after("Read", { file_path: "notes.md" }, response);
    expect(stopped.json()).toMatchObject({
      continue: false,
      stopReason: expect.stringContaining("store"),
      hookSpecificOutput: {
        updatedToolOutput: { type: "text", file: { content: "[withheld by Sluicegate]" } },
      },
    });
    expect(stopped.out).not.toContain("SECRET");
  });
});

describe("the gateway's door for hooks", () => {
  let serve: StartedServe;
  it("opens to its owner alone, closes with it, and is nobody's once it was killed", async () => {
    await using project = createProject();
    serve = await project.serve();
    const socket = stateFileOf(project.store, "sock");
    expect(statSync(socket).mode & 0o777).toBe(0o600);
    const read = { file_path: "notes.md" };
    expect((await project.before("Read", read)).decision).toBe("allow");
    await serve.kill();
    expect(existsSync(socket)).toBe(true);
    // What the gateway decided holds for the hook that decides by itself, and for the next gateway.
    expect((await project.before("WebFetch", { url: "x" })).decision).toBe("deny");
    serve = await project.serve();
    expect((await project.before("WebFetch", { url: "x" })).decision).toBe("deny");
    await serve.stop();
    expect(existsSync(socket)).toBe(false);
  });

  it("says no to a hook of another policy", async () => {
    await using project = createProject();
    await using other = createProject();
    await project.serve();
    const asked = await other.before("TodoWrite", {}, { words: ["--store", project.store] });
    expect([asked.decision, asked.reason]).toEqual(["deny", expect.stringContaining("another policy")]);
  });
});

/** As private as a store must be, so that the damage is what is found. */
function damage({ store }: HookProject): void {
  writeFileSync(store, "garbage".repeat(1000), { mode: 0o600 });
}

/** The entries of a conversation. Two processes that begin it at once open a session each, and go on in the same. */
async function entriesOf(project: HookProject, session = "conversation-1"): Promise<readonly ProjectEntry[]> {
  const entries = await project.entries();
  const principal = `claude-code:${session}`;
  const opened = entries.filter(
    ({ kind, data }) => kind === "session-opened" && data.principal === principal,
  );
  const sessions = new Set(opened.map((entry) => entry.session));
  return entries.filter((entry) => sessions.has(entry.session));
}

/** The approval that a conversation waits for, once it does. */
function waitingOf(project: HookProject, session: string): Promise<string> {
  const look = async (): Promise<string> => {
    const { out } = await project.sluicegate("pending", "--once", "--json");
    const { approvals }: { approvals: { id: string; principal: string }[] } = JSON.parse(out);
    const found = approvals.find(({ principal }) => principal === `claude-code:${session}`);
    return found?.id ?? Promise.reject(new Error("Nothing waits."));
  };
  return vi.waitFor(look, { timeout: 30_000 });
}
