/** Which detectors look at what tools return, and what a session becomes where they find something. */
import type { z } from "zod";
import { bottomLabel, flowsTo, type Label, type Lattice } from "../../core/index.ts";
import { quote } from "../document/quote.ts";
import type { Report } from "../document/report.ts";
import { child, entryOf, type Tree } from "../document/tree.ts";
import type { Declared } from "./declared.ts";
import { checkLabel, labelOf, source } from "./labels.ts";
import { checkLimits } from "./limits.ts";
import { described, map, number } from "./shape.ts";

const limitsSchema = map("`limits`", {
  bytes: described(
    number,
    "The longest result that is scanned; a longer one counts as one with findings. Left out: 1048576, which is 1 MiB.",
  ),
  milliseconds: described(
    number,
    "How long a scan may take; what takes longer counts as one with findings. Left out: 500.",
  ),
});

const detectorsSchema = map("`detectors`", {
  secrets: described(
    source,
    "The label that a session gets where a result holds a secret, such as a key of an API.",
  ),
  personal_data: described(
    source,
    "The label that a session gets where a result holds personal data, such as an account number.",
  ),
  limits: described(limitsSchema, "How much of a result is scanned, and for how long."),
});

export const detectorKeys = {
  detectors: described(
    detectorsSchema,
    "What is looked for in results before they are handed out. Left out: nothing is.",
  ),
};

export interface DetectorsConfig {
  /** The label that secrets raise a session to; null if nobody looks for them. */
  readonly secrets: Label | null;
  readonly personalData: Label | null;
  readonly limits: { readonly bytes: number; readonly milliseconds: number };
}

/** The keys under which a label stands. */
const DETECTORS = ["secrets", "personal_data"] as const;

export function checkDetectors(root: Tree, declared: Declared, report: Report): void {
  const detectors = child(root, "detectors");
  if (detectors === undefined) return;
  for (const key of DETECTORS) checkLabel(child(detectors, key), declared, report);
  checkLimits(detectors, report);
}

export function warnAboutDetectors(
  root: Tree,
  config: DetectorsConfig | null,
  lattice: Lattice,
  report: Report,
): void {
  const tree = child(root, "detectors");
  if (tree === undefined || config === null) return;
  const labels = { secrets: config.secrets, personal_data: config.personalData };
  if (DETECTORS.every((key) => labels[key] === null)) {
    report.add(
      tree.at,
      "`detectors` names nothing to look for.",
      "Name `secrets` or `personal_data`, each with a label.",
    );
  }
  for (const key of DETECTORS) {
    const label = labels[key];
    if (label === null || !flowsTo(lattice, label, bottomLabel(lattice))) continue;
    const message = `A finding under ${quote(key)} raises nothing: its label is the lowest.`;
    report.add(entryOf(tree, key)?.at ?? tree.at, message, "Name a level that such data has.");
  }
}

/** The detectors of a document that was checked; null if it has none. */
export function toDetectors(
  document: z.infer<typeof detectorsSchema> | undefined,
  lattice: Lattice,
): DetectorsConfig | null {
  if (document === undefined) return null;
  const { secrets, personal_data: personalData, limits = {} } = document;
  return Object.freeze({
    secrets: secrets === undefined ? null : labelOf(secrets, lattice),
    personalData: personalData === undefined ? null : labelOf(personalData, lattice),
    limits: Object.freeze({
      bytes: limits.bytes ?? 1024 * 1024,
      milliseconds: limits.milliseconds ?? 500,
    }),
  });
}
