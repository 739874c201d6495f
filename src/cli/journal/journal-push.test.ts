/** The record on its way out: to a webhook, a syslog and a collector, with kills of either side. */
import { spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { json } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import {
  ENV,
  endWithTest,
  expectAllArrives,
  kill,
  type Received,
  type Receiver,
  SECRET,
} from "../../../test/fixtures/journal-push.ts";
import { sluicegate } from "../cli.test-kit.ts";
import { CALLS, createRecord } from "./journal.test-kit.ts";

const RECEIVER = resolve(import.meta.dirname, "../../../test/fixtures/record-receiver.ts");

async function startReceiver(kind: "http" | "syslog", file: string, port = 0) {
  const child = endWithTest(
    spawn(process.execPath, [RECEIVER, kind, String(port), file], {
      stdio: ["ignore", "pipe", "inherit"],
    }),
  );
  const [printed] = await once(child.stdout, "data");
  return { port: Number(`${printed}`), kill: () => kill(child) };
}

/** What a receiver has written whole. */
const messagesIn = (file: string): any[] =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\x1e")
        .flatMap((message) => (message.endsWith("\n") ? [JSON.parse(message)] : []))
    : [];

/** Each kind: the receiver that takes it, the target at its port, and the entries in what it wrote. */
const KINDS = {
  webhook: {
    receiver: "http",
    to: (port: number) => `webhook:http://127.0.0.1:${port}/hook`,
    entriesIn: ({ body }: any): Received[] => JSON.parse(body).entries,
  },
  otlp: {
    receiver: "http",
    to: (port: number) => `otlp:http://127.0.0.1:${port}/v1/logs`,
    entriesIn: ({ body }: any): Received[] =>
      JSON.parse(body).resourceLogs[0].scopeLogs[0].logRecords.map((record: any) =>
        JSON.parse(record.body.stringValue),
      ),
  },
  syslog: {
    receiver: "syslog",
    to: (port: number) => `syslog:tcp://127.0.0.1:${port}`,
    entriesIn: ({ message }: any): Received[] => [JSON.parse(message.split("\uFEFF")[1])],
  },
} as const;

const createReceiver = (
  { receiver, to, entriesIn }: (typeof KINDS)[keyof typeof KINDS],
  folder: string,
): Receiver => {
  const file = join(folder, "received");
  let running: Awaited<ReturnType<typeof startReceiver>>;
  return {
    start: async (port) => {
      running = await startReceiver(receiver, file, port);
      return running.port;
    },
    kill: () => running.kill(),
    to,
    received: () => messagesIn(file).flatMap(entriesIn),
  };
};

describe.each(Object.entries(KINDS))("the record is pushed to a %s", (_, kind) => {
  it("whole, whichever side is killed; what comes twice has the same position (X27)", () =>
    expectAllArrives((folder) => createReceiver(kind, folder)));
});

describe("pushing the record", () => {
  it("signs what a webhook gets, and goes on where it was (X27)", async () => {
    using record = await createRecord(CALLS);
    const file = join(record.path, "received");
    const { port } = await startReceiver("http", file);
    const args = ["journal", "push", "--once", "--to", KINDS.webhook.to(port)];
    expect((await sluicegate(args, { cwd: record.path, env: ENV })).status).toBe(0);
    expect((await sluicegate(args, { cwd: record.path, env: ENV })).status).toBe(0);
    const [{ headers, body }, ...more] = messagesIn(file);
    expect(more).toEqual([]);
    const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
    expect(headers["webhook-signature"]).toBe(
      `v1,${createHmac("sha256", SECRET).update(signed).digest("base64")}`,
    );
  });

  it("sends fewer entries at once to a receiver that refuses many (X27)", async () => {
    using record = await createRecord(CALLS);
    const sizes: number[] = [];
    const server = createServer(async (request, response) => {
      const { entries } = (await json(request)) as { entries: unknown[] };
      sizes.push(entries.length);
      response.writeHead(entries.length > 3 ? 413 : 204).end();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const args = ["journal", "push", "--once", "--to", KINDS.webhook.to(port)];
    const ran = await sluicegate(args, { cwd: record.path, env: ENV });
    server.close();
    expect([ran.status, sizes]).toEqual([0, [6, 3, 3]]);
  });

  it("refuses a store that isn't the one that was pushed before (X27)", async () => {
    using record = await createRecord(CALLS);
    using other = await createRecord(["web_search"]);
    const { port } = await startReceiver("http", join(record.path, "received"));
    const cursor = join(record.path, "cursor.json");
    const args = ["journal", "push", "--once", "--to", KINDS.otlp.to(port), "--cursor", cursor];
    expect((await sluicegate(args, { cwd: record.path, env: ENV })).status).toBe(0);
    const refused = await sluicegate(args, { cwd: other.path, env: ENV });
    expect([refused.status, refused.err]).toEqual([
      2,
      expect.stringContaining("isn't the one that was pushed"),
    ]);
    rmSync(cursor);
    expect((await sluicegate(args, { cwd: other.path, env: ENV })).status).toBe(0);
  });

  it.each([
    ["http://127.0.0.1/x", "names no place to push to"],
    ["webhook:ftp://127.0.0.1/x", "can't be pushed there"],
    ["otlp:http://log.acme.example/v1/logs", "can't be pushed there"],
    ["syslog:udp://127.0.0.1", "names no place to push to"],
    ["otlp:https://me:word@log.acme.example", "names no place to push to"],
  ])("refuses `%s`, and says what to write (X27)", async (to, message) => {
    using record = await createRecord([]);
    const refused = await sluicegate(["journal", "push", "--to", to], { cwd: record.path, env: ENV });
    expect([refused.status, refused.err]).toEqual([2, expect.stringContaining(message)]);
  });

  it("needs a secret for a webhook (X27)", async () => {
    using record = await createRecord([]);
    const refused = await sluicegate(["journal", "push", "--to", KINDS.webhook.to(9)], { cwd: record.path });
    expect([refused.status, refused.err]).toEqual([2, expect.stringContaining("SLUICEGATE_PUSH_SECRET")]);
  });
});
