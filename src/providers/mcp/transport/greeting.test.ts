import { afterAll, describe, expect, it } from "vitest";
import { callText, createTestLog, createUpstreams, failureOf, hostile, until } from "../upstream.test-kit.ts";

const { open, closeAll } = createUpstreams();
afterAll(closeAll);

describe("a server that greets oddly", () => {
  it("is started once more and asked for an older protocol when it ends at the question for the newest", async () => {
    const server = await open(hostile("exits-when-asked"));
    expect(server.status).toBe("ready");
    expect(await callText(server, "echo", { a: 1 })).toBe('{"a":1}');
  });

  it("is asked for an older protocol when it is silent at the newest", async () => {
    const { onLog, lines } = createTestLog();
    const server = await open(hostile("silent-when-asked"), { limits: { probeMs: 50 }, onLog });
    expect(server.status).toBe("ready");
    expect(lines.at(-1)).toMatch(/protocol 2025-11-25/);
  });

  it("is down when it is silent at every question", async () => {
    const server = await open(hostile("silent"), { limits: { probeMs: 20, connectMs: 50, closeMs: 500 } });
    expect(server).toMatchObject({ status: "down", problem: "it did not answer in time" });
    expect(await failureOf(server.run("echo", {}, {}))).toMatchObject({
      code: "upstream-unavailable",
      why: "It did not answer in time.",
    });
  });
});

describe("a server that lists oddly", () => {
  it.each([
    ["many-tools", "it offers more than 1000 tools"],
    ["endless-pages", "its list of tools has more than 50 pages"],
    ["large-tool", "a tool definition of it has more than 65536 bytes"],
    ["large-tools", "its tool definitions have more than 2097152 bytes"],
    ["no-list", "its list of tools is not a list"],
  ])("is not ready, and offers nothing, with %s", async (mode, problem) => {
    const server = await open(hostile(mode));
    expect(server).toMatchObject({ status: "down", problem });
    expect(server.tools.size).toBe(0);
  });

  it("is not ready when its list takes too long", async () => {
    const server = await open(hostile("never-lists"), { limits: { listMs: 50 } });
    expect(server).toMatchObject({ status: "down", problem: "it did not answer in time" });
  });

  it("has its tools listed again when they change while they are listed", async () => {
    const server = await open(hostile("changes-at-once"), { limits: { relistMs: 0 } });
    await until(server, () => server.tools.has("late"));
  });

  it("has all its pages read", async () => {
    const server = await open(hostile("pages"));
    expect([...server.tools.keys()]).toEqual(["a", "b"]);
  });

  it("loses the tools whose names can't be used or are offered twice, and the fields that nobody knows", async () => {
    const { onLog, lines } = createTestLog();
    const server = await open(hostile("odd-tools"), { onLog });
    const known = [...server.tools].map(([name, { raw: _, ...tool }]) => [name, tool]);
    expect(Object.fromEntries(known)).toEqual({
      constructor: { name: "constructor", inputSchema: { type: "object" } },
      full: {
        name: "full",
        title: "Full",
        description: "All fields",
        inputSchema: { type: "object" },
        outputSchema: { type: "object" },
        annotations: { readOnlyHint: true },
      },
    });
    expect(lines).toEqual([
      ...Array.from({ length: 8 }, () => "left out a tool without a usable name or input schema"),
      "left out the tool twin: it is offered more than once",
      "ready: 2 tools, protocol 2025-11-25",
    ]);
  });
});
