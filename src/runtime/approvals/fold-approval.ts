/**
 * An approval, truncated for a list: texts to a length, values to a number, with the position of each cut. Before
 * answering, a person reads the whole approval.
 * THREAT: the agent chooses the arguments. They could make a list long or slow, or hide that something is left out.
 */
import type { ApprovalDetails } from "./kept-approvals.ts";

/** A part that was truncated. */
export interface FoldedPart {
  readonly part: "arguments" | "diff";
  /**
   * A JSON Pointer (RFC 6901) into the arguments, to a text or to a container with omitted members; empty for the
   * diff.
   */
  readonly pointer: string;
  /** The full length, as text or as JSON. */
  readonly characters: number;
}

export interface FoldedApproval {
  readonly details: ApprovalDetails;
  readonly folded: readonly FoldedPart[];
}

/** Members with longer names are left out, unless texts may be longer. */
const MAX_NAME_LENGTH = 200;
/** Values shown of all arguments. */
const MAX_VALUES = 500;
/** Characters shown of all arguments and member names, in texts of full length. */
const MAX_LONG_TEXTS = 20;

/** The same approval with its texts truncated to `most` characters. */
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

/** The beginning of a text, without half of a surrogate pair at its end. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  const isHigh = (text.charCodeAt(most - 1) & 0xfc00) === 0xd800;
  const isLow = (text.charCodeAt(most) & 0xfc00) === 0xdc00;
  return text.slice(0, most > 0 && isHigh && isLow ? most - 1 : most);
}

type Members = Record<string, unknown>;

/** A container whose members aren't copied yet. */
interface Open {
  readonly from: object;
  readonly to: Members | unknown[];
  readonly pointer: string;
}

/** Goes from the outside in, so that what is left out is nested as deep as possible. */
class Folding {
  readonly folded: FoldedPart[] = [];
  readonly #most: number;
  #values = MAX_VALUES;
  #characters: number;
  /** Limits the pointers' characters: nested long names would make each pointer long. */
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
    // INVARIANT: every cut is reported; if there is no room for its pointer, as a cut of the whole.
    const [first] = open;
    if (this.#pointers < 0 && first && !cut.includes(first)) cut.push(first);
    const lengths = new Map<object, number>(cut.map(({ from }) => [from, 0]));
    if (cut.length > 0) measure(whole, lengths);
    for (const { pointer, from } of cut) this.#add(pointer, lengths.get(from) ?? 0);
    return root;
  }

  /** Copies the members that fit. Returns whether that was all of them. */
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

  /** Truncates a text, and returns an empty container for a container that is copied later. */
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

/** The length of a value as JSON, in one pass that also records the lengths of the values in `wanted`. */
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
