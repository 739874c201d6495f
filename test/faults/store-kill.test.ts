/** What a SQLite store acknowledged is there after the process was killed, wherever it was. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, watch } from "node:fs";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import { verifyChain } from "../../src/runtime/journal/journal.ts";
import { verifyStore } from "../../src/runtime/journal/verify-store.ts";
import { openSqliteStore } from "../../src/stores/index.ts";
import { readAll } from "../fixtures/sealed-events.ts";
import { seededRandom } from "../fixtures/seeded-random.ts";
import { temporaryFolder } from "../fixtures/temporary-folder.ts";

const SEED = 20261121;
const KILLS = 20;
const WRITER = new URL("../fixtures/store-writer.ts", import.meta.url).pathname;

const { path } = temporaryFolder();

function startWriter(file: string, count: string): ChildProcess {
  return spawn(process.execPath, [WRITER, file, count], { stdio: ["ignore", "pipe", "inherit"] });
}

/** The lines that a writer printed until it ended; `seen` is called with how many there are so far. */
async function linesOf(writer: ChildProcess, seen: (count: number) => void): Promise<string[]> {
  const lines: string[] = [];
  if (writer.stdout === null) {
    throw new Error("The writer has no output.");
  }
  const reader = createInterface({ input: writer.stdout });
  reader.on("line", (line) => {
    lines.push(line);
    seen(lines.length);
  });
  await Promise.all([once(writer, "close"), once(reader, "close")]);
  return lines;
}

/** Runs a writer and kills it when it has printed so many lines. */
async function killAfter(file: string, count: number): Promise<string[]> {
  const writer = startWriter(file, "forever");
  const lines = await linesOf(writer, (seen) => {
    if (seen === count) {
      writer.kill("SIGKILL");
    }
  });
  expect(writer.signalCode).toBe("SIGKILL");
  return lines.filter((line) => line !== "ready");
}

/** The lines that a writer would print for what is in a store. */
async function linesIn(file: string): Promise<Set<string>> {
  const store = openSqliteStore(file, { mustExist: true });
  const lines = new Set<string>();
  for (const { session, version } of await store.heads(null, 10)) {
    for (const entry of await readAll(store, session)) {
      lines.add(`${session} ${entry.seq} ${entry.hash}`);
    }
    expect(await store.kept(session, "last")).toBe(String(version));
  }
  expect((await verifyStore(store)).problems).toEqual([]);
  await store.close();
  return lines;
}

describe("A SQLite store whose process is killed", () => {
  it(`has every acknowledged entry after each of ${KILLS} kills (seed ${SEED})`, async () => {
    const random = seededRandom(SEED);
    const file = path();
    const acknowledged: string[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      acknowledged.push(...(await killAfter(file, 2 + random(60))));
      const found = await linesIn(file);
      expect(acknowledged.filter((line) => !found.has(line))).toEqual([]);
    }
    expect(acknowledged.length).toBeGreaterThan(KILLS * 5);
  }, 120_000);

  it(`is whole or not there when it is killed while it is being made (seed ${SEED})`, async () => {
    const random = seededRandom(SEED);
    for (let kill = 0; kill < 12; kill += 1) {
      const file = path();
      let changesLeft = 1 + random(56);
      const writer = startWriter(file, "forever");
      const watching = watch(dirname(file), () => {
        changesLeft -= 1;
        if (changesLeft === 0) {
          writer.kill("SIGKILL");
        }
      });
      await linesOf(writer, (count) => count > 3 && writer.kill("SIGKILL"));
      watching.close();
      expect(writer.signalCode).toBe("SIGKILL");
      if (existsSync(file)) {
        await linesIn(file);
      } else {
        await openSqliteStore(file).close();
      }
    }
  }, 120_000);
});

describe("A SQLite store that processes share", () => {
  it("loses nothing that three of them, which begin it at once, append to one session", async () => {
    const file = path();
    const each = 300;
    const writers = Array.from({ length: 3 }, () => startWriter(file, String(each)));
    const lines = await Promise.all(writers.map((writer) => linesOf(writer, () => {})));
    expect(writers.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
    const acknowledged = lines.flat().filter((line) => line !== "ready");
    expect(new Set(acknowledged).size).toBe(3 * each);
    expect(await linesIn(file)).toEqual(new Set(acknowledged));
    const store = openSqliteStore(file);
    expect(verifyChain(await readAll(store, "counter"), await store.head("counter"))).toEqual({ ok: true });
    await store.close();
  }, 120_000);
});
