/** Checks the labels that detectors raise to, and their limits. */

import type { Report } from "../document/report.ts";
import { child, type Tree } from "../document/tree.ts";
import { checkLabel } from "./check-labels.ts";
import { checkLimits } from "./check-limits.ts";
import type { Declared } from "./declared.ts";

/** The keys under which a label stands. */
export const DETECTORS = ["secrets", "personal_data"] as const;

export function checkDetectors(root: Tree, declared: Declared, report: Report): void {
  const detectors = child(root, "detectors");
  if (detectors === undefined) return;
  for (const key of DETECTORS) checkLabel(child(detectors, key), declared, report);
  checkLimits(detectors, report);
}
