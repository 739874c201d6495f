import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ToolProvider } from "../../runtime/index.ts";
import { callText, createTestLog, createUpstreams, failureOf, hostile, TOKEN } from "./upstream.test-kit.ts";

const { open, closeAll } = createUpstreams();
const log = createTestLog();
let server: ToolProvider;
beforeAll(async () => {
  server = await open(hostile("plain"), { onLog: log.onLog });
});
afterAll(closeAll);

const call = (tool: string, args = {}): Promise<unknown> => server.run(tool, args, {});

describe("a call of a hostile server", () => {
  it("keeps fields and blocks that nobody knows, and results that break their own schema", async () => {
    expect(await call("odd_result")).toEqual({
      content: [
        { type: "hologram", depth: 3, beams: [1, 2] },
        { type: "text", text: "a", tint: "red" },
      ],
      structuredContent: { sum: "not a number" },
      isError: false,
    });
  });

  it("gives structured content that is not an object as text", async () => {
    expect(await call("list_result")).toEqual({ content: [{ type: "text", text: "[1,2]" }] });
  });

  it("takes only the first answer that has the call's own id, whatever else is written", async () => {
    expect(await callText(server, "chatter")).toBe("the first answer");
    expect(await callText(server, "echo")).toBe("{}");
    expect(log.lines.filter((line) => line.includes("not a message")).length).toBe(4);
  });

  it("offers the server nothing: every request of it but ping is refused", async () => {
    expect(JSON.parse(String(await callText(server, "ask_client")))).toMatchObject([
      { id: "roots/list", error: { code: -32601 } },
      { id: "sampling/createMessage", error: { code: -32601 } },
      { id: "elicitation/create", error: { code: -32601 } },
      { id: "ping", result: {} },
    ]);
  });

  it("survives bytes that are not UTF-8", async () => {
    expect(await callText(server, "invalid_utf8")).toBe("caf\ufffd(\ufffd\ufffd");
  });

  it("ends the call alone whose answer is 100 MB long, with other calls running", async () => {
    const [held, huge] = [server.run("hold", {}, {}), failureOf(call("huge_line"))];
    expect(await huge).toMatchObject({ code: "result-too-large", details: { bytes: 8 * 1024 * 1024 } });
    await call("release");
    expect(await held).toEqual({ content: [{ type: "text", text: "1" }] });
  });

  it.each([
    ["large_result", "result-too-large", /more than 8388608 bytes/],
    ["many_values", "result-too-large", /75000 values/],
    ["deep", "upstream-failed", /nested too deep/],
    ["wrong_shape", "upstream-failed", /not a valid one/],
    ["wrong_blocks", "upstream-failed", /not the result of a tool/],
    ["question", "upstream-failed", /nobody here can answer it/],
  ])("ends a call of %s with %s", async (tool, code, why) => {
    expect(await failureOf(call(tool))).toMatchObject({ code, why: expect.stringMatching(why) });
    expect(server.status).toBe("ready");
  });

  it("tells an error of the server by its code and its message, cleaned and cut", async () => {
    const { code, why } = await failureOf(call("rpc_error"));
    expect(code).toBe("upstream-failed");
    expect(why).toMatch(
      /^It answered with the error -32055: bad \\u\{1b\}\[31m\\u\{202e\} token \[redacted\] x+…$/,
    );
    expect(why.length).toBeLessThan(350);
  });

  it("logs what the server writes to stderr, cleaned, cut and not too much of it", async () => {
    const before = log.lines.length;
    await call("complain");
    await log.seen("stderr: flood", 10);
    const lines = log.lines.slice(before);
    expect(lines.slice(0, 4)).toEqual([
      "stderr: the token is [redacted]",
      "stderr: \\u{1b}[2J\\u{202e} bell \\u{7}",
      "stderr: left out a line of more than 65536 bytes",
      "stderr: flood",
    ]);
    await call("echo");
    expect(log.lines.length).toBeLessThan(100);
    expect(log.lines.join()).not.toContain(TOKEN);
  });

  it("refuses a tool that is not on the server's list", async () => {
    expect(await failureOf(call("constructor"))).toMatchObject({
      code: "upstream-failed",
      message: "The server `hostile` does not offer the tool `constructor`.",
    });
  });
});
