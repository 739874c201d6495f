/** Which detectors look at what tools return, and what a session becomes where they find something. */
import type { Label, Lattice } from "../../core/index.ts";
import type { DetectorsDocument } from "./detector-schema.ts";
import { labelOf } from "./to-label.ts";

export interface DetectorsConfig {
  /** The label that secrets raise a session to; null where nobody looks for them. */
  readonly secrets: Label | null;
  readonly personalData: Label | null;
  readonly limits: { readonly bytes: number; readonly milliseconds: number };
}

/** The detectors of a document that was checked; null where it has none. */
export function toDetectors(
  document: DetectorsDocument | undefined,
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
