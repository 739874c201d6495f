/** Checks the numbers under `limits`: whole, and within what makes sense. */
import { quote } from "../document/quote.ts";
import type { Report } from "../document/report.ts";
import { child, entriesOf, type Tree } from "../document/tree.ts";

const BOUNDS: ReadonlyMap<string, readonly [least: number, most: number]> = new Map([
  ["rows", [1, 100_000]],
  ["seconds", [1, 600]],
  ["milliseconds", [1, 60_000]],
  ["bytes", [1024, 64 * 1024 * 1024]],
]);

/** The `limits` of whatever has some. */
export function checkLimits(owner: Tree, report: Report): void {
  for (const { key, value } of entriesOf(child(owner, "limits"))) {
    const bounds = BOUNDS.get(key);
    // What is no number at all is told by the check of the shape.
    if (bounds === undefined || value.kind !== "scalar" || !Number.isFinite(value.value)) continue;
    const [least, most] = bounds;
    const number = Number(value.value);
    if (Number.isInteger(number) && number >= least && number <= most) continue;
    report.add(
      value.at,
      `${quote(key)} can be a whole number from ${least} to ${most}, and ${quote(value.written)} is not.`,
    );
  }
}
