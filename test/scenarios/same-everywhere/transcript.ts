/** Plays a scenario behind one door and writes down all that was seen, in a form that doors can be compared by. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { Answer, Door, Json, PersonAnswer, PlannedToolCall, Player, SessionOptions } from "./door.ts";

export interface Scenario {
  readonly name: string;
  readonly session?: SessionOptions;
  readonly steps: readonly Step[];
}

/** One thing to do, and what the scenario's author expects of it, whatever the door. */
export interface Step {
  readonly manifest?: true;
  readonly reset?: true;
  readonly say?: string;
  readonly answer?: PersonAnswer["answer"];
  readonly edit?: PersonAnswer["edit"];
  readonly standing?: Json;
  readonly appeal?: string;
  readonly plan?: readonly unknown[];
  /** A plan that is put before a person. */
  readonly lease?: readonly unknown[];
  readonly valid?: boolean;
  readonly order?: readonly string[] | null;
  readonly call?: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
  readonly decide?: readonly PlannedToolCall[];
  /** `allow`, or the codes of the reasons; for a batch, the effects. */
  readonly expect?: "allow" | readonly string[];
  readonly effect?: "ask" | "deny";
  /** The session's level after the step. */
  readonly level?: string;
}

export interface Seen {
  readonly step: number;
  readonly manifest?: Json;
  readonly plan?: Json;
  readonly answers?: readonly Answer[];
  readonly state: Json;
}

export interface Transcript {
  /** What was recorded, in order, without the ends of calls, which are written behind. */
  readonly journal: readonly Json[];
  readonly ends: readonly Json[];
  readonly seen: readonly Seen[];
}

const FOLDER = join(import.meta.dirname, "scenarios");

/** The scenarios, in the order of their files' names. */
export const SCENARIOS: readonly Scenario[] = readdirSync(FOLDER)
  .sort()
  .map((file) => parse(readFileSync(join(FOLDER, file), "utf8")));

export async function play(door: Door, scenario: Scenario): Promise<Transcript> {
  const player = await door.open(scenario.session ?? {});
  const seen: Seen[] = [];
  let refused: string | null = null;
  for (const [index, step] of scenario.steps.entries()) {
    const played = await playStep(player, step, refused);
    refused = played.answers?.at(-1)?.decision?.call_id ?? refused;
    seen.push({ step: index, ...played, state: await player.state() });
  }
  const entries = await player.journal();
  const isEnd = ({ kind }: Json): boolean => kind === "call-finished";
  const numbered = numberIds({
    journal: entries
      .filter((entry) => !isEnd(entry))
      .map(({ kind, policy, data }) => ({ kind, policy, data })),
    ends: entries.filter(isEnd).map(({ data }) => data),
    seen,
  });
  // The end of one call may be written before or after the next is admitted.
  const byCall = (left: Json, right: Json): number => left.call.localeCompare(right.call);
  return { ...numbered, ends: [...numbered.ends].sort(byCall) };
}

async function playStep(
  player: Player,
  step: Step,
  refused: string | null,
): Promise<Omit<Seen, "step" | "state">> {
  if (step.manifest) return { manifest: await player.manifest() };
  if (step.plan) return { plan: await player.plan(step.plan) };
  if (step.lease) return { plan: await player.requestPlan(step.lease) };
  if (step.decide) return { answers: await player.decide(step.decide) };
  if (step.reset) await player.reset();
  if (step.say) await player.say(step.say);
  if (step.answer) await player.answer(toAnswer(step, step.answer));
  if (step.appeal) await player.appeal(step.appeal, refused);
  if (step.call === undefined) return {};
  const { call: tool, arguments: args } = step;
  return { answers: [await player.call({ tool, ...(args && { arguments: args }) })] };
}

const toAnswer = ({ edit, standing }: Step, answer: PersonAnswer["answer"]): PersonAnswer => ({
  answer,
  ...(edit && { edit }),
  ...(standing && { standing }),
});

const ID = /\b(call|appr|sess|stand)_[0-9a-f]{32}\b/g;
const BINDING = /(?<="(?:binding|key)":")hmac-sha256:[0-9a-f]{64}/g;
const TIME = /\b\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/** Random ids become the number of their first appearance; times, which may be equal by chance, one word. */
function numberIds(transcript: Transcript): Transcript {
  const numbers = new Map<string, string>();
  const numberOf = (kind: string, id: string): string => {
    const number = numbers.get(id) ?? `<${kind} ${numbers.size}>`;
    numbers.set(id, number);
    return number;
  };
  const text = JSON.stringify(transcript)
    .replaceAll(ID, (id, kind) => numberOf(kind, id))
    .replaceAll(BINDING, (id) => numberOf("binding", id))
    .replaceAll(TIME, "<time>");
  return JSON.parse(text);
}

/**
 * Without what the gate noted of the values in results, for doors that get them in another shape: where calls are
 * decided without being run, and through SDKs, which say the same text in words of their own.
 */
export function withoutValues(transcript: Transcript, scenario: Scenario, isAdapter: boolean): Transcript {
  const isDecided = scenario.steps.some(({ decide }) => decide !== undefined);
  const ends = transcript.ends.map(({ seen, ...end }) => {
    if (isDecided || seen === undefined) return end;
    const { values, ...where } = seen;
    return { ...end, seen: isAdapter ? where : seen };
  });
  return { ...transcript, ends };
}

/** The same transcript as a door would tell it that leaves these decisions out: of what was allowed, or all. */
export function withoutUntold(full: Transcript, told: Transcript, leftOut: "allowed" | "all"): Transcript {
  const seen = full.seen.map((entry, step) => {
    if (!entry.answers) return entry;
    const answers = entry.answers.map((answer, index) => {
      const isUntold = told.seen[step]?.answers?.[index]?.decision === null;
      const mayBe = leftOut === "all" || answer.effect === "allow";
      return isUntold && mayBe ? { ...answer, decision: null } : answer;
    });
    return { ...entry, answers };
  });
  return { ...full, seen };
}
