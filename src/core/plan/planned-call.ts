/** Planned calls, as given and resolved. */

import type { Call } from "../decision/decide.ts";
import type { Facts } from "../decision/decision-context.ts";
import type { Label } from "../label/label.ts";

/** A planned call: a tool's name, or with an id that others can wait for. */
export type PlannedCall =
  | string
  | {
      readonly id?: string;
      readonly tool: string;
      readonly arguments?: Readonly<Record<string, unknown>>;
      /** Ids of calls that must come before. */
      readonly after?: readonly string[];
      /** What the call would bring in, as its provider found out; left out, what its tool declares. */
      readonly source?: Label;
      /** What else is known of the call already, such as that its server can't be called. */
      readonly known?: KnownFacts;
    };

/** The facts of a call that a plan can know before it is made. */
export type KnownFacts = Pick<
  Facts,
  "faults" | "asks" | "isProtected" | "unknownArgument" | "signIn" | "values" | "asked"
>;

/** A planned call with everything resolved. */
export interface Planned {
  /** Its name in an order: its id, otherwise its tool. */
  readonly label: string;
  readonly id: string | null;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>> | undefined;
  readonly after: readonly string[];
  readonly source: Label | undefined;
  readonly known: KnownFacts | undefined;
}

export function toPlanned(call: PlannedCall): Planned {
  if (typeof call === "string") return toPlanned({ tool: call });
  const { id = null, tool, after = [], source, known } = call;
  return { label: id ?? tool, id, tool, arguments: call.arguments, after, source, known };
}

export const toCall = (planned: Planned): Call =>
  planned.arguments === undefined
    ? { tool: planned.tool }
    : { tool: planned.tool, arguments: planned.arguments };

/** The facts for a step's decision: the plan's and its own. */
export const toFacts = ({ source, known }: Planned, facts: Facts): Facts =>
  source === undefined && known === undefined ? facts : { ...facts, ...(source && { source }), ...known };
