/**
 * Swaps what lies at a path for something secret and back, over and over, for random moments, until its input ends.
 * Arguments: the way, the folder, a seed. Prints how often it swapped.
 */
import { linkSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { seededRandom } from "../fixtures/seeded-random.ts";
import { OPEN } from "./path-case.ts";

const [, , way = "", folder = "", seed = ""] = process.argv;
const at = (name: string): string => join(folder, name);
const random = seededRandom(Number(seed));

/** Puts something under a temporary name and moves it over the file in one step. */
function over(put: (path: string) => void): void {
  put(at("shut/new"));
  renameSync(at("shut/new"), at("d/f"));
}

const restore = (): void => over((path) => writeFileSync(path, `${OPEN}\n`));

const WAYS: Record<string, readonly [() => void, () => void]> = {
  "a link": [() => over((path) => symlinkSync("../shut/f", path)), restore],
  "a second name of it": [() => over((path) => linkSync(at("shut/f"), path)), restore],
  "a link in the place of its folder": [
    () => {
      renameSync(at("d"), at("shut/d"));
      renameSync(at("shut/link"), at("d"));
    },
    () => {
      renameSync(at("d"), at("shut/link"));
      renameSync(at("shut/d"), at("d"));
    },
  ],
  "a pipe": [
    () => {
      renameSync(at("d/f"), at("shut/real"));
      renameSync(at("shut/pipe"), at("d/f"));
    },
    () => {
      renameSync(at("d/f"), at("shut/pipe"));
      renameSync(at("shut/real"), at("d/f"));
    },
  ],
};

let count = 0;
let isOver = false;
process.stdin.on("end", () => {
  isOver = true;
});
process.stdin.resume();
process.stdout.write("ready\n");
swap();

function swap(): void {
  const [away, back] = WAYS[way] ?? [];
  if (away === undefined || back === undefined) throw new Error(`There is no way ${way}.`);
  // Several swaps between two looks at the input: nothing else may slow this down.
  for (let round = 0; round < 8; round += 1) {
    away();
    pass();
    back();
    pass();
    count += 1;
  }
  if (isOver) process.stdout.write(`${count}\n`);
  else setImmediate(swap);
}

/** Waits for a microsecond up to 32 ms, so that however long a check takes, some waits are as long. */
function pass(): void {
  const end = process.hrtime.bigint() + BigInt(random(1000) * 2 ** random(16));
  while (process.hrtime.bigint() < end);
}
