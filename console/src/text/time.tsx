/** Times, relative to now; exact on pointing. */
import { type ReactNode, useSyncExternalStore } from "react";
import { currentTick, serverNow, watchSeconds } from "../api/clock.ts";

const UNITS: readonly (readonly [seconds: number, name: string])[] = [
  [86_400, "day"],
  [3_600, "hour"],
  [60, "min"],
];

/** A duration in its largest unit: `14 min`, `2 hours`. */
export function toDuration(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  for (const [size, name] of UNITS) {
    if (seconds < size) continue;
    const count = Math.floor(seconds / size);
    return `${count} ${count > 1 && name !== "min" ? `${name}s` : name}`;
  }
  return `${seconds} s`;
}

/** How long something took: `820 ms`, `1.4 s`. */
export function toTiming(milliseconds: number): string {
  if (milliseconds < 1_000) return `${milliseconds} ms`;
  return milliseconds < 60_000 ? `${(milliseconds / 1_000).toFixed(1)} s` : toDuration(milliseconds);
}

/** Relative to now: `3 min ago`, `in 14 min`. */
export function toRelative(at: number, now: number): string {
  const apart = at - now;
  if (Math.abs(apart) < 1_000) return "now";
  return apart > 0 ? `in ${toDuration(apart)}` : `${toDuration(-apart)} ago`;
}

/** The gateway's time, once a second. */
export function useNow(): number {
  useSyncExternalStore(watchSeconds, currentTick);
  return serverNow();
}

const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" });

/** A time (RFC 3339). Rendered again only if its words change: a list has a thousand of them. */
export function Time({ at }: { readonly at: string }): ReactNode {
  const moment = Date.parse(at);
  const told = useSyncExternalStore(watchSeconds, () => toRelative(moment, serverNow()));
  if (Number.isNaN(moment)) return at;
  return (
    <time dateTime={at} title={EXACT.format(moment)}>
      {told}
    </time>
  );
}
