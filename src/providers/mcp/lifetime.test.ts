import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import {
  callText,
  createManualSchedule,
  createTestLog,
  createUpstreams,
  failureOf,
  hostile,
  program,
  until,
} from "./upstream.test-kit.ts";

const { open, closeAll } = createUpstreams();
afterAll(closeAll);

const random = (): number => 1;

/** A port that processes of the fixture hold a connection to while they live. */
async function listenForLives(): Promise<{
  port: string;
  lives(count: number): Promise<Socket[]>;
  server: Server;
}> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on("error", () => {}).resume());
    server.emit("life");
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  const port = typeof address === "object" && address ? `${address.port}` : "";
  const lives = async (count: number): Promise<Socket[]> => {
    while (sockets.length < count) await new Promise((resolve) => server.once("life", resolve));
    return sockets;
  };
  return { port, lives, server };
}

const ended = (socket: Socket): Promise<unknown> =>
  socket.closed ? Promise.resolve() : new Promise((resolve) => socket.once("close", resolve));

describe("an upstream that is lost", () => {
  it("is tried again after longer and longer waits", async () => {
    const timers = createManualSchedule();
    const server = await open(program("no-such-program"), { schedule: timers.schedule, random });
    const delays: number[] = [];
    for (let attempt = 0; attempt < 10; attempt += 1) {
      const [delay = 0] = timers.delays();
      delays.push(delay);
      const { promise, resolve } = Promise.withResolvers<void>();
      const stop = server.watch(resolve);
      timers.elapse(delay);
      await promise;
      stop();
    }
    expect(delays).toEqual([250, 500, 1000, 2000, 4000, 8000, 16000, 30000, 30000, 30000]);
  });

  it("fails calls at once while it is away, keeps its tools known, and comes back", async () => {
    const timers = createManualSchedule();
    const server = await open(hostile("plain"), { schedule: timers.schedule, random });
    const seen: string[] = [];
    server.watch(() => seen.push(`${server.status}: ${server.problem}`));
    await failureOf(server.run("exit", {}, {}));
    await until(server, () => server.status === "down");
    expect(server.tools.has("echo")).toBe(true);
    expect(await failureOf(server.run("echo", {}, {}))).toMatchObject({
      code: "upstream-unavailable",
      message: "The server `hostile` can't be called now.",
      why: "Its process ended with an error.",
    });
    timers.elapse(250);
    await until(server, () => server.status === "ready");
    expect(await callText(server, "echo", { back: true })).toBe('{"back":true}');
    expect(seen).toEqual(["down: its process ended with an error", "ready: null"]);
  });

  it("waits the shortest time again once it was stable for a while", async () => {
    const timers = createManualSchedule();
    const server = await open(hostile("plain"), { schedule: timers.schedule, random });
    const lose = async (): Promise<void> => {
      await failureOf(server.run("exit", {}, {}));
      await until(server, () => server.status === "down");
    };
    const comeBack = async (delay: number): Promise<void> => {
      timers.elapse(delay);
      await until(server, () => server.status === "ready");
    };
    await lose();
    await comeBack(250);
    await lose();
    expect(timers.delays()).toContain(500);
    await comeBack(500);
    timers.elapse(60_000);
    await lose();
    expect(timers.delays()).toContain(250);
  });
});

describe("an upstream whose tools change", () => {
  it("lists them again and tells who watches, whatever a watcher does", async () => {
    const timers = createManualSchedule();
    const server = await open(hostile("plain"), { schedule: timers.schedule });
    server.watch(() => {
      throw new Error("a faulty watcher");
    });
    await callText(server, "add_tool", { name: "brand_new" });
    await until(server, () => server.tools.has("brand_new"));
    await callText(server, "add_tool", { name: "newer" });
    await callText(server, "add_tool", { name: "newest" });
    expect(server.tools.has("newer")).toBe(false);
    timers.elapse(1000);
    await until(server, () => server.tools.has("newest"));
    expect(server.tools.has("newer")).toBe(true);
  });

  it("is not ready any more when it offers too much", async () => {
    const server = await open(hostile("plain"), { limits: { tools: 30, relistMs: 0 } });
    for (let at = 0; server.tools.size <= 30 && at < 30; at += 1) {
      await callText(server, "add_tool", { name: `extra_${at}` }).catch(() => {});
      if (server.status !== "ready") break;
    }
    await until(server, () => server.status === "down");
    expect(server).toMatchObject({ problem: "it offers more than 30 tools" });
    expect(server.tools.size).toBe(0);
  });
});

describe("an upstream that is closed", () => {
  it("takes along its process, and what that started, even if neither wants to end", async () => {
    const { port, lives, server } = await listenForLives();
    const { onLog, seen } = createTestLog();
    const upstream = await open(hostile("stubborn", port), { limits: { closeMs: 50 }, onLog });
    const sockets = await lives(2);
    const held = failureOf(upstream.run("hang", {}, {}));
    await seen("stderr: hanging");
    await upstream.close();
    await Promise.all(sockets.map(ended));
    expect(await held).toMatchObject({ code: "upstream-failed" });
    expect(upstream.status).toBe("closed");
    expect(await failureOf(upstream.run("echo", {}, {}))).toMatchObject({ why: "It was closed." });
    server.close();
  });

  it("takes its process along when the gateway exits without closing it", async () => {
    const { port, lives, server } = await listenForLives();
    const gateway = `
      import { connectUpstream } from ${JSON.stringify(join(import.meta.dirname, "upstream.ts"))};
      await connectUpstream(${JSON.stringify(hostile("stubborn", port))}).settled;
      process.stdin.once("data", () => process.exit());`;
    const running = spawn(process.execPath, ["--input-type=module", "-e", gateway], {
      stdio: ["pipe", "ignore", "ignore"],
    });
    const sockets = await lives(2);
    running.stdin.write("exit\n");
    await Promise.all([once(running, "exit"), ...sockets.map(ended)]);
    server.close();
  });

  it("takes its process along when the gateway is killed, though that ignores the end of its input and SIGTERM", async () => {
    const { port, lives, server } = await listenForLives();
    const gateway = `
      import { connectUpstream } from ${JSON.stringify(join(import.meta.dirname, "upstream.ts"))};
      await connectUpstream(${JSON.stringify(hostile("stubborn", port))}).settled;`;
    const running = spawn(process.execPath, ["--input-type=module", "-e", gateway], { stdio: "ignore" });
    const sockets = await lives(2);
    running.kill("SIGKILL");
    await Promise.all(sockets.map(ended));
    server.close();
  });

  it("leaves no process behind, at whatever moment of its start it is closed", async () => {
    for (let moment = 0; moment < 12; moment += 1) {
      const connecting = open(program("cat"));
      for (let turn = 0; turn < moment; turn += 1) await Promise.resolve();
      await closeAll();
      expect((await connecting).status).toBe("closed");
    }
    // Node lets go of a process that has ended in its next turn.
    for (let turn = 0; turn < 2; turn += 1) await new Promise(setImmediate);
    expect(process.getActiveResourcesInfo()).not.toContain("ProcessWrap");
  });

  it("is not tried again", async () => {
    const timers = createManualSchedule();
    const server = await open(program("no-such-program"), { schedule: timers.schedule });
    await server.close();
    expect(server.status).toBe("closed");
    expect(timers.delays()).toEqual([]);
  });
});
