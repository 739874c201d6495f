/** From a reason to its calls: which call brought in the data that block. */
import type { Schema } from "../api/client.ts";
import { type EventAddress, findEvent } from "./event-address.ts";
import type { TimelineEvent } from "./kept-events.ts";

type Reason = Schema<"Reason">;
type Cause = Reason["caused_by"][number];

export interface FoundCause {
  readonly cause: Cause;
  /** The call's address; null if the host brought the data in. */
  readonly address: EventAddress | null;
  /** The level to which the call raised the session, if known. */
  readonly level: string | null;
}

/** The causes of all reasons, each once, with their events. */
export function findCauses(
  reasons: readonly Reason[],
  events: readonly TimelineEvent[],
): readonly FoundCause[] {
  const causes = reasons.flatMap(({ caused_by }) => caused_by);
  const distinct = new Map(causes.map((cause) => [JSON.stringify(cause), cause]));
  return [...distinct.values()].map((cause) => findCause(cause, events));
}

/** Where a value that the user didn't say first came into the session. */
export interface FoundOrigin {
  readonly argument: string;
  /** The call's number, from 1. */
  readonly call: number;
  readonly tool: string;
  readonly trust: string;
  readonly address: EventAddress;
}

/** The origins of all reasons, each once, with their events if those are loaded. */
export function findOrigins(
  reasons: readonly Reason[],
  events: readonly TimelineEvent[],
): readonly FoundOrigin[] {
  const origins = reasons.flatMap(({ argument, first_seen: seen }): readonly FoundOrigin[] => {
    if (!seen || !argument) return [];
    const step = { kind: "step", step: seen.call - 1 } as const;
    const event = findEvent(events, step);
    return [{ argument, ...seen, address: event === null ? step : { kind: "seq", seq: event.seq } }];
  });
  return [...new Map(origins.map((origin) => [JSON.stringify(origin), origin])).values()];
}

function findCause(cause: Cause, events: readonly TimelineEvent[]): FoundCause {
  if (cause.step === null) return { cause, address: null, level: null };
  const step = { kind: "step", step: cause.step } as const;
  const event = findEvent(events, step);
  if (event === null) return { cause, address: step, level: null };
  const level = event.kind === "call" ? (event.raises?.level ?? null) : null;
  return { cause, address: { kind: "seq", seq: event.seq }, level };
}
