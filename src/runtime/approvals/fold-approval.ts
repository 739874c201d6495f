/**
 * An approval cut to what a list can show of it: long texts to a length, many values to a number, and where each
 * cut is. Who is to answer it reads the whole of it first.
 *
 * THREAT: the agent chooses the arguments, and would like a list to be long, slow, or silent on what it left out.
 */
import type { ApprovalDetails } from "./kept-approvals.ts";

/** What isn't whole. */
export interface FoldedPart {
  readonly part: "arguments" | "diff";
  /** A JSON Pointer (RFC 6901) into the arguments, to a text or to what has members left out; empty for the diff. */
  readonly pointer: string;
  /** How long the whole is, as text or as JSON. */
  readonly characters: number;
}

export interface FoldedApproval {
  readonly details: ApprovalDetails;
  readonly folded: readonly FoldedPart[];
}

/** A member is shown whose name has so many characters, or as many as a text may have. */
const MAX_NAME_LENGTH = 200;
/** Values of all arguments that are shown. */
const MAX_VALUES = 500;
/** Characters of all arguments that are shown, names of members among them: so many texts of full length. */
const MAX_LONG_TEXTS = 20;

/** The same approval with its texts cut to so many characters. */
export function foldApproval(details: ApprovalDetails, most: number): FoldedApproval {
  const folding = new Folding(most);
  const args = folding.fold(details.arguments);
  const { preview } = details;
  if (preview === null || preview.length <= most)
    return { details: { ...details, arguments: args }, folded: folding.folded };
  const cut: FoldedPart = { part: "diff", pointer: "", characters: preview.length };
  return {
    details: { ...details, arguments: args, preview: cutText(preview, most) },
    folded: [...folding.folded, cut],
  };
}

/** The beginning of a text, never with half of a surrogate pair at its end. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  const isHigh = (text.charCodeAt(most - 1) & 0xfc00) === 0xd800;
  const isLow = (text.charCodeAt(most) & 0xfc00) === 0xdc00;
  return text.slice(0, most > 0 && isHigh && isLow ? most - 1 : most);
}

type Members = Record<string, unknown>;

/** A container whose members are still to be copied. */
interface Open {
  readonly from: object;
  readonly to: Members | unknown[];
  readonly pointer: string;
}

/** Goes from the outside in, so that what is left out lies as deep as it can. */
class Folding {
  readonly folded: FoldedPart[] = [];
  readonly #most: number;
  #values = MAX_VALUES;
  #characters: number;
  /** Characters of the pointers: long names that nest would make each of them long. */
  #pointers: number;

  constructor(most: number) {
    this.#most = most;
    this.#characters = Math.max(2000, MAX_LONG_TEXTS * most);
    this.#pointers = this.#characters;
  }

  fold(whole: Readonly<Members>): Members {
    const root: Members = Object.create(null);
    const open: Open[] = [{ from: whole, to: root, pointer: "" }];
    const cut: Open[] = [];
    for (const one of open) if (!this.#copy(one, open) && this.#hasRoom(one.pointer)) cut.push(one);
    // INVARIANT: whatever is cut is told about; where there is no room for its place, as a cut of the whole.
    const [first] = open;
    if (this.#pointers < 0 && first && !cut.includes(first)) cut.push(first);
    const lengths = new Map<object, number>(cut.map(({ from }) => [from, 0]));
    if (cut.length > 0) measure(whole, lengths);
    for (const { pointer, from } of cut) this.#add(pointer, lengths.get(from) ?? 0);
    return root;
  }

  /** Copies the members for which there is room. Whether that was all of them. */
  #copy({ from, to, pointer }: Open, open: Open[]): boolean {
    let isWhole = true;
    for (const key of Object.keys(from)) {
      if (this.#values === 0) return false;
      const value: unknown = Reflect.get(from, key);
      const shown = this.#shorten(value);
      const length = key.length + lengthOf(shown);
      if (key.length > Math.max(this.#most, MAX_NAME_LENGTH) || length > this.#characters) {
        isWhole = false;
        continue;
      }
      this.#values -= 1;
      this.#characters -= length;
      const place = `${pointer}/${escapeKey(key)}`;
      if (shown !== value && typeof value === "string" && this.#hasRoom(place))
        this.#add(place, value.length);
      if (typeof value === "object" && value !== null && isContainer(shown))
        open.push({ from: value, to: shown, pointer: place });
      if (Array.isArray(to)) to.push(shown);
      else to[key] = shown;
    }
    return isWhole;
  }

  /** A text cut, an empty container for one that is to be filled, anything else as it is. */
  #shorten(value: unknown): unknown {
    if (typeof value === "string") return cutText(value, this.#most);
    if (typeof value !== "object" || value === null) return value;
    return Array.isArray(value) ? [] : Object.create(null);
  }

  #hasRoom(pointer: string): boolean {
    this.#pointers -= pointer.length;
    return this.#pointers >= 0;
  }

  #add(pointer: string, characters: number): void {
    this.folded.push({ part: "arguments", pointer, characters });
  }
}

const lengthOf = (value: unknown): number => (typeof value === "string" ? value.length : 2);

const isContainer = (value: unknown): value is Members | unknown[] =>
  typeof value === "object" && value !== null;

/** How long a value is as JSON. Goes through it once, and notes the lengths of those that are asked for. */
function measure(value: unknown, wanted: Map<object, number>): number {
  if (typeof value !== "object" || value === null) return JSON.stringify(value).length;
  const isList = Array.isArray(value);
  let length = 2;
  let members = 0;
  for (const key of Object.keys(value)) {
    length += (isList ? 0 : JSON.stringify(key).length + 1) + measure(Reflect.get(value, key), wanted);
    members += 1;
  }
  length += Math.max(0, members - 1);
  if (wanted.has(value)) wanted.set(value, length);
  return length;
}

/** As in a JSON Pointer. */
const escapeKey = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");
