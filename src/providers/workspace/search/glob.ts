/**
 * Glob patterns over paths with `/`: `*`, `?`, `[a-z]`, `{a,b}` and `**`. They aren't compiled to regular
 * expressions, so a match takes at most pattern times path; the total for all paths is limited too.
 */
import { SluicegateError } from "../../../errors/index.ts";
import { MAX_GLOB_ALTERNATIVES, MAX_GLOB_LENGTH } from "../limits.ts";

type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "any" }
  | { readonly kind: "star" }
  | {
      readonly kind: "set";
      readonly negated: boolean;
      readonly ranges: readonly (readonly [string, string])[];
    };

/** A plain name, or one in parts; `null` stands for `**`. */
type Segments = readonly (string | readonly Piece[] | null)[];

/**
 * Whether a path matches. With `anywhere`, a pattern without `/` matches a name in any folder.
 * @throws SluicegateError `invalid-request` for a pattern that is too long or has too many alternatives; the returned
 *   function throws the same once the pattern has taken too long.
 */
export function toGlob(pattern: string, anywhere: boolean): (path: string) => boolean {
  if (pattern.length > MAX_GLOB_LENGTH) throw tooMuch(`It has more than ${MAX_GLOB_LENGTH} characters.`);
  const compiled = alternatives(pattern).map((one) => {
    const trimmed = one.replace(/^(?:\.?\/)+/, "");
    return toSegments(anywhere && !trimmed.includes("/") ? `**/${trimmed}` : trimmed);
  });
  const effort: Effort = { left: FREE_STEPS };
  return (path) => {
    effort.left += STEPS_FOR_A_PATH;
    const names = path.split("/").map(toName);
    return compiled.some((segments) => matchesPath(segments, names, effort));
  };
}

/**
 * What remains of a pattern's limit. Patterns with many stars and braces could take very long, in one turn of the
 * event loop.
 */
interface Effort {
  left: number;
}

const FREE_STEPS = 2_000_000;
const STEPS_FOR_A_PATH = 500;

/** `a{b,c}` as `ab` and `ac`, from the innermost braces outwards; braces without a comma are plain text. */
function alternatives(pattern: string): readonly string[] {
  const done: string[] = [];
  const open = [pattern];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const group = /\{([^{}]*,[^{}]*)\}/.exec(next);
    if (group === null) done.push(next);
    else {
      for (const choice of (group[1] ?? "").split(",").reverse()) {
        open.push(next.slice(0, group.index) + choice + next.slice(group.index + group[0].length));
      }
    }
    if (done.length + open.length > MAX_GLOB_ALTERNATIVES) {
      throw tooMuch(`Its braces stand for more than ${MAX_GLOB_ALTERNATIVES} patterns.`);
    }
  }
  return done;
}

const toSegments = (pattern: string): Segments =>
  pattern
    .split("/")
    .map((segment) => (segment === "**" ? null : plainOr(toPieces(segment))))
    .filter((segment, index, all) => segment !== null || all[index - 1] !== null);

const plainOr = (pieces: readonly Piece[]): string | readonly Piece[] =>
  pieces.every((piece) => piece.kind === "text") ? pieces.map(({ text }) => text).join("") : pieces;

function toPieces(segment: string): readonly Piece[] {
  const characters = [...segment];
  const pieces: Piece[] = [];
  for (let at = 0; at < characters.length; ) {
    const { piece, length } = pieceAt(characters, at);
    // Two stars in a row are one.
    if (piece.kind !== "star" || pieces.at(-1)?.kind !== "star") pieces.push(piece);
    at += length;
  }
  return pieces;
}

function pieceAt(characters: readonly string[], at: number): { piece: Piece; length: number } {
  const [character = "", next] = characters.slice(at, at + 2);
  if (character === "*") return { piece: { kind: "star" }, length: 1 };
  if (character === "?") return { piece: { kind: "any" }, length: 1 };
  if (character === "\\" && next !== undefined) return { piece: { kind: "text", text: next }, length: 2 };
  const end = character === "[" ? characters.indexOf("]", at + 2) : -1;
  return end === -1
    ? { piece: { kind: "text", text: character }, length: 1 }
    : { piece: toSet(characters.slice(at + 1, end)), length: end + 1 - at };
}

function toSet(inside: readonly string[]): Piece {
  const negated = inside[0] === "!" || inside[0] === "^";
  const characters = negated ? inside.slice(1) : inside;
  const ranges: (readonly [string, string])[] = [];
  for (let at = 0; at < characters.length; at += 1) {
    const from = characters[at] ?? "";
    const to = characters[at + 2];
    if (characters[at + 1] === "-" && to !== undefined) {
      ranges.push([from, to]);
      at += 2;
    } else ranges.push([from, from]);
  }
  return { kind: "set", negated, ranges };
}

interface Name {
  readonly text: string;
  readonly characters: readonly string[];
}

const toName = (text: string): Name => ({ text, characters: [...text] });

const matchesPath = (segments: Segments, names: readonly Name[], effort: Effort): boolean =>
  matchesRun(
    segments,
    names,
    (segment) => segment === null,
    (segment, name) =>
      typeof segment === "string"
        ? segment === name.text
        : segment !== null && matchesName(segment, name, effort),
    effort,
  );

const matchesName = (pieces: readonly Piece[], name: Name, effort: Effort): boolean =>
  matchesRun(pieces, name.characters, (piece) => piece.kind === "star", matchesCharacter, effort);

function matchesCharacter(piece: Piece, character: string): boolean {
  if (piece.kind === "text") return piece.text === character;
  if (piece.kind === "set") {
    return piece.negated !== piece.ranges.some(([from, to]) => from <= character && character <= to);
  }
  return piece.kind === "any";
}

/** Matching with backtracking to the last star only; earlier ones never need it. */
function matchesRun<P, I>(
  pattern: readonly P[],
  items: readonly I[],
  isStar: (part: P) => boolean,
  matches: (part: P, item: I) => boolean,
  effort: Effort,
): boolean {
  let [at, star, from] = [0, -1, 0];
  for (let item = 0; item < items.length; ) {
    effort.left -= 1;
    if (effort.left < 0) throw tooMuch("It takes too long on as many files as there are.");
    const part = pattern[at];
    const current = items[item];
    if (at < pattern.length && part !== undefined && isStar(part)) {
      [star, from, at] = [at, item, at + 1];
    } else if (at < pattern.length && current !== undefined && part !== undefined && matches(part, current)) {
      at += 1;
      item += 1;
    } else if (star !== -1) {
      from += 1;
      item = from;
      at = star + 1;
    } else return false;
  }
  return pattern.slice(at).every(isStar);
}

const tooMuch = (why: string): SluicegateError =>
  new SluicegateError("invalid-request", "This glob pattern can't be used.", {
    why,
    fix: "Use a shorter one.",
  });
