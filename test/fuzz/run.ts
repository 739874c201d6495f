/**
 * `npm run fuzz -- [--cases N] [--seed S] [--only policy|rest|mcp]`: random inputs, a million unless it is said otherwise,
 * a third to each target. Exits 1 at the first that isn't answered as it must be.
 */
import { parseArgs } from "node:util";
import { TARGETS } from "./fuzz.ts";

const { values } = parseArgs({
  options: {
    cases: { type: "string", default: "1000000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
    only: { type: "string" },
  },
});
const targets = Object.entries(TARGETS).filter(([name]) => values.only === undefined || name === values.only);
const cases = Math.ceil(Number(values.cases) / targets.length);
const seed = Number(values.seed);
console.log(`seed ${seed}`);
let total = 0;
for (const [name, run] of targets) {
  const started = performance.now();
  const outcomes = await run({ cases, seed });
  const counts = [...outcomes].sort().map(([outcome, count]) => `${outcome}: ${count}`);
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(`${name}: ${cases} cases, ${seconds} s; ${counts.join(", ")}`);
  total += cases;
}
console.log(`${total} passed, 0 failed`);
