import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import {
  callText,
  createUpstreams,
  failureOf,
  hostile,
  program,
  ROOT,
  TOKEN,
  textOf,
} from "./upstream.test-kit.ts";

const { open, closeAll } = createUpstreams();
afterAll(closeAll);

const bin = (name: string): string => join(ROOT, "node_modules/.bin", name);

describe("an upstream over stdio", () => {
  it("lists and runs the tools of the filesystem server, which speaks 2025-11-25", async () => {
    const folder = mkdtempSync(join(tmpdir(), "upstream-"));
    writeFileSync(join(folder, "note.txt"), "hello from disk");
    const log: string[] = [];
    const files = await open(program(bin("mcp-server-filesystem"), [folder]), {
      onLog: (line) => log.push(line),
    });
    expect(files).toMatchObject({ id: "files", status: "ready", problem: null });
    expect(log).toContain("ready: 14 tools, protocol 2025-11-25");
    expect(files.tools.get("read_text_file")).toMatchObject({ annotations: { readOnlyHint: true } });
    const result = await files.run("read_text_file", { path: join(folder, "note.txt") }, {});
    expect(result).toEqual({
      content: [{ type: "text", text: "hello from disk" }],
      structuredContent: { content: "hello from disk" },
    });
  });

  it("gives a tool's own error back as a result", async () => {
    const files = await open(program(bin("mcp-server-filesystem"), [ROOT]));
    const result = await files.run("read_text_file", { path: "/etc/passwd" }, {});
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(/Access denied/);
  });

  it("lists and runs the tools of servers that speak 2026-07-28", async () => {
    const log: string[] = [];
    const onLog = (line: string): unknown => log.push(line);
    const [office, database] = await Promise.all([
      open(program("node", ["examples/office/server.ts", "office"]), { onLog }),
      open(program("node", ["examples/office/crm.ts"]), { onLog }),
    ]);
    expect(log.filter((line) => line.startsWith("ready"))).toEqual([
      "ready: 2 tools, protocol 2026-07-28",
      "ready: 2 tools, protocol 2026-07-28",
    ]);
    expect(await callText(office, "search_docs", { query: "release" })).toMatch(/release/i);
    expect(await callText(database, "execute_sql", { sql: "select 6 * 7 as answer" })).toMatch(
      /"answer": 42/,
    );
  });

  it("sends exactly the given arguments", async () => {
    const server = await open(hostile("plain"));
    const args = JSON.parse('{"b":[1,{"é":null}],"a":"","__proto__":{"x":1},"constructor":2}');
    expect(await callText(server, "echo", args)).toBe(JSON.stringify(args));
  });

  it("gives its process a small environment of its own", async () => {
    process.env.SLUICEGATE_TEST_SECRET = "gateway";
    process.env.UNRELATED_SECRET = "somebody's";
    process.env.npm_config__auth = "npm's";
    const server = await open(hostile("plain"));
    const environment: unknown = JSON.parse(String(await callText(server, "env")));
    expect(environment).toMatchObject({ API_TOKEN: TOKEN, HOME: process.env.HOME });
    const names = Object.keys(environment as object).join();
    expect(names).not.toMatch(/SLUICEGATE|UNRELATED|npm_config__auth|npm_package|npm_lifecycle|VITEST/);
  });

  it("says plainly why a server can't be started", async () => {
    const absent = await open(program("no-such-program"));
    const moved = await open(program("node", [], "/no/such/folder"));
    const failing = await open(program("node", ["-e", "process.exit(1)"]));
    const telling = await open(program("node", ["-e", "process.exit(42)"]));
    expect(absent.problem).toBe("its command or its working directory does not exist");
    expect(moved.problem).toBe(absent.problem);
    expect(failing.problem).toBe("its process ended with exit code 1");
    // THREAT: whoever may call nothing of a server is told this as well, so the server doesn't choose the number.
    expect(telling.problem).toBe("its process ended with an error");
    expect(await failureOf(failing.run("any", {}, {}))).toMatchObject({
      code: "upstream-unavailable",
      message: "The server `files` can't be called now.",
      why: "Its process ended with exit code 1.",
    });
  });
});
