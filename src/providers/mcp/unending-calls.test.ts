import { afterAll, describe, expect, it } from "vitest";
import {
  callText,
  createTestLog,
  createUpstreams,
  failureOf,
  hostile,
  textOf,
  until,
} from "./upstream.test-kit.ts";

const { open, closeAll } = createUpstreams();
afterAll(closeAll);

describe("a call that does not end", () => {
  it("ends at its time limit and is cancelled at the server", async () => {
    const impatient = await open(hostile("plain"), { limits: { callMs: 100 } });
    expect(await failureOf(impatient.run("hang", {}, {}))).toMatchObject({
      code: "upstream-timeout",
      message: "The server `hostile` took too long for the tool `hang`.",
      why: "No result came within 100 ms.",
    });
    expect(await callText(impatient, "cancelled")).toBe("1");
    expect(impatient.status).toBe("ready");
  });

  it("ends when its caller gives up, is cancelled at the server and frees its slot", async () => {
    const { onLog, seen } = createTestLog();
    const narrow = await open(hostile("plain"), { limits: { callsInFlight: 1 }, onLog });
    const abort = new AbortController();
    const hanging = failureOf(narrow.run("hang", {}, { signal: abort.signal }));
    const queued = failureOf(narrow.run("hang", {}, { signal: abort.signal }));
    const next = callText(narrow, "cancelled");
    await seen("stderr: hanging");
    abort.abort(new Error("the client left"));
    expect(await hanging).toMatchObject({
      code: "upstream-failed",
      why: expect.stringMatching(/no longer waits/),
    });
    expect(await queued).toMatchObject({ code: "upstream-failed" });
    expect(await next).toBe("1");
    expect(await failureOf(narrow.run("echo", {}, { signal: abort.signal }))).toMatchObject({
      message: "The call of `echo` on the server `hostile` was given up.",
    });
  });

  it("ends with the process, and the next one answers", async () => {
    const fragile = await open(hostile("plain"), { random: () => 0 });
    const held = failureOf(fragile.run("hold", {}, {}));
    const exiting = failureOf(fragile.run("exit", {}, {}));
    expect(await exiting).toMatchObject({
      code: "upstream-failed",
      why: expect.stringMatching(/ended while it ran/),
    });
    expect(await held).toMatchObject({ code: "upstream-failed" });
    await until(fragile, () => fragile.status === "ready");
    expect(await callText(fragile, "echo")).toBe("{}");
  });

  it("has the server replaced that doesn't answer anything any more", async () => {
    const limits = { callMs: 100, listMs: 100 };
    const frozen = await open(hostile("plain"), { limits, random: () => 0 });
    expect(await failureOf(frozen.run("freeze", {}, {}))).toMatchObject({ code: "upstream-timeout" });
    await until(frozen, () => frozen.status === "down");
    expect(frozen.problem).toBe("it did not answer in time");
    await until(frozen, () => frozen.status === "ready");
    expect(await callText(frozen, "echo")).toBe("{}");
  });

  it("is refused when the server doesn't read what was sent before", async () => {
    const deaf = await open(hostile("plain"), { limits: { backlogBytes: 1024 * 1024, closeMs: 50 } });
    await callText(deaf, "deafen");
    const unread = failureOf(deaf.run("echo", { text: "x".repeat(3 * 1024 * 1024) }, {}));
    await new Promise(setImmediate);
    expect(await failureOf(deaf.run("echo", {}, {}))).toMatchObject({
      code: "upstream-unavailable",
      why: "It does not read its input.",
    });
    await deaf.close();
    expect(await unread).toMatchObject({ code: "upstream-failed" });
  });

  it("leaves others the server that doesn't read for a while", async () => {
    const deaf = await open(hostile("plain"), { limits: { backlogBytes: 1024 * 1024, relistMs: 0 } });
    await deaf.run("deafen", { milliseconds: 1000 }, {});
    const text = "x".repeat(200 * 1024);
    const flood = Array.from({ length: 12 }, (_, at) =>
      deaf.run("echo", { text }, { labelHolder: `session ${at % 6}`, principal: "eve" }).then(
        () => "answered",
        ({ why }) => why,
      ),
    );
    const other = deaf.run("echo", { text }, { labelHolder: "another session", principal: "bob" });
    expect(textOf(await other)).toBe(JSON.stringify({ text }));
    expect(new Set(await Promise.all(flood))).toEqual(new Set(["answered", "It does not read its input."]));
    expect(deaf.status).toBe("ready");
  });

  it("ends with the process that writes a line without an end", async () => {
    const { lines, onLog } = createTestLog();
    const endless = await open(hostile("plain"), { limits: { messageBytes: 1024 * 1024 }, onLog });
    expect(await failureOf(endless.run("endless_line", {}, {}))).toMatchObject({ code: "upstream-failed" });
    expect(lines).toContain("killed: it wrote a line without an end");
    expect(endless.problem).toBe("its process was ended by SIGKILL");
  });
});

describe("calls beyond the limits of an upstream", () => {
  it("wait for those before them, and are refused when too many wait", async () => {
    const { onLog, seen } = createTestLog();
    const narrow = await open(hostile("plain"), { limits: { callsInFlight: 1, callsWaiting: 1 }, onLog });
    const abort = new AbortController();
    const hanging = failureOf(narrow.run("hang", {}, { signal: abort.signal }));
    await seen("stderr: hanging");
    const waiting = callText(narrow, "cancelled");
    expect(await failureOf(narrow.run("echo", {}, {}))).toMatchObject({
      code: "limit-reached",
      message: "Too many calls wait for the server `hostile`.",
    });
    abort.abort();
    await hanging;
    expect(await waiting).toBe("1");
  });
});
