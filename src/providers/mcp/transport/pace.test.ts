import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { afterEach, expect, it, vi } from "vitest";
import { UPSTREAM_LIMITS } from "../limits.ts";
import { createBoundedFetch } from "./bounded-fetch.ts";
import { Pace, Periods, readPaced } from "./pace.ts";

afterEach(() => {
  if (vi.isFakeTimers()) vi.runOnlyPendingTimers();
  vi.useRealTimers();
});

const linesIn = (bytes: Uint8Array): number => bytes.filter((byte) => byte === 0x0a).length;

it("reads a process that writes many lines at once a few at a time, in their order (X14)", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  const text = Array.from({ length: 400 }, (_, index) => `${index}\n`).join("");
  const stream = new Readable({ read: () => {} });
  let read = "";
  const pace = new Pace(new Periods());
  const add = (bytes: Buffer) => {
    read += bytes.toString();
  };
  readPaced(stream, add, { pace });
  stream.push(text);
  stream.push("end\n");
  stream.push(null);
  const steps: number[] = [];
  for (let period = 0; period < 4; period += 1) {
    await new Promise(setImmediate);
    steps.push(linesIn(Buffer.from(read)));
    await vi.advanceTimersByTimeAsync(10);
  }
  expect(steps).toEqual([128, 256, 384, 401]);
  expect(read).toBe(`${text}end\n`);
});

it("reads no more while its reader is busy, and says when all is read (X14)", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  const stream = new Readable({ read: () => {} });
  let [read, free] = ["", Promise.withResolvers<void>()];
  let isBusy = true;
  const add = (bytes: Buffer) => {
    read += bytes.toString();
  };
  const whole = readPaced(stream, add, { busy: () => (isBusy ? free.promise : null) });
  stream.push("one\n");
  await new Promise(setImmediate);
  expect([read, stream.isPaused()]).toEqual(["", true]);
  free.resolve();
  free = Promise.withResolvers();
  await new Promise(setImmediate);
  expect(read).toBe("");
  isBusy = false;
  free.resolve();
  await whole();
  expect([read, stream.isPaused()]).toEqual(["one\n", false]);
});

it("divides the lines of a period among all that write more than their share (X14)", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  const periods = new Periods();
  const read = Array.from({ length: 8 }, () => 0);
  for (const index of read.keys()) {
    const stream = new Readable({ read: () => {} });
    const add = (bytes: Buffer) => {
      read[index] = (read[index] ?? 0) + linesIn(bytes);
    };
    readPaced(stream, add, { pace: new Pace(periods) });
    stream.push("x\n".repeat(400));
  }
  await new Promise(setImmediate);
  expect(read).toEqual(read.map(() => 128));
  await vi.advanceTimersByTimeAsync(10);
  expect(read).toEqual(read.map(() => 144));
  await vi.advanceTimersByTimeAsync(10);
  expect(read).toEqual(read.map(() => 160));
});

it("reads a stream of many small events a few at a time (X14)", async () => {
  const body = "data: {}\n\n".repeat(300);
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "Text/Event-Stream; charset=utf-8" });
    response.end(body);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const response = await createBoundedFetch(UPSTREAM_LIMITS, () => {})(`http://127.0.0.1:${port}`);
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body ?? []) chunks.push(chunk);
  server.close();
  expect(Buffer.concat(chunks).toString()).toBe(body);
  expect(Math.max(...chunks.map(linesIn))).toBeLessThanOrEqual(128);
});

it("counts a long line as several (X14)", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  const stream = new Readable({ read: () => {} });
  let read = 0;
  const add = (bytes: Buffer) => {
    read += bytes.length;
  };
  readPaced(stream, add, { pace: new Pace(new Periods()) });
  stream.push(Buffer.alloc(4_000_000, 0x78));
  await new Promise(setImmediate);
  expect(read).toBe(128 * 4096);
  await vi.advanceTimersByTimeAsync(80);
  expect(read).toBe(4_000_000);
});
