/** Examines the calls of a plan before any of them runs: what each would bring in, and what already denies it. */
import {
  flowsTo,
  type GivenValue,
  type KnownFacts,
  Meter,
  type PlannedCall,
  type Tool,
} from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import { TurnQueue } from "../../threads/index.ts";
import { givenValues } from "../endorsement/given-values.ts";
import type { GateContext } from "../gate-context.ts";
import type { Session } from "../session.ts";
import { type PreparedCall, prepareCall } from "./admission.ts";
import { type CallFacts, type GatheredFacts, toCallView, withExamined } from "./call-facts.ts";
import { findRefusal } from "./decide-asked.ts";

/** For later calls of a plan the worst case is assumed. */
const MAX_EXAMINED = 100;
/** Words of arguments that are compared with the user's; for further calls the worst case is assumed. */
const MAX_COMPARED = 8192;
/** Steps of all conditions together: 10 ms at most. */
const MAX_STEPS = 200_000;

/** Plan checks of one label holder that wait for their turn. */
const MAX_WAITING = 32;
/** Turns of the event loop between two plan checks: one new connection may take several. */
const TURNS_OF_OTHERS = 8;

const checks = new TurnQueue({ maxWaiting: MAX_WAITING, turnsBetween: TURNS_OF_OTHERS });

/**
 * Gives each plan check its own turn of the event loop, and others some turns after it, so that many checks don't
 * delay everybody else. Principals alternate, and the label holders of each.
 * @throws SluicegateError `limit-reached` if too many of the same label holder wait.
 */
export async function nextPlanTurn(session: Session): Promise<void> {
  const turn = checks.next(session);
  if (turn === null) throw tooManyChecks();
  await turn;
}

const tooManyChecks = (): SluicegateError =>
  new SluicegateError("limit-reached", "Too many plans of this session are being checked.", {
    why: `A session and its forks may have ${MAX_WAITING} plan checks waiting.`,
    fix: "Wait for the answers that are due, and check fewer plans at once.",
  });

/** @throws SluicegateError `limit-reached` for a plan that is too long to be shown to a person. */
export function assertPlanSize(calls: readonly PlannedCall[]): void {
  if (calls.length <= MAX_EXAMINED) return;
  throw new SluicegateError("limit-reached", "The plan has too many calls to be approved.", {
    why: `It has ${calls.length} calls; a person is shown ${MAX_EXAMINED} at most.`,
    fix: "Submit its first part, and the rest once that has run.",
  });
}

/**
 * The same calls, each with facts from its provider, and no others: the source label, up to the one that its tool
 * declares; which arguments are the user's word; whether a person must approve or has denied it; whether its server
 * can't be called. For a call without arguments or facts the worst case is assumed.
 */
export async function examinePlan(
  gate: GateContext,
  session: Session,
  calls: readonly PlannedCall[],
): Promise<readonly ExaminedCall[]> {
  const servers = new ServerFaults(gate, session);
  // Looking for a denial evaluates conditions; without denials there is no need.
  const meter = new Meter(session.state.answers.some(({ answer }) => answer === "denied") ? MAX_STEPS : -1);
  const comparison = new Comparison(gate);
  let left = MAX_EXAMINED;
  return Promise.all(
    calls.map(async (call) => {
      const { source: _, known: __, ...asked } = typeof call === "string" ? { tool: call } : call;
      const tool = session.tool(asked.tool);
      if (tool === null) return { planned: asked };
      const isExamined = asked.arguments !== undefined && left > 0 && !comparison.isSpent;
      if (!isExamined) return { planned: { ...asked, ...(await servers.of(tool)) } };
      left -= 1;
      const context = { tool, meter, comparison };
      const { made, ...found } = await examine(gate, session, asked, context).catch(() => NOT_FOUND);
      return { planned: { ...asked, ...found }, ...(made && { made }) };
    }),
  );
}

type Whole = Exclude<PlannedCall, string>;
type Found = Pick<Whole, "source" | "known">;

interface PlanContext {
  readonly tool: Tool;
  readonly meter: Meter;
  readonly comparison: Comparison;
}

/** The values of planned calls for the comparison with the user's words, within a plan's limit. */
class Comparison {
  readonly #gate: GateContext;
  #left = MAX_COMPARED;

  constructor(gate: GateContext) {
    this.#gate = gate;
  }

  get isSpent(): boolean {
    return this.#left <= 0;
  }

  valuesOf(tool: Tool, args: NonNullable<Whole["arguments"]>): readonly GivenValue[] | undefined {
    const values = givenValues(this.#gate.policy(), tool, { arguments: args }, this.#gate.admission.words);
    for (const { words } of values ?? []) this.#left -= words.length + 1;
    return values;
  }
}

/** A planned call with its facts. */
export interface ExaminedCall {
  readonly planned: Whole;
  /** The call as it would be made, and its binding; left out if its arguments aren't known. */
  readonly made?: MadeCall;
}

export interface MadeCall {
  readonly prepared: PreparedCall;
  readonly tool: Tool;
  readonly facts: GatheredFacts;
}

const NOT_FOUND: Found & Pick<ExaminedCall, "made"> = Object.freeze({});

async function examine(
  gate: GateContext,
  session: Session,
  call: Whole,
  { tool, meter, comparison }: PlanContext,
): Promise<Found & Pick<ExaminedCall, "made">> {
  const { arguments: args = {} } = call;
  const prepared = prepareCall({ tool: call.tool, arguments: args });
  const values = comparison.valuesOf(tool, prepared.arguments);
  const facts = await gate.facts(prepared, toCallView(session), {});
  const { examined } = facts;
  const { lattice, label } = session.state;
  // THREAT: planning raises nothing, so its result must not reveal more than the session's label covers.
  if (examined?.told && !flowsTo(lattice, examined.told, label)) return {};
  const source = tool.sourceBound === "most" ? (examined?.source ?? facts.source) : undefined;
  const known = { ...toKnown(facts), ...(values && { values }) };
  const admission = { ...gate.admission, session: session.id, policy: gate.policy() };
  const decided = { ...facts, ...(source && { source }), ...known, meter };
  const refused = meter.isSpent
    ? null
    : findRefusal({ ...admission, facts: decided }, session.state, prepared, gate.clock.now());
  const made = { prepared, tool, facts };
  return { ...(source && { source }), known: { ...known, ...(refused && { asked: refused }) }, made };
}

/** The facts of a call that a plan uses. */
function toKnown(facts: CallFacts): KnownFacts {
  const { source, definition, examined, ...known } = facts;
  return { ...known, ...withExamined(facts) };
}

/** Servers that can't be called now, for calls without arguments. Each is examined once. */
class ServerFaults {
  readonly #gate: GateContext;
  readonly #session: Session;
  readonly #known = new Map<string, Promise<Found>>();

  constructor(gate: GateContext, session: Session) {
    this.#gate = gate;
    this.#session = session;
  }

  of({ id, server }: Tool): Promise<Found> {
    if (server === null) return NOTHING;
    const found = this.#known.get(server) ?? this.#look(id).catch(() => ({}));
    this.#known.set(server, found);
    return found;
  }

  async #look(tool: string): Promise<Found> {
    const { faults = [], signIn } = await this.#gate.facts({ tool }, toCallView(this.#session), {});
    return faults.length > 0 || signIn ? { known: { faults, ...(signIn && { signIn }) } } : {};
  }
}

const NOTHING: Promise<Found> = Promise.resolve({});
