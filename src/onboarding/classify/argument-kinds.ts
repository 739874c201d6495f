/**
 * Which arguments of a tool say whom or what a call is for, and which carry content. What no rule knows counts as the
 * former, so that it must be the user's word.
 */
import { propertyOf } from "../../json/plain-data.ts";
import { hasWord, wordSet, wordsOf } from "./name-words.ts";

/** Paths of arguments, as a policy has them. */
export interface ArgumentKinds {
  /** Of the critical ones, those that receive what a call sends. */
  readonly recipients: readonly string[];
  readonly critical: readonly string[];
  readonly payload: readonly string[];
  /** Whether one of them is a text of any length, which is given away. */
  readonly hasContent: boolean;
  /** Whether one of them is a password, a key or a token. */
  readonly hasCredential: boolean;
  /** Whether there are more, which a policy can't name. */
  readonly isOpen: boolean;
}

const RECIPIENTS = wordSet(
  "to cc bcc recipient participant attendee invitee guest member collaborator reviewer email phone channel",
);
const GUESTS = wordSet("participant attendee invitee guest");
const CREDENTIALS = wordSet("password passwd pwd passphrase passcode pin otp credential token secret apikey");
const CONTENT = wordSet("content body contents html markdown document yaml payload");
const PAYLOAD = wordSet(`
  body content contents message text description subject comment note amount price quantity currency date time day start
  end due deadline duration recurring query filter limit offset count max min size length timeout depth width height
  priority format sort language locale timezone encoding data value observation insight color colour emoji`);
/** Whatever stands beside them, they say which thing is meant. */
const CRITICAL = wordSet(`
  id ids uuid guid iban account url uri href link host domain webhook user username owner name title path file filename
  folder directory dir repo repository branch ref key address recipient channel to
  number iid index`);

/** What a policy can have as a part of a path. */
const NAMEABLE = /^[\p{L}_$][\p{L}\p{N}_$-]{0,63}$/u;

const MAX_DEPTH = 4;
const MAX_SCHEMAS = 200;

/** Reads a schema that a server made: bounded, and what it can't read is critical as a whole. */
export function kindsOfArguments(schema: unknown): ArgumentKinds {
  const found: Found = {
    recipients: [],
    critical: [],
    payload: [],
    hasContent: false,
    hasCredential: false,
    isOpen: false,
  };
  collect(schema, "", found, 0);
  return found;
}

interface Found {
  readonly recipients: string[];
  readonly critical: string[];
  readonly payload: string[];
  hasContent: boolean;
  hasCredential: boolean;
  isOpen: boolean;
}

function collect(schema: unknown, before: string, found: Found, depth: number): void {
  for (const [name, value] of Object.entries(asObject(propertyOf(schema, "properties"))).slice(
    0,
    MAX_SCHEMAS,
  )) {
    if (found.critical.length + found.payload.length >= MAX_SCHEMAS) {
      found.isOpen = true;
      return;
    }
    if (!NAMEABLE.test(name)) {
      found.isOpen = true;
      continue;
    }
    // A policy's paths may begin with `args.`, which is left out there.
    const start = before === "" && name === "args" ? "args." : "";
    add(name, value, `${start}${before}${name}`, found, depth);
  }
}

function add(name: string, schema: unknown, path: string, found: Found, depth: number): void {
  const words = wordsOf(name);
  if (hasWord(words, CREDENTIALS)) found.hasCredential = true;
  if (hasWord(words, CONTENT)) found.hasContent = true;
  const items = propertyOf(schema, "items");
  const inside = propertyOf(items, "properties") === undefined ? schema : items;
  if (propertyOf(inside, "properties") !== undefined && depth < MAX_DEPTH) {
    collect(inside, `${path}${inside === items ? "[]" : ""}.`, found, depth + 1);
    return;
  }
  const kind = kindOf(words, schema);
  found[kind === "payload" ? "payload" : "critical"].push(path);
  if (kind === "recipient") found.recipients.push(path);
}

function kindOf(words: readonly string[], schema: unknown): "recipient" | "critical" | "payload" {
  const format = propertyOf(schema, "format");
  if (hasWord(words, RECIPIENTS) || format === "email") return "recipient";
  if (hasWord(words, CRITICAL) || format === "uri") return "critical";
  const isChoice = propertyOf(schema, "type") === "boolean" || Array.isArray(propertyOf(schema, "enum"));
  return isChoice || (hasWord(words, PAYLOAD) && !mayHoldMore(schema)) ? "payload" : "critical";
}

/** THREAT: what may be an object may hold recipients that aren't named here, whatever it is called. */
function mayHoldMore(schema: unknown, depth = 0): boolean {
  const type = propertyOf(schema, "type");
  if (depth > MAX_DEPTH || ["$ref", "allOf", "oneOf"].some((key) => propertyOf(schema, key) !== undefined))
    return true;
  if (type === "object" || (Array.isArray(type) && type.includes("object"))) return true;
  if (
    propertyOf(schema, "properties") !== undefined ||
    propertyOf(schema, "additionalProperties") !== undefined
  )
    return true;
  const options = propertyOf(schema, "anyOf");
  const inside = [propertyOf(schema, "items"), ...(Array.isArray(options) ? options : [])];
  return inside.some((one) => one !== undefined && mayHoldMore(one, depth + 1));
}

/** Whether recipients are guests of what is made: without them it tells nobody. */
export const areGuests = (recipients: readonly string[]): boolean =>
  recipients.length > 0 && recipients.every((path) => hasWord(wordsOf(path), GUESTS));

const asObject = (value: unknown): object => (typeof value === "object" && value !== null ? value : {});
