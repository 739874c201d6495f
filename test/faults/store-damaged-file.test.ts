/** No byte of a SQLite store's file changes, and nothing of it is cut off, without being found. */
import { copyFileSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { beforeAll, describe, expect, it } from "vitest";
import { openSqliteStore } from "../../src/stores/index.ts";
import { damagedCopy, dumpFile, verifyFile, writeWholeStore } from "../fixtures/damaged-store.ts";
import { seededRandom } from "../fixtures/seeded-random.ts";
import { temporaryFolder } from "../fixtures/temporary-folder.ts";

const SEED = 20261121;
const FLIPS = 50;

const { path } = temporaryFolder();
const whole = path("whole.sqlite");

beforeAll(async () => {
  await writeWholeStore(whole);
});

describe("Verification finds a byte of the file that was changed", () => {
  it(`finds each of ${FLIPS} that change what the file says (seed ${SEED})`, async () => {
    const random = seededRandom(SEED);
    const bytes = readFileSync(whole);
    const before = dumpFile(whole);
    const missed: unknown[] = [];
    let flips = 0;
    for (let tries = 0; flips < FLIPS && tries < FLIPS * 20; tries += 1) {
      const [at, bit] = [random(bytes.length), 1 << random(8)];
      const copy = path("flipped.sqlite");
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ bit;
      writeFileSync(copy, flipped);
      // A byte that nothing uses changes nothing.
      if (dumpFile(copy) !== before) {
        flips += 1;
        missed.push(...((await verifyFile(copy)).ok ? [{ at, bit }] : []));
      }
    }
    expect(missed).toEqual([]);
    expect(flips).toBe(FLIPS);
  }, 60_000);
});

it("finds a byte of an index that was changed, while all rows are as they were", async () => {
  const copy = damagedCopy(whole, path(), "");
  const database = new DatabaseSync(copy);
  const pages = database.prepare(
    "SELECT pageno FROM dbstat WHERE name = 'kept_by_key' AND pagetype = 'leaf'",
  );
  const page = Number(pages.get()?.pageno);
  database.close();
  const bytes = readFileSync(copy);
  const at = bytes.indexOf("ask/", (page - 1) * 4096);
  expect(Math.floor(at / 4096)).toBe(page - 1);
  bytes.write("asj", at);
  writeFileSync(copy, bytes);
  expect(dumpFile(copy)).toBe(dumpFile(whole));
  expect((await verifyFile(copy)).ok).toBe(false);
});

describe("Opening refuses a file that is no whole store, and leaves it as it is", () => {
  const size = () => readFileSync(whole).length;
  const magic = "SQLite format 3\0";
  it.each<[string, (file: string) => void]>([
    ["an empty file", (file) => writeFileSync(file, "")],
    ["a file of one zero byte", (file) => writeFileSync(file, "\0")],
    ["a text", (file) => writeFileSync(file, "This is no database. ".repeat(500))],
    ["garbage", (file) => writeFileSync(file, Buffer.alloc(8192, 0xa7))],
    ["zeros", (file) => writeFileSync(file, Buffer.alloc(size()))],
    ["garbage that begins like a database", (file) => writeFileSync(file, magic + "\xa7".repeat(8192))],
    ["another program's database", (file) => writeOtherDatabase(file)],
    ...["1", "100", "512", "4096", "4097", "half", "page less", "byte less"].map(
      (kept): [string, (file: string) => void] => [
        `a store's file that was cut off (${kept})`,
        (file) => {
          const lengths = new Map([
            ["half", Math.floor(size() / 2)],
            ["page less", size() - 4096],
            ["byte less", size() - 1],
          ]);
          copyFileSync(whole, file);
          truncateSync(file, lengths.get(kept) ?? Number(kept));
        },
      ],
    ),
  ])("refuses %s", (_title, make) => {
    const file = path();
    make(file);
    const before = readFileSync(file);
    expect(() => openSqliteStore(file)).toThrow(
      expect.objectContaining({
        code: "store-damaged",
        message: expect.stringMatching(/^The .*\.$/),
        why: expect.stringMatching(/^.+\.$/),
        fix: expect.stringContaining("backup"),
      }),
    );
    expect(readFileSync(file).equals(before)).toBe(true);
  });
});

function writeOtherDatabase(file: string): void {
  const database = new DatabaseSync(file);
  database.exec("CREATE TABLE notes (text)");
  database.close();
}
