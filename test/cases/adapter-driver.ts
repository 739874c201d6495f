/** What a test of an adapter drives: an agent of the SDK whose model plays a script. */
import type { SessionSource } from "../../src/adapters/guarded-call.ts";

export type { SessionSource };

/** A call that the scripted model makes. */
export interface ScriptedCall {
  readonly id: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** The calls of each step; after the last one the model says that it is done. */
export type Script = readonly (readonly ScriptedCall[])[];

export type AgentTool = (args: any) => unknown;

/** The tools of an agent, by name, each with its description. */
export type AgentTools = ReadonlyMap<string, { readonly description: string; readonly run: AgentTool }>;

export interface AgentParts {
  readonly session: SessionSource;
  readonly tools: AgentTools;
  /** Leaves out all that the SDK itself is given to hide tools and to pause: only what is executed is decided on. */
  readonly bare?: true;
}

/** What came of one run, until the model was done or the SDK paused. */
export interface Played {
  /** The names of the tools that the model was shown, at each step. */
  readonly shown: readonly (readonly string[])[];
  /** Their descriptions, at each step. */
  readonly described: readonly Readonly<Record<string, string>>[];
  /** What the model was told of each call, by the call's id. */
  readonly told: Readonly<Record<string, string>>;
  /** The approvals of ours that the SDK paused for, by the call's id. */
  readonly waiting: Readonly<Record<string, string | null>>;
  /** Why the SDK ended the run, where it did so with an error. */
  readonly failed?: string;
  /** Goes on after the pause with what the host tells the SDK, perhaps with other arguments than those that were shown. */
  resume(approved: boolean, forged?: Readonly<Record<string, unknown>>): Promise<Played>;
}

export interface SharedAgent {
  run(script: Script): Promise<Played>;
}

export interface Adapter {
  readonly name: string;
  /** Whether its SDK can pause before a tool runs; where it can't, the refusal says what is waited for. */
  readonly pauses: boolean;
  /** Whether its SDK is told once, when a run begins, what the model is shown. */
  readonly looksOnce?: true;
  /** Whether the agent is its host's own, and gets what the tool gave as it is. */
  readonly isHost?: true;
  /** What the SDK tells the model of a tool's error, where it isn't the error's own words. */
  readonly error?: string;
  run(parts: AgentParts & { readonly script: Script }): Promise<Played>;
  /** One agent that is made once and run several times. */
  share(parts: AgentParts): SharedAgent;
}
