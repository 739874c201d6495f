/** Addresses of events: by the journal's entry, or by the number of a call that isn't loaded yet. */
import { isCall, type TimelineEvent } from "./kept-events.ts";

export type EventAddress =
  | { readonly kind: "seq"; readonly seq: number }
  /** Counted from 0. */
  | { readonly kind: "step"; readonly step: number }
  | { readonly kind: "call"; readonly call: string };

const SEQ = /^#?seq-(\d{1,15})$/;
const STEP = /^#?call-(\d{1,15})$/;
const CALL = /^#?id-(.{1,200})$/;

/** The address's part after `#`; calls are counted from 1 there. */
export function toHash(address: EventAddress): string {
  if (address.kind === "seq") return `seq-${address.seq}`;
  return address.kind === "step" ? `call-${address.step + 1}` : `id-${encodeURIComponent(address.call)}`;
}

export function fromHash(hash: string): EventAddress | null {
  const [seq, step, call] = [SEQ, STEP, CALL].map((pattern) => pattern.exec(hash)?.[1]);
  if (seq !== undefined) return { kind: "seq", seq: Number(seq) };
  if (step !== undefined) return { kind: "step", step: Number(step) - 1 };
  return call === undefined ? null : { kind: "call", call: decode(call) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The event, if it is loaded. */
export function findEvent(events: readonly TimelineEvent[], address: EventAddress): TimelineEvent | null {
  const found = events.find((event) => {
    if (address.kind === "seq") return event.seq === address.seq;
    if (!isCall(event)) return false;
    return address.kind === "step" ? event.step === address.step : event.call_id === address.call;
  });
  return found ?? null;
}

/** Whether it may be among the events before those that are loaded. */
export function isEarlier(events: readonly TimelineEvent[], address: EventAddress): boolean {
  const [first] = events;
  if (first === undefined || address.kind === "call") return true;
  if (address.kind === "seq") return address.seq < first.seq;
  const firstCall = events.find(isCall);
  return firstCall === undefined || address.step < firstCall.step;
}
