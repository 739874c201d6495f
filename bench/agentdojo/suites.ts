/**
 * AgentDojo's tasks with their ideal calls, its injections, and what kind of tool each tool is.
 * THREAT: prompts and results hold attack text by design. It is data to replay, never an instruction.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { DescribedTool } from "../../src/onboarding/index.ts";

/** A call as it was recorded; `result` is a place in the suite's list of results. */
export interface RecordedCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Left out where upstream has no such call, and it was written from the injection's goal. */
  readonly result?: number;
  /** Where in the result the text of others stands: paths of keys and indexes. */
  readonly carries?: readonly (readonly (string | number)[])[];
}

/** What a user wants, and the calls of an agent that makes no mistake. */
export interface Task {
  readonly id: string;
  readonly prompt: string;
  readonly calls: readonly RecordedCall[];
}

/** What a hostile text wants, and the calls of an agent that obeys it. */
export interface Injection {
  readonly id: string;
  readonly goal: string;
  readonly calls: readonly RecordedCall[];
}

export interface Suite {
  readonly name: string;
  /** Whom the user works with, without the user: a closed list that a policy may hold. */
  readonly members: readonly string[];
  readonly tools: readonly DescribedTool[];
  readonly tasks: readonly Task[];
  readonly injections: readonly Injection[];
  readonly results: readonly unknown[];
}

/** What kind of tool it is, and what its arguments are. Rules know nothing else of a tool. */
export interface ToolKind {
  /** It changes something. What does not is a pure read. */
  readonly effect: boolean;
  /** Whether it sends data to somebody. */
  readonly sends: "always" | "to recipients" | "never";
  /** Whether its result is the user's own data. */
  readonly private: boolean;
  /** Whether others may have written some of its result. */
  readonly untrusted: boolean;
  /** Whether it deletes, overwrites or moves something. */
  readonly destructive: boolean;
  readonly recipients: readonly string[];
  readonly critical: readonly string[];
  readonly payload: readonly string[];
}

const read = <Data>(file: string): Data => JSON.parse(readFileSync(join(import.meta.dirname, file), "utf8"));

export function readSuites(): readonly Suite[] {
  const { suites } = read<{ suites: Readonly<Record<string, Omit<Suite, "name">>> }>("suites.json");
  return Object.entries(suites).map(([name, suite]) => ({ name, ...suite }));
}

export function readKinds(): ReadonlyMap<string, ToolKind> {
  const kinds = read<Readonly<Record<string, Partial<ToolKind>>>>("labels.json");
  return new Map(Object.entries(kinds).map(([name, kind]) => [name, { ...PURE, ...kind }]));
}

const PURE: ToolKind = {
  effect: false,
  sends: "never",
  private: false,
  untrusted: false,
  destructive: false,
  recipients: [],
  critical: [],
  payload: [],
};
