/** What the shapes of a policy file's parts are made of. An `error` is the phrase that says what a value must be. */
import { z } from "zod";

export interface MapKind {
  /** What it is called at the beginning of a sentence. */
  readonly title: string;
  /** Keys that this version knows and does not enforce, so that it refuses them. */
  readonly later: readonly string[];
}

export const mapKinds = z.registry<MapKind>();

/** A map of these keys and no others. */
export const map = <Shape extends z.core.$ZodLooseShape>(
  title: string,
  shape: Shape,
  { error = "a map", later = [] }: { readonly error?: string; readonly later?: readonly string[] } = {},
) => z.strictObject(shape, { error }).register(mapKinds, { title, later });

/** A key that may be left out, with what editors say of it. */
export const described = <T extends z.ZodType>(schema: T, description: string) =>
  schema.optional().meta({ description });

/** A map whose keys are names. */
export const byName = <T extends z.ZodType>(schema: T, error: string) =>
  z.record(z.string(), schema, { error });

export const text = z.string({ error: "text" });
export const texts = byName(text, "a map of names to text");
export const name = text.min(1);
export const names = z.array(name, { error: "a list of names" });
export const flag = z.boolean({ error: "true or false" });
export const number = z.number({ error: "a number" });

/** Lengths of time as they stand in a policy file. */
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
