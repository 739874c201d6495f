/**
 * The functions of a condition: those of CEL, and two of our own, that say something of an argument and cost no more than
 * its length.
 * THREAT: `matches` is not among them. A pattern that takes long on one text can be made to by whoever writes it.
 */
import { type Meter, UNCLEAR } from "./scope.ts";
import { isList, isMapping, isNumeric } from "./values.ts";

type CelFunction = (meter: Meter, ...values: readonly unknown[]) => unknown;

const isText = (value: unknown): value is string => typeof value === "string";

/** Called as `size(x)`. */
export const FUNCTIONS: ReadonlyMap<string, CelFunction> = new Map<string, CelFunction>([
  ["size", (meter, value) => sizeOf(value, meter)],
  ["int", (_, value) => toWhole(value)],
  ["double", (_, value) => toFraction(value)],
  ["string", (_, value) => toText(value)],
  ["isPublicUrl", (meter, value) => isPublicUrl(value, meter)],
  ["keys", (meter, value) => keysOf(value, meter)],
]);

/** What CEL itself doesn't have, as its type checker reads it. */
export const OWN_FUNCTIONS: readonly string[] = ["isPublicUrl(string): bool", "keys(map): list<string>"];

/** Called as `x.size()`. */
export const METHODS: ReadonlyMap<string, CelFunction> = new Map<string, CelFunction>([
  ["size", (meter, value) => sizeOf(value, meter)],
  ["startsWith", ofTwo((text, part) => text.startsWith(part), readOnce)],
  ["endsWith", ofTwo((text, part) => text.endsWith(part), readOnce)],
  ["contains", ofTwo((text, part) => text.includes(part), lookFor)],
  ["lowerAscii", ofOne((text) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()))],
  ["upperAscii", ofOne((text) => text.replace(/[a-z]/g, (letter) => letter.toUpperCase()))],
]);

type Cost = (text: string, part: string) => number;

function readOnce(text: string, part: string): number {
  return Math.min(text.length, part.length) / 16;
}

/**
 * The engine looks for a short part in the time that it takes to read the text. For a long one it can take the
 * product of both lengths: 100 seconds were measured for half a megabyte in a whole one.
 */
function lookFor(text: string, part: string): number {
  return text.length / 8 + (part.length > LONG_PART ? (text.length * part.length) / 64 : 0);
}

const LONG_PART = 200;

function ofTwo(holds: (text: string, part: string) => boolean, cost: Cost): CelFunction {
  return (meter, text, part) => {
    if (!isText(text) || !isText(part)) throw UNCLEAR;
    meter.charge(1 + cost(text, part));
    return holds(text, part);
  };
}

function ofOne(change: (text: string) => string): CelFunction {
  return (meter, text) => {
    if (!isText(text)) throw UNCLEAR;
    meter.charge(1 + text.length);
    return change(text);
  };
}

function sizeOf(value: unknown, meter: Meter): bigint {
  if (isList(value)) return BigInt(value.length);
  if (!isText(value)) throw UNCLEAR;
  meter.charge(1 + value.length / 4);
  let characters = 0;
  for (const _ of value) characters += 1;
  return BigInt(characters);
}

/** The keys of an object, as a list. */
export function keysOf(value: unknown, meter: Meter): readonly string[] {
  if (!isMapping(value)) throw UNCLEAR;
  const keys = Object.keys(value);
  meter.charge(keys.length);
  return keys;
}

const WHOLE = /^[+-]?\d{1,18}$/;
const FRACTION = /^[+-]?\d{1,300}(?:\.\d{1,300})?(?:[eE][+-]?\d{1,3})?$/;

function toWhole(value: unknown): bigint {
  if (typeof value === "bigint") return value;
  if (typeof value === "number" && Math.abs(value) < 2 ** 63) return BigInt(Math.trunc(value));
  if (isText(value) && WHOLE.test(value)) return BigInt(value.replace("+", ""));
  throw UNCLEAR;
}

function toFraction(value: unknown): number {
  const number = isNumeric(value) || (isText(value) && FRACTION.test(value)) ? Number(value) : Number.NaN;
  if (!Number.isFinite(number)) throw UNCLEAR;
  return number;
}

function toText(value: unknown): string {
  if (isText(value)) return value;
  if (isNumeric(value) || typeof value === "boolean") return String(value);
  throw UNCLEAR;
}

/** A name of the world's DNS, with a port or without: several plain labels, the last of which is no number. */
const PUBLIC_HOST = /^(?:[a-z0-9][a-z0-9-]*\.)+[a-z][a-z0-9-]*(?::\d{1,5})?$/i;
/** Endings that mean this machine or the network around it. */
const LOCAL_HOST =
  /\.(?:localhost|localdomain|localnet|local|internal|svc|docker|consul|intra|box|intranet|private|corp|home|lan|arpa|test)(?::\d+)?$/i;
const MAX_HOST = 260;

/**
 * Whether a text is an `https` address whose host is written as a public name: no number in any form, no user, nothing
 * that another reader of addresses could take otherwise. What the name leads to, nobody asks.
 */
function isPublicUrl(value: unknown, meter: Meter): boolean {
  if (!isText(value)) throw UNCLEAR;
  meter.charge(1 + Math.min(value.length, MAX_HOST));
  const [, host = ""] = /^https:\/\/([^/?#]*)/i.exec(value.slice(0, MAX_HOST + 9)) ?? [];
  return host.length <= MAX_HOST && PUBLIC_HOST.test(host) && !LOCAL_HOST.test(host);
}
