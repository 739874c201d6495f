/** Values of a database as JSON has them. What is too long becomes a preview. */
import type { SqlCell } from "./sql-engine.ts";

/** The longest text or binary value that is given in full, in bytes. */
export const MAX_CELL_LENGTH = 8192;
const PREVIEW_BYTES = 64;

/** A cell, and the value's length in bytes where it was cut. */
export interface MadeCell {
  readonly cell: SqlCell;
  readonly cutFrom: number | null;
}

/**
 * Makes a cell of what a driver gives. Integers beyond 2^53 and dates become text, binary data its length and first
 * bytes, and whatever else is an object its JSON text.
 * @param longest the most bytes of a text that is given in full
 */
export function toCell(value: unknown, longest = MAX_CELL_LENGTH): MadeCell {
  if (value === null || value === undefined) return whole(null);
  if (typeof value === "boolean") return whole(value);
  if (typeof value === "number") return whole(Number.isFinite(value) ? value : String(value));
  if (typeof value === "bigint") return whole(isSafe(value) ? Number(value) : value.toString());
  if (typeof value === "string") return fromText(value, longest);
  if (value instanceof Uint8Array) return fromBytes(value);
  if (value instanceof Date) return whole(Number.isNaN(value.getTime()) ? null : value.toISOString());
  return fromText(JSON.stringify(value) ?? String(value), longest);
}

const whole = (cell: SqlCell): MadeCell => ({ cell, cutFrom: null });

const isSafe = (value: bigint): boolean =>
  value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER);

function fromText(text: string, longest: number): MadeCell {
  // A character is at least one byte and at most three, so most texts need not be measured.
  if (text.length * 3 <= longest) return whole(text);
  const bytes = Buffer.byteLength(text);
  if (bytes <= longest) return whole(text);
  const start = Buffer.from(text.slice(0, longest)).subarray(0, longest).toString("utf8");
  // The last character may have been cut in two.
  return { cell: start.replace(/\uFFFD$/, ""), cutFrom: bytes };
}

function fromBytes(value: Uint8Array): MadeCell {
  const preview = Buffer.from(value.subarray(0, PREVIEW_BYTES)).toString("hex");
  return whole({ bytes: value.byteLength, preview_hex: preview });
}
