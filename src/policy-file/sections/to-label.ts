/** Labels as a policy file writes them to complete ones. */
import { type Label, type LabelDeclaration, type Lattice, toSource } from "../../core/index.ts";
import type { SourceDocument } from "./tool-schema.ts";

/** What is left out stays so. */
export function toLabelDeclaration(label: SourceDocument): LabelDeclaration {
  if (typeof label === "string") return { level: label };
  const { level, categories, trust } = label;
  return {
    ...(level !== undefined && { level }),
    ...(categories && { categories }),
    ...(trust !== undefined && { trust }),
  };
}

export const labelOf = (label: SourceDocument, lattice: Lattice): Label =>
  toSource(lattice, toLabelDeclaration(label));

export const toLabels = (
  labels: Readonly<Record<string, SourceDocument>>,
  lattice: Lattice,
): ReadonlyMap<string, Label> =>
  new Map(Object.entries(labels).map(([key, label]) => [key, labelOf(label, lattice)]));

/** The keys by which databases, APIs and operations say what they hold. */
export interface SensitivityDocument {
  readonly sensitivity?: string | undefined;
  readonly categories?: readonly string[] | undefined;
  readonly trust?: string | undefined;
}

/** What is left out is that of `otherwise`. */
export const sensitivityOf = (
  { sensitivity, categories, trust }: SensitivityDocument,
  lattice: Lattice,
  otherwise: LabelDeclaration = {},
): Label =>
  toSource(lattice, {
    ...otherwise,
    ...(sensitivity !== undefined && { level: sensitivity }),
    ...(categories && { categories }),
    ...(trust !== undefined && { trust }),
  });
