/** Planned calls, as they are given and with everything resolved. */
import type { Call } from "./decide.ts";

/** A planned call: a tool's name, or with an id that others can wait for. */
export type PlannedCall =
  | string
  | {
      readonly id?: string;
      readonly tool: string;
      readonly arguments?: Readonly<Record<string, unknown>>;
      /** Ids of calls that must come before. */
      readonly after?: readonly string[];
    };

/** A planned call with everything resolved. */
export interface Planned {
  /** What it is called in an order: its id, or else its tool. */
  readonly label: string;
  readonly id: string | null;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>> | undefined;
  readonly after: readonly string[];
}

export function toPlanned(call: PlannedCall): Planned {
  if (typeof call === "string") return { label: call, id: null, tool: call, arguments: undefined, after: [] };
  const { id = null, tool, after = [] } = call;
  return { label: id ?? tool, id, tool, arguments: call.arguments, after };
}

export const toCall = (planned: Planned): Call =>
  planned.arguments === undefined
    ? { tool: planned.tool }
    : { tool: planned.tool, arguments: planned.arguments };
