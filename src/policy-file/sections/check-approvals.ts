/** Checks how approvals are answered, and for how long is waited. */
import { toSeconds } from "../document/duration.ts";
import { quote } from "../document/quote.ts";
import type { Report } from "../document/report.ts";
import { child, type Tree } from "../document/tree.ts";

/** The bounds of the core, with how people say them. */
const BOUNDS = {
  expires: { least: 1, most: 604_800, phrase: "from a second to 7 days" },
  wait: { least: 0, most: 3600, phrase: "an hour at most" },
} as const;

export function checkApprovals(root: Tree, report: Report): void {
  const approvals = child(root, "approvals");
  for (const key of ["expires", "wait"] as const) {
    const tree = child(approvals, key);
    if (tree?.kind !== "scalar" || tree.unresolved) continue;
    if (typeof tree.value !== "string" && typeof tree.value !== "number") continue;
    // An empty or an endless one is told by the check of the shape.
    if (tree.value === "" || tree.value === Number.POSITIVE_INFINITY) continue;
    const seconds = toSeconds(tree.value);
    const { least, most, phrase } = BOUNDS[key];
    if (seconds === null) {
      const fix = "Write a whole number of seconds, or one with a unit: `90s`, `30m`, `2h`, `1d`.";
      report.add(tree.at, `${quote(key)} is no length of time: ${quote(tree.written)}.`, fix);
    } else if (seconds < least || seconds > most) {
      report.add(tree.at, `${quote(key)} can be ${phrase}, and ${quote(tree.written)} is not.`);
    }
  }
}
