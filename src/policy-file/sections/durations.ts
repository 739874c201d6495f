/** Lengths of time as they stand in a policy file. */
import { z } from "zod";
import { name } from "./shape.ts";

export const duration = z.union([z.number(), name], {
  error: "a number of seconds, or one with a unit, such as `30m`",
});

const UNITS: ReadonlyMap<string, number> = new Map([
  ["s", 1],
  ["m", 60],
  ["h", 3600],
  ["d", 86_400],
]);

/** `90`, `90s`, `30m`, `2h`, `1d` in seconds; null for anything else. */
export function toSeconds(written: string | number): number | null {
  const [, digits, unit = "s"] = /^(\d{1,9})([smhd])?$/.exec(String(written)) ?? [];
  const factor = UNITS.get(unit);
  return digits === undefined || factor === undefined ? null : Number(digits) * factor;
}
