/** What providers find out about the calls of a plan before any of them runs: what each would bring in. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { flowsTo, type PlannedCall } from "../core/index.ts";
import { prepareCall } from "./admission.ts";
import { toCallView } from "./decider.ts";
import type { GateContext } from "./gate.ts";
import type { Session } from "./session.ts";

/** Of a longer plan, the calls after these are taken at their worst. */
const MOST_EXAMINED = 100;

let lastTurn = Promise.resolve();

/** Gives each plan check a turn of the event loop of its own: many at once would hold up everybody else. */
export function nextPlanTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => nextTurn());
  return lastTurn;
}

/**
 * The same calls, each with the source label that its provider found out and no other, where its tool declares the most
 * that it may bring in; a call without arguments, or of
 * which nothing could be found out, is taken at its worst.
 */
export function examinePlan(
  gate: GateContext,
  session: Session,
  calls: readonly PlannedCall[],
): Promise<readonly PlannedCall[]> {
  let left = MOST_EXAMINED;
  return Promise.all(
    calls.map(async (call) => {
      if (typeof call === "string") return call;
      const { source: _, ...asked } = call;
      const isOpen = call.arguments !== undefined && session.tool(call.tool)?.sourceBound === "most";
      if (!isOpen || left === 0) return asked;
      left -= 1;
      const source = await sourceOf(gate, session, asked).catch(() => undefined);
      return source === undefined ? asked : { ...asked, source };
    }),
  );
}

async function sourceOf(gate: GateContext, session: Session, call: Exclude<PlannedCall, string>) {
  const { examined, source } = await gate.facts(prepareCall(call), toCallView(session));
  const { lattice, label } = session.state;
  // THREAT: planning raises nothing, so what it tells may be no more than the session holds already.
  if (examined?.told && !flowsTo(lattice, examined.told, label)) return undefined;
  return examined?.source ?? source;
}
