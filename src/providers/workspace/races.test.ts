/** Somebody swaps files and folders all the time while the tools work on them. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTestWorkspace, type TestWorkspace, textOf } from "./workspace.test-kit.ts";

let place: TestWorkspace;
let swapper: ChildProcess;
beforeEach(() => {
  place = openTestWorkspace({
    "a.txt": "NEEDLE plain\n",
    "src/b.txt": "NEEDLE inside\n",
    "my.key": "NEEDLE SECRET\n",
  });
  mkdirSync(join(place.base, "outside"));
  writeFileSync(join(place.base, "outside/b.txt"), "NEEDLE SECRET\n");
});
afterEach(async () => {
  swapper.kill("SIGKILL");
  await once(swapper, "exit");
  place.close();
});

/** Swaps `a.txt` for a link to an ignored file and `src` for one that leads outside, and back, without a pause. */
async function startSwapping(): Promise<void> {
  const program = `
    import { renameSync, symlinkSync, writeFileSync } from "node:fs";
    symlinkSync("my.key", "link");
    symlinkSync("../outside", "away");
    const swap = (name, other) => {
      renameSync(name, "held");
      renameSync(other, name);
      renameSync("held", other);
    };
    for (let turn = 0; ; turn += 1) {
      try { swap("a.txt", "link"); swap("src", "away"); } catch {}
      if (turn === 0) writeFileSync(1, "ready");
    }`;
  swapper = spawn(process.execPath, ["--input-type=module", "-e", program], {
    cwd: place.root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (swapper.stdout !== null) await once(swapper.stdout, "data");
}

const outcome = (call: Promise<string>): Promise<string> =>
  call.catch((error: unknown) => (error instanceof Error ? `${Reflect.get(error, "code")}` : "odd"));

const ROUNDS = 30;

describe("while files are swapped for links", () => {
  it("nothing is read or found but what was checked (D4)", async () => {
    await startSwapping();
    const found = new Set<string>();
    const isRead = (): boolean => [...found].some((text) => text.includes("plain"));
    for (let round = 0; round < ROUNDS || (!isRead() && round < 50 * ROUNDS); round += 1) {
      const calls = [
        place.call("read_text_file", { filepath: "a.txt" }),
        place.call("read_text_file", { filepath: "src/b.txt" }),
        place.call("search_by_regex", { pattern: "NEEDLE" }),
        place.call("list_dir", { path: "src" }),
      ];
      for (const text of await Promise.all(calls.map(outcome))) found.add(text);
    }
    expect(isRead()).toBe(true);
    expect([...found].filter((text) => text.includes("SECRET"))).toEqual([]);
  });

  it("nothing is written, moved or deleted outside of the folder (D2)", async () => {
    await startSwapping();
    let tried = 0;
    for (let round = 0; round < ROUNDS || (tried === 0 && round < 50 * ROUNDS); round += 1) {
      for (const [tool, args] of [
        ["Write", { file_path: "src/b.txt", content: `NEEDLE inside ${round}\n` }],
        ["Write", { file_path: `src/new${round}.txt`, content: "new" }],
        ["rename", { from: `src/new${round}.txt`, to: `src/moved${round}.txt` }],
        ["delete_file", { path: `src/moved${round}.txt` }],
      ] as const) {
        // It is examined while all stands still, and a person says yes only to what lies in the workspace.
        swapper.kill("SIGSTOP");
        const examined = await place.examine(tool, args);
        swapper.kill("SIGCONT");
        if (examined.asks.length > 0) continue;
        tried += 1;
        await outcome(place.tool(tool).execute(args, examined).then(textOf));
      }
    }
    expect(tried).toBeGreaterThan(0);
    expect(readdirSync(join(place.base, "outside"))).toEqual(["b.txt"]);
    expect(readFileSync(join(place.base, "outside/b.txt"), "utf8")).toBe("NEEDLE SECRET\n");
    expect(place.get("my.key")).toBe("NEEDLE SECRET\n");
  });
});
