/** What is read is what was checked, though another process swaps files, links and folders all the while. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, renameSync, symlinkSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { checkPath, openChecked, readChecked, searchChecked } from "../../src/providers/workspace/index.ts";
import { temporaryFolder } from "../fixtures/temporary-folder.ts";
import { makeRepository, OPEN, run, SECRET, track, write } from "./path-case.ts";

const temporary = temporaryFolder();
const SEED = 20261122;
/** A search that opened one by its name would wait for its time limit. */
const PIPE = "a pipe";
const swapping: ChildProcess[] = [];

afterEach(() => {
  for (const child of swapping.splice(0)) child.kill("SIGKILL");
});

async function build(): Promise<string> {
  const root = temporary.path("work");
  makeRepository(root);
  write(join(root, ".gitignore"), "shut/");
  write(join(root, "d/f"));
  await track(root, "d/f", ".gitignore");
  write(join(root, "shut/f"), SECRET);
  mkdirSync(join(root, "shut/g"));
  symlinkSync("shut", join(root, "shut/link"));
  await run("mkfifo", join(root, "shut/pipe"));
  return root;
}

/** What the functions gave in a hundred rounds, or until each effect was seen, while the other process swaps. */
async function rounds(
  root: string,
  withSearch: boolean,
): Promise<{ given: Set<string>; effects: Map<string, number> }> {
  const given = new Set<string>();
  const effects = new Map<string, number>();
  const ask = { root, path: "d/f" };
  const note = (effect: string, text: string): void => {
    effects.set(effect, (effects.get(effect) ?? 0) + 1);
    given.add(text);
  };
  const ways = [
    async () => {
      const answer = await openChecked(ask);
      note(answer.effect, answer.effect === "allow" ? (await answer.read()).toString() : "");
      if (answer.effect === "allow") await answer.close();
    },
    async () => {
      const answer = await readChecked(ask);
      note(answer.effect, answer.effect === "allow" ? `${answer.content}${answer.text}` : "");
    },
  ];
  const search = async (path: string): Promise<void> => {
    const answer = await searchChecked({ root, path, pattern: "words" });
    note(answer.effect, answer.effect === "allow" ? answer.matches.map(({ text }) => text).join("\n") : "");
  };
  for (let round = 0; round < 100 || (effects.size < 2 && round < 20_000); round += 1) {
    const searches = withSearch && round % 4 === 0 ? [search("d/f"), search("."), search("d")] : [];
    await Promise.all([...ways.map((way) => way()), ...searches]);
  }
  return { given, effects };
}

async function startSwapping(way: string, root: string): Promise<ChildProcess> {
  const program = join(import.meta.dirname, "swap-process.ts");
  const child = spawn(process.execPath, [program, way, root, `${SEED}`], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  swapping.push(child);
  await once(child.stdout ?? child, "data");
  return child;
}

async function stopSwapping(child: ChildProcess): Promise<number> {
  const count = once(child.stdout ?? child, "data");
  child.stdin?.end();
  const [text] = await count;
  await once(child, "exit");
  return Number(text);
}

describe("a file that is swapped while it is asked for", () => {
  it.each([
    "a link",
    "a second name of it",
    "a link in the place of its folder",
    PIPE,
  ])("gives nothing secret where the other is %s (D4)", async (way) => {
    const root = await build();
    const child = await startSwapping(way, root);
    const { given, effects } = await rounds(root, way !== PIPE);
    expect(await stopSwapping(child)).toBeGreaterThan(0);
    expect([...given].filter((text) => text.includes(SECRET))).toEqual([]);
    expect(effects.get("allow"), "the file was there between two swaps").toBeGreaterThan(0);
    expect(effects.get("ask"), "the swaps were seen").toBeGreaterThan(0);
  });

  it.each([
    "a link",
    "a second name of it",
    "a link in the place of its folder",
  ])("would give the secret to who checks the path and then reads it, where the other is %s (D4)", async (way) => {
    const root = await build();
    const child = await startSwapping(way, root);
    let text = "";
    const end = performance.now() + 30_000;
    while (!text.includes(SECRET) && performance.now() < end) {
      const { effect } = await checkPath({ root, path: "d/f", kind: "file" });
      if (effect === "allow") text = await readFile(join(root, "d/f"), "utf8").catch(() => "");
    }
    await stopSwapping(child);
    expect(text).toContain(SECRET);
  });
});

describe("a file that was opened", () => {
  it.each([
    ["renamed over", (root: string) => renameSync(join(root, "shut/f"), join(root, "d/f"))],
    [
      "moved away with its folder, for a link",
      (root: string) => {
        renameSync(join(root, "d"), join(root, "shut/d"));
        symlinkSync("shut", join(root, "d"));
      },
    ],
  ] as const)("is still the one that was checked after it was %s (D4)", async (_, swap) => {
    const root = await build();
    const answer = await openChecked({ root, path: "d/f" });
    if (answer.effect !== "allow") throw new Error("It was not allowed.");
    swap(root);
    expect(readFileSync(join(root, "d/f"), "utf8")).toContain(SECRET);
    expect((await answer.read()).toString()).toBe(`${OPEN}\n`);
    await answer.close();
  });
});
