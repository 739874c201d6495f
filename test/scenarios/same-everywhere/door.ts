/** What a scenario can do through any door, and what each door is to answer it with: the wire's words, as JSON. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export type Json = any; // What came through a door; the doors are compared with each other.

export interface PlannedToolCall {
  readonly tool: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
}

export interface SessionOptions {
  readonly principal?: string;
  readonly role?: string;
  readonly tools?: readonly string[];
}

/** What came of one call. */
export interface Answer {
  /** The decision as it is on the wire; null where a door doesn't tell it. */
  readonly decision: Json | null;
  readonly effect: "allow" | "ask" | "deny";
  /** Each sentence that the caller is told, of a refusal or of a failure. */
  readonly sentences: readonly string[];
  /** What the tool gave back, where it ran. */
  readonly result: Json | null;
}

/** What a person says to the approval that waits. */
export interface PersonAnswer {
  readonly answer: "approved" | "denied";
  /** The arguments that the call is to run with. */
  readonly edit?: Readonly<Record<string, unknown>>;
  /** A standing approval, as it is on the wire. */
  readonly standing?: Json;
}

/** One session, behind one door. */
export interface Player {
  /** What the user says, by the host. */
  say(text: string): Promise<void>;
  answer(given: PersonAnswer): Promise<void>;
  /** Puts a plan before a person. */
  requestPlan(planned: readonly unknown[]): Promise<Json>;
  /** The agent's word on the call that was refused last; its id is null where the door doesn't tell it. */
  appeal(text: string, call: string | null): Promise<void>;
  manifest(): Promise<Json>;
  plan(planned: readonly unknown[]): Promise<Json>;
  call(call: PlannedToolCall): Promise<Answer>;
  /** Decides calls in this order, as one batch where the door has one; what is allowed is said to have run. */
  decide(calls: readonly PlannedToolCall[]): Promise<readonly Answer[]>;
  /** Has the operator close the session; the player goes on with it. */
  reset(): Promise<void>;
  state(): Promise<Json>;
  /** The whole journal, with the end of each call that ran. */
  journal(): Promise<readonly Json[]>;
}

export interface Door {
  readonly name: string;
  /** A clean session behind it. */
  open(options: SessionOptions): Promise<Player>;
}

/** The one policy, with its servers' folder filled in. */
export const SCENARIO_POLICY = readFileSync(join(import.meta.dirname, "policy.yaml"), "utf8").replaceAll(
  "cwd: .",
  `cwd: ${JSON.stringify(import.meta.dirname)}`,
);

/** Keyed digests of equal arguments are equal where the key is. */
export const DIGEST_KEY = Buffer.alloc(32, 7);

/** Result fields that a tool gave, without what is only there on some doors. */
export const toResult = ({ content, structuredContent, isError = false }: Json): Json => ({
  content,
  ...(structuredContent !== undefined && { structuredContent }),
  isError,
});

/** The sentences of an error, as they stand one after the other. */
export const sentencesOf = ({ message, why, fix }: Json): readonly string[] => [`${message} ${why} ${fix}`];

/** Reads a journal until the end of each admitted call is in it: that is written behind the answer. */
export async function readFinished(read: () => Promise<readonly Json[]>): Promise<readonly Json[]> {
  const deadline = performance.now() + 10_000;
  for (;;) {
    const entries = await read();
    const count = (kind: string): number => entries.filter((entry) => entry.kind === kind).length;
    if (count("call-finished") === count("call-admitted")) return entries;
    if (performance.now() > deadline) throw new Error("A call's end never came into the journal.");
    await new Promise(setImmediate);
  }
}

/** What a model is told of a decision, sentence by sentence. */
export const toldBy = ({ reasons, repeated }: Json): readonly string[] =>
  repeated === undefined ? reasons.map(({ message }: Json) => message) : [repeated];
