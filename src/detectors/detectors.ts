/** Detectors of secrets and personal data in results. What they find only raises, and is never told: only its kind and place. */
import { type Finding, join, type Label, type Lattice } from "../core/index.ts";
import type { Inspection, InspectResult } from "../runtime/index.ts";
import { ownerOf } from "../threads/index.ts";
import { unescapeLines } from "./json-escapes.ts";
import type { Hit } from "./pattern.ts";
import { type Part, readTexts, type Step, stepOf, type Texts } from "./read-texts.ts";
import { createScanner, type Scanner } from "./scanner.ts";

/** What is looked for, and the label of a session that got it. */
export interface DetectorsOptions {
  /** Of a session that got a secret; null: secrets aren't looked for. */
  readonly secrets: Label | null;
  /** Of a session that got personal data; null: none is looked for. */
  readonly personalData: Label | null;
  readonly limits?: {
    /** The most text of one result that is looked through, in UTF-8; 1 MiB by default. */
    readonly bytes?: number | undefined;
    /** The longest that one result may take; 500 by default. */
    readonly milliseconds?: number | undefined;
  };
  /** The policy's. */
  readonly lattice: Lattice;
}

export interface Detectors {
  /** For `createGate({ inspect })`. Never rejects: what can't be examined counts as having all that is looked for. */
  readonly inspect: InspectResult;
  /** Ends their threads. What is inspected afterwards is unexamined. */
  close(): Promise<void>;
}

const DEFAULT_BYTES = 1024 * 1024;
const DEFAULT_MS = 500;
/** Findings that are told about one result. */
const MAX_FINDINGS = 32;

const NOTHING: Inspection = Object.freeze({ findings: Object.freeze([]), label: null });

/** Makes detectors, with threads of their own. */
export function createDetectors(options: DetectorsOptions): Detectors {
  const { limits = {} } = options;
  const scanner = createScanner({ milliseconds: limits.milliseconds ?? DEFAULT_MS });
  return detectorsOn(scanner, options);
}

/** The same on a scanner that is there. */
export function detectorsOn(scanner: Scanner, options: DetectorsOptions): Detectors {
  const { secrets, personalData, lattice, limits = {} } = options;
  const bytes = limits.bytes ?? DEFAULT_BYTES;
  const labelOf = (found: readonly (Label | null)[]): Label | null =>
    found.reduce((all, label) => (all && label ? join(lattice, all, label) : (all ?? label)), null);
  const unexamined: Inspection = {
    findings: [{ kind: "unexamined", place: WHOLE }],
    label: labelOf([secrets, personalData]),
  };
  const isWanted = { secrets: secrets !== null, personalData: personalData !== null };
  return {
    inspect: async (result, call) => {
      if (unexamined.label === null) return NOTHING;
      const texts = readTexts(result, bytes);
      if (texts === null) return unexamined;
      if (texts.text === "") return NOTHING;
      const hits = await scanner.scan({ text: texts.text, ...isWanted }, ownerOf(call));
      if (hits === null) return unexamined;
      if (hits.length === 0) return NOTHING;
      const isSecret = ({ kind }: Hit): boolean => kind.startsWith("secret/");
      const label = labelOf([
        hits.some(isSecret) ? secrets : null,
        hits.every(isSecret) ? null : personalData,
      ]);
      return { findings: toFindings(texts, hits), label };
    },
    close: () => scanner.close(),
  };
}

/** What was found, each kind once in a place; the first of each kind come first, since not all may have room. */
function toFindings({ text, parts }: Texts, hits: readonly Hit[]): readonly Finding[] {
  const inOrder = [...hits].sort((one, other) => one.start - other.start);
  const found = inOrder.map((hit) => foundAt(text, partAt(parts, hit.start), hit)).join("\n");
  const placeOf = createPlaces(`${found}\n${unescapeLines(found)?.text ?? ""}`);
  const first: Finding[] = [];
  const more: Finding[] = [];
  const told = new Set<string>();
  for (const { kind, start } of inOrder) {
    const part = partAt(parts, start);
    const finding = { kind, place: placeOf(part ? stepOf(part) : null) };
    const key = `${kind} ${finding.place}`;
    if (told.has(key)) continue;
    (told.has(kind) ? more : first).push(finding);
    told.add(key).add(kind);
  }
  return [...first, ...more].slice(0, MAX_FINDINGS);
}

/** Characters after a hit that may belong to it: a rule may begin its range at the name of a secret. */
const MARGIN = 64;

/** What was found, without the key before it that only names it. */
function foundAt(text: string, part: Part | undefined, { start, end }: Hit): string {
  if (part === undefined) return text.slice(start, end);
  const named = end > part.value ? Math.max(start, part.value) : start;
  return text.slice(named, Math.max(end, Math.min(end + MARGIN, part.end)));
}

/** The part in which a position lies, by halving. */
function partAt(parts: readonly Part[], position: number): Part | undefined {
  let [low, high] = [0, parts.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((parts[middle]?.end ?? 0) > position) high = middle;
    else low = middle + 1;
  }
  return parts[low];
}

/** The place of the result itself. */
const WHOLE = "(all)";

const PLAIN_KEY = /^[A-Za-z_][A-Za-z0-9_-]{0,39}$/;
const MAX_STEPS = 16;
/** Characters in a row that a key may not share with a value. */
const SHARED = 8;

/**
 * Where in a result something was found, for people: a path of plain keys and positions. THREAT: keys are an
 * upstream's, and may be what was found, or hold a text for readers of the journal. A key stands in a place only
 * where it is a plain word that shares nothing with any value that was found.
 */
function createPlaces(found: string): (step: Step | null) => string {
  const known = new Map<string, boolean>();
  const isShown = (key: string): boolean => {
    const before = known.get(key);
    if (before !== undefined) return before;
    const shown = PLAIN_KEY.test(key) && !sharesText(key, found);
    known.set(key, shown);
    return shown;
  };
  return (step) => {
    const steps: string[] = [];
    for (let at = step; at !== null; at = at.parent) steps.push(toText(at, isShown));
    if (steps.length === 0) return WHOLE;
    const path = steps.reverse();
    const kept = path.length > MAX_STEPS ? [...path.slice(0, MAX_STEPS), "…"] : path;
    return kept.join("").replace(/^\./, "");
  };
}

/** A list's position as `[3]`, a key as `.name`, and one that isn't shown by its position, as `{3}`. */
function toText({ at, position }: Step, isShown: (key: string) => boolean): string {
  if (typeof at === "number") return `[${at}]`;
  return isShown(at) ? `.${at}` : `{${position}}`;
}

function sharesText(key: string, found: string): boolean {
  for (let start = 0; start + SHARED <= key.length; start += 1) {
    if (found.includes(key.slice(start, start + SHARED))) return true;
  }
  return false;
}
