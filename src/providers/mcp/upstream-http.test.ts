import { afterAll, afterEach, describe, expect, it } from "vitest";
import { type HttpUpstream, startHttpUpstream } from "../../../test/fixtures/upstream-http.ts";
import type { Schedule } from "./calls/schedule.ts";
import {
  callText,
  createManualSchedule,
  createTestLog,
  createUpstreams,
  failureOf,
  overHttp,
  TOKEN,
  textOf,
  until,
} from "./upstream.test-kit.ts";

const { open, closeAll } = createUpstreams();
const started: HttpUpstream[] = [];
const start = async (era: "modern" | "legacy", port = 0): Promise<HttpUpstream> => {
  const upstream = await startHttpUpstream(era, port);
  started.push(upstream);
  return upstream;
};
afterEach(closeAll);
afterAll(async () => {
  await Promise.all(started.map((upstream) => upstream.close()));
});

describe.each(["modern", "legacy"] as const)("a %s upstream over HTTP", (era) => {
  it("lists and runs its tools with the headers it was given, and with nothing of any client", async () => {
    const upstream = await start(era);
    const web = await open(overHttp(upstream.url), { version: "1.2.3" });
    expect(web).toMatchObject({ status: "ready", problem: null });
    expect(await callText(web, "add", { a: 2, b: 3 })).toBe("5");
    for (const { headers } of upstream.requests) {
      expect(headers.get("authorization")).toBe(`Bearer ${TOKEN}`);
      expect(headers.get("x-team")).toBe("harbour");
    }
    const version = era === "modern" ? "2026-07-28" : "2025-11-25";
    expect(upstream.requests.at(-1)?.headers.get("mcp-protocol-version")).toBe(version);
    const bodies = upstream.requests.map(({ body }) => body).join("\n");
    expect(bodies).toContain('{"name":"sluicegate","version":"1.2.3"}');
  });

  it("tells when its tools change", async () => {
    const upstream = await start(era);
    const web = await open(overHttp(upstream.url));
    expect(web.tools.has("brand_new")).toBe(false);
    upstream.addTool("brand_new");
    await until(web, () => web.tools.has("brand_new"));
  });

  it("cancels a call that its caller gave up", async () => {
    const upstream = await start(era);
    const web = await open(overHttp(upstream.url));
    const abort = new AbortController();
    const held = failureOf(web.run("hold", {}, { signal: abort.signal }));
    await upstream.held;
    abort.abort();
    expect(await held).toMatchObject({ code: "upstream-failed" });
    await upstream.cancelled;
    expect(await callText(web, "add", { a: 1, b: 1 })).toBe("2");
  });

  it("is down when nobody answers, and comes back when somebody does", async () => {
    const timers = createManualSchedule();
    const upstream = await start(era);
    const web = await open(overHttp(upstream.url), { schedule: timers.schedule, random: () => 1 });
    await upstream.close();
    const failure = await failureOf(web.run("add", { a: 1, b: 1 }, {}));
    expect(failure.code).toMatch(/upstream-(unavailable|failed)/);
    timers.elapse(1000);
    await until(web, () => web.status === "down");
    expect(web.problem).toMatch(/could not be reached \((ECONNREFUSED|ECONNRESET|UND_ERR_SOCKET)\)/);
    const again = await start(era, Number(new URL(upstream.url).port));
    timers.elapse(250);
    await until(web, () => web.status === "ready");
    expect(await callText(web, "add", { a: 1, b: 1 })).toBe("2");
    expect(again.requests.map(({ body }) => body).join()).not.toContain("server/discover");
  });

  it.each([
    ["huge_event", "result-too-large", /more than 8388608 bytes/],
    ["huge_body", "result-too-large", /more than 8388608 bytes/],
    ["ends_early", "upstream-failed", /broke off/],
    ["unavailable", "upstream-failed", /^It answered with HTTP status 503\.$/],
    ["web_page", "upstream-failed", /not a valid one/],
  ])("ends a call of %s with %s", async (tool, code, why) => {
    const upstream = await start(era);
    const web = await open(overHttp(upstream.url));
    expect(await failureOf(web.run(tool, {}, {}))).toMatchObject({ code, why: expect.stringMatching(why) });
    expect(await callText(web, "add", { a: 1, b: 1 })).toBe("2");
  });
});

describe("an upstream over HTTP", () => {
  it("is subscribed to again when the subscription breaks off", async () => {
    const upstream = await start("modern");
    const web = await open(overHttp(upstream.url), { limits: { relistMs: 0 } });
    for (const name of ["first", "second"]) {
      upstream.dropConnections();
      upstream.addTool(name);
      await until(web, () => web.tools.has(name));
    }
    expect(web.status).toBe("ready");
  });

  it("is not asked again without a pause, even if it wants that", async () => {
    const upstream = await start("legacy");
    const asked = Promise.withResolvers<number>();
    const schedule: Schedule = (_run, delayMs) => {
      if (delayMs < 60_000) asked.resolve(delayMs);
      return () => {};
    };
    await open(overHttp(`${upstream.url}&impatient`), { schedule, limits: { relistMs: 60_000 } });
    expect(await asked.promise).toBe(1000);
  });

  it("is connected anew when a legacy one forgot the session", async () => {
    const upstream = await start("legacy");
    const timers = createManualSchedule();
    const web = await open(overHttp(upstream.url), { schedule: timers.schedule, random: () => 1 });
    upstream.forgetSessions();
    expect(await failureOf(web.run("add", { a: 1, b: 1 }, {}))).toMatchObject({ code: "upstream-failed" });
    await until(web, () => web.status === "down");
    expect(web.problem).toBe("it answered with HTTP status 404");
    timers.elapse(250);
    await until(web, () => web.status === "ready");
    expect(await callText(web, "add", { a: 1, b: 1 })).toBe("2");
  });

  it("repeats an argument as a header where the schema asks for it", async () => {
    const upstream = await start("modern");
    const web = await open(overHttp(upstream.url));
    expect(await callText(web, "routed", { region: "Zürich" })).toBe("Zürich");
    expect(upstream.requests.at(-1)?.headers.get("mcp-param-region")).toBe("=?base64?WsO8cmljaA==?=");
  });

  it.each([
    ["ask", "client-unable", /declared no capability for/],
    ["ask_anyway", "upstream-failed", /nobody here can answer it/],
  ])("fails a call of %s, which asks a question that nobody can answer", async (tool, code, why) => {
    const upstream = await start("modern");
    const web = await open(overHttp(upstream.url));
    expect(await failureOf(web.run(tool, {}, {}))).toMatchObject({ code, why: expect.stringMatching(why) });
  });

  it("goes on by itself where the server asks nothing, so that no client chooses whether or when (X14)", async () => {
    const upstream = await start("modern");
    const timers = createManualSchedule();
    const web = await open(overHttp(upstream.url), { schedule: timers.schedule });
    let asked = 0;
    const ask = async () => {
      asked += 1;
      return {};
    };
    const call = web.run("busy", {}, { ask });
    await expect.poll(() => timers.delays().includes(250) || asked > 0).toBe(true);
    timers.elapse(250);
    expect([textOf(await call), asked]).toEqual(["done", 0]);
    expect(upstream.requests.at(-1)?.body).toContain('"requestState":"later"');
  });

  it("puts nothing to a client, and sends nothing more, where no question can be passed on (X14)", async () => {
    const upstream = await start("modern");
    const web = await open(overHttp(upstream.url));
    let asked = 0;
    const ask = async () => {
      asked += 1;
      return {};
    };
    const failure = await failureOf(web.run("ask_anyway", {}, { ask }));
    expect(failure.why).toMatch(/nobody here can answer it/);
    const calls = upstream.requests.filter(({ body }) => body.includes('"tools/call"'));
    expect([asked, calls.length]).toEqual([0, 1]);
  });

  it("gives nobody the state of a prompt that asks, where nobody can answer (X14)", async () => {
    const upstream = await start("modern");
    const web = await open(overHttp(upstream.url));
    const asked = web.offers?.request("prompts/get", { name: "ask_anyway" }, {}) ?? Promise.resolve();
    expect(await failureOf(asked)).toMatchObject({ why: expect.stringMatching(/nobody here can answer it/) });
  });

  it("lets go of a question once its call has ended, whatever may be answered (X14)", async () => {
    const upstream = await start("legacy");
    const web = await open(overHttp(upstream.url));
    let held = 0;
    const ask = (): Promise<never> => {
      held += 1;
      return Promise.reject(new Error("The client declines."));
    };
    const exchange = { session: "s", labelHolder: "s", ask, mayAnswer: async () => false };
    // More than the questions that one label holder may have open.
    for (let call = 0; call < 65; call += 1) await web.run("ask_and_end", {}, exchange);
    await expect.poll(() => held).toBe(65);
  });

  it("gives up on a server that asks again whatever it is answered", async () => {
    const upstream = await start("modern");
    const web = await open(overHttp(upstream.url));
    const asked: string[] = [];
    const call = web.run(
      "ask",
      {},
      {
        capabilities: { elicitation: { form: {} } },
        ask: async (questions) => {
          asked.push(...Object.values(questions).map(({ method }) => method));
          const answer = { action: "accept", content: { sure: true } };
          return Object.fromEntries(Object.keys(questions).map((key) => [key, answer]));
        },
      },
    );
    expect(await failureOf(call)).toMatchObject({ code: "upstream-failed" });
    expect(asked).toEqual(Array(10).fill("elicitation/create"));
  });

  it.each([
    "isn't answered yet",
    "may not be answered",
  ])("ends a call with its connection whose question %s, so that nothing keeps a stop from ending", async (state) => {
    const upstream = await start("modern");
    const timers = createManualSchedule();
    const web = await open(overHttp(upstream.url), { schedule: timers.schedule });
    const asked = Promise.withResolvers<void>();
    const call = web.run(
      "ask",
      {},
      {
        capabilities: { elicitation: { form: {} } },
        ask: async () => {
          asked.resolve();
          if (state === "may not be answered") throw new Error("It may not know.");
          return new Promise(() => {});
        },
        mayAnswer: async () => state !== "may not be answered",
      },
    );
    const failure = failureOf(call);
    await asked.promise;
    await web.close();
    expect(await failure).toMatchObject({
      code: "upstream-failed",
      why: expect.stringContaining("The connection ended while it ran."),
    });
    expect(timers.delays()).toEqual([]);
  });

  it("says without any secret why a server can't be reached", async () => {
    const { lines, onLog } = createTestLog();
    const web = await open(overHttp("http://someone:password1@127.0.0.1:1/mcp?key=query-secret"), { onLog });
    const failure = await failureOf(web.run("add", {}, {}));
    const said = [...lines, web.problem, failure.message, failure.why, failure.fix].join("\n");
    expect(web.status).toBe("down");
    expect(said).not.toMatch(/password1|query-secret|token-/);
  });
});
