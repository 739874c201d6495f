/** What a benchmark is: a name, and a run that gives figures, each with the budget that it is held to. */

/** What a figure must be. `must` is a promise of the project; a goal or a stretch is told when it is missed. */
export interface Budget {
  readonly kind: "must" | "goal" | "stretch";
  readonly most?: number;
  readonly least?: number;
}

export type Unit = "×" | "ns" | "µs" | "ms" | "/s" | "MiB";

/** One figure. A ratio compares two things measured side by side in the same run. */
export interface Figure {
  readonly what: string;
  readonly value: number;
  readonly unit: Unit;
  readonly budget?: Budget;
}

export interface BenchmarkContext {
  /** A short run, to see that everything works; its figures mean little. */
  readonly quick: boolean;
  /** An empty folder on the disk of this checkout, gone after the run. */
  readonly scratch: string;
  /** The start file of the command as it is published; the first who asks waits until the package is built. */
  published(): string;
  /** Says what is being measured. */
  progress(line: string): void;
}

export interface Benchmark {
  readonly name: string;
  /** What is compared with what, in a sentence. */
  readonly title: string;
  run(context: BenchmarkContext): Promise<readonly Figure[]>;
}

export const atMost = (most: number, kind: Budget["kind"] = "must"): Budget => ({ kind, most });
export const atLeast = (least: number, kind: Budget["kind"] = "must"): Budget => ({ kind, least });

/** Whether a figure is within its budget; null where it has none. */
export function isMet({ value, budget }: Figure): boolean | null {
  if (budget === undefined) return null;
  return value <= (budget.most ?? Number.POSITIVE_INFINITY) && value >= (budget.least ?? 0);
}
