/** How much of what is claimed is found, and how often something is found where there is nothing. */
import { readTexts } from "../../src/detectors/read-texts.ts";
import { scanText } from "../../src/detectors/scan-text.ts";
import { NEGATIVES } from "./negatives.ts";
import { POSITIVES } from "./positives.ts";

export interface KindScore {
  readonly kind: string;
  readonly count: number;
  readonly found: number;
  /** Those in which the kind wasn't found. */
  readonly missed: readonly unknown[];
}

export interface Score {
  readonly kinds: readonly KindScore[];
  readonly negatives: number;
  readonly falseAlarms: readonly { readonly text: unknown; readonly kinds: readonly string[] }[];
  /** Of all that was found, the part that was there. */
  readonly precision: number;
}

/** The kinds that are found in a result, as the detectors read it. */
export async function kindsIn(result: unknown): Promise<readonly string[]> {
  const texts = readTexts(result, 1024 * 1024);
  if (texts === null) throw new Error("A sample can't be read.");
  const hits = await scanText({ text: texts.text, secrets: true, personalData: true });
  return [...new Set(hits.map(({ kind }) => kind))];
}

export async function measure(): Promise<Score> {
  const kinds: KindScore[] = [];
  for (const { kind, results } of POSITIVES) {
    const missed: unknown[] = [];
    for (const result of results) if (!(await kindsIn(result)).includes(kind)) missed.push(result);
    kinds.push({ kind, count: results.length, found: results.length - missed.length, missed });
  }
  const falseAlarms: { text: unknown; kinds: readonly string[] }[] = [];
  for (const text of NEGATIVES) {
    const found = await kindsIn(text);
    if (found.length > 0) falseAlarms.push({ text, kinds: found });
  }
  const found = kinds.reduce((sum, one) => sum + one.found, 0);
  return {
    kinds,
    negatives: NEGATIVES.length,
    falseAlarms,
    precision: found / (found + falseAlarms.length),
  };
}
