/**
 * A store that has lost writes which were acknowledged is never taken for the present: a log that was damaged, cut or
 * deleted after a kill reads as if what it held had never been written, and an older copy is whole in itself.
 */
import {
  copyFileSync,
  existsSync,
  openSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { describe, expect, it } from "vitest";
import { createMemoryStore, SluicegateError } from "../../src/index.ts";
import { sealEntries } from "../../src/runtime/journal/journal.ts";
import { verifyStore } from "../../src/runtime/journal/verify-store.ts";
import type { Store } from "../../src/runtime/ports/store.ts";
import { openSqliteStore } from "../../src/stores/index.ts";
import { createMark, markFileOf, readMark } from "../../src/stores/store-mark.ts";
import { appendNext, event, readAll } from "../fixtures/sealed-events.ts";
import { temporaryFolder } from "../fixtures/temporary-folder.ts";

const { path } = temporaryFolder();
const ALL = ["", "-wal", "-mark"];
const ENTRIES = 12;

/** Copies a store's files while it is open, as a kill leaves them. */
function killed(file: string, copy = path(), ends = ALL): string {
  for (const end of ends) copyFileSync(file + end, copy + end);
  return copy;
}

/** A store with some acknowledged entries, as a kill leaves it; and what it was like in the middle. */
async function lostProcess(): Promise<{ readonly now: string; readonly before: string }> {
  const file = path();
  const store = openSqliteStore(file);
  await write(store, ENTRIES / 2);
  const before = killed(file);
  await write(store, ENTRIES / 2);
  const now = killed(file);
  await store.close();
  return { now, before };
}

async function write(store: Store, count: number, data = {}): Promise<void> {
  for (let entry = 0; entry < count; entry += 1) await appendNext(store, `session-${entry % 3}`, data);
}

function flipBit(file: string, at: number): void {
  const content = readFileSync(file);
  content[at] = (content[at] ?? 0) ^ 1;
  writeFileSync(file, content);
}

const sizeOf = (file: string): number => readFileSync(file).length;

async function refusal(file: string): Promise<SluicegateError | null> {
  try {
    await openSqliteStore(file).close();
    return null;
  } catch (error) {
    if (SluicegateError.isInstance(error)) return error;
    throw error;
  }
}

describe("A store that a kill has left", () => {
  it("is opened with all that was acknowledged", async () => {
    const { now } = await lostProcess();
    const store = openSqliteStore(now);
    expect(await readAll(store, "session-0")).toHaveLength(ENTRIES / 3);
    await store.close();
  });

  it.each<[string, (now: string, before: string) => void]>([
    ["a flipped bit in the first frame of its log", (now) => flipBit(`${now}-wal`, 100)],
    [
      "a flipped bit in the last frame of its log",
      (now) => flipBit(`${now}-wal`, sizeOf(`${now}-wal`) - 100),
    ],
    ["a log that lacks its last byte", (now) => truncateSync(`${now}-wal`, sizeOf(`${now}-wal`) - 1)],
    ["a log that was cut in the middle", (now) => truncateSync(`${now}-wal`, sizeOf(`${now}-wal`) / 2)],
    ["an empty log", (now) => truncateSync(`${now}-wal`)],
    ["no log", (now) => rmSync(`${now}-wal`)],
    ["an older log", (now, before) => copyFileSync(`${before}-wal`, `${now}-wal`)],
    ["an older copy of file and log", (now, before) => void killed(before, now, ["", "-wal"])],
  ])("is refused with %s, and opened once somebody has decided to go on with it (X15-sqlite, law-8)", async (_, lose) => {
    const { now, before } = await lostProcess();
    lose(now, before);
    expect(await refusal(now)).toMatchObject({
      code: "store-damaged",
      message: "The store has lost its last writes.",
      fix: expect.stringContaining(markFileOf(now)),
    });
    rmSync(markFileOf(now));
    expect(await refusal(now)).toBeNull();
  });

  it("is refused where an older copy of its whole file stands in its place, and where another store does (X15-sqlite, law-8)", async () => {
    const [file, older, other] = [path(), path(), path()];
    const first = openSqliteStore(file);
    await write(first, 3);
    await first.close();
    copyFileSync(file, older);
    const second = openSqliteStore(file);
    await write(second, 3);
    await second.close();
    const third = openSqliteStore(other);
    await write(third, 20, { store: "another" });
    await third.close();
    expect(await refusal(file)).toBeNull();
    for (const wrong of [older, other]) {
      copyFileSync(wrong, file);
      expect(await refusal(file)).toMatchObject({
        code: "store-damaged",
        message: "The store has lost its last writes.",
      });
    }
  });

  it("isn't begun anew where its file is gone (X15-sqlite, law-8)", async () => {
    const { now } = await lostProcess();
    for (const end of ["", "-wal"]) rmSync(now + end);
    expect(await refusal(now)).toMatchObject({
      code: "store-damaged",
      message: "The store's file is missing.",
    });
    expect(existsSync(now)).toBe(false);
  });
});

describe("The mark beside a store", () => {
  it("never names an entry that was archived, though the archiving was killed before it was acknowledged (X27)", async () => {
    const file = path();
    const store = openSqliteStore(file);
    await appendNext(store, "s");
    const mark = readFileSync(markFileOf(file));
    const archived = { ...event({ reason: "archived" }), kind: "session-closed" };
    await store.append("s", 1, sealEntries(await store.head("s"), [archived]));
    const left = killed(file);
    await store.close();
    // As a kill leaves it between the commit and its mark.
    writeFileSync(markFileOf(left), mark);
    const next = openSqliteStore(left, { mustExist: true });
    await next.prune("s", 2);
    const after = killed(left);
    await next.close();
    const again = openSqliteStore(after, { mustExist: true });
    expect(await verifyStore(again)).toMatchObject({ ok: true, entries: 1 });
    await again.close();
  });

  it("knows every commit before it is acknowledged, of all processes (X15-sqlite)", async () => {
    const file = path();
    const stores = [openSqliteStore(file), openSqliteStore(file)];
    for (let turn = 0; turn < 2500; turn += 1) {
      const store = stores[turn % 2] ?? expect.fail();
      await appendNext(store, `session-${turn % 5}`);
      if (turn % 100 === 0) expect(readMark(file)?.position).toBe(turn + 1);
    }
    expect(readMark(file)?.position).toBe(2500);
    await Promise.all(stores.map((store) => store.close()));
    expect(await refusal(file)).toBeNull();
  });

  it("keeps what is newer where another process is late", async () => {
    const file = path();
    const marks = [createMark(file), createMark(file)];
    marks[0]?.record({ position: 11, hash: "b".repeat(64) });
    marks[1]?.record({ position: 10, hash: "a".repeat(64) });
    expect(readMark(file)).toEqual({ position: 11, hash: "b".repeat(37) });
    await Promise.all(marks.map((mark) => mark.close()));
  });

  it("refuses no store where its own last writes were lost or torn by a power loss", async () => {
    const { now, before } = await lostProcess();
    copyFileSync(markFileOf(before), markFileOf(now));
    expect(await refusal(now)).toBeNull();
    const torn = openSync(markFileOf(now), "r+");
    writeSync(torn, "0000000000009999 torn", (9999 % 1024) * 64);
    expect(await refusal(now)).toBeNull();
    truncateSync(markFileOf(now), 100);
    expect(await refusal(now)).toBeNull();
    truncateSync(markFileOf(now));
    const store = openSqliteStore(now);
    await write(store, 1);
    expect(readMark(now)?.position).toBe(ENTRIES + 1);
    await store.close();
  });

  it("isn't made for a store that is only read, or lasts as long as it is open", async () => {
    const { now } = await lostProcess();
    rmSync(markFileOf(now));
    await openSqliteStore(now).close();
    expect(existsSync(markFileOf(now))).toBe(false);
    const memory = openSqliteStore(":memory:");
    await appendNext(memory, "s");
    await memory.close();
    await createMemoryStore().close();
    expect(existsSync(markFileOf(":memory:"))).toBe(false);
  });
});
