/**
 * What counts as the user's word: values that the user said, and values from a trusted result. Words are opaque
 * tokens here (the runtime's keyed digests), which are only compared.
 */

/** One utterance of the user: for each word its forms, such as with and without quotes, in order. */
export type Utterance = readonly (readonly string[])[];

/** A value of a call's arguments; a list of addresses has one for each. */
export interface GivenValue {
  /** Its path, such as `to[]` or `message.to`. */
  readonly path: string;
  /** Its folded text, for comparing a recipient with a policy's patterns. It never leaves the process. */
  readonly text: string;
  /** The tokens of its words, in order. */
  readonly words: readonly string[];
  /** The token of the whole value. */
  readonly whole: string;
  /** Too short to prove anything, or a number of up to four digits. */
  readonly isWeak?: true;
  /** Each link in it: the tokens of the forms in which the user may have said it. */
  readonly links?: readonly (readonly string[])[];
  /** A person wrote it in this call, instead of the agent's value. */
  readonly isEdited?: true;
}

export const EVIDENCE_KINDS = Object.freeze(["own", "lookup", "own-ids", "resolved", "member"] as const);

/** Why a value that the user didn't say counts as the user's word; `docs/endorsement.md` says what each is. */
export type EvidenceKind = (typeof EVIDENCE_KINDS)[number];

/** An argument that is the user's word, and why it counts as that. */
export interface Endorsed {
  readonly argument: string;
  /** `edited`: a person wrote it in this call. */
  readonly by: "said" | "edited" | EvidenceKind;
}

/** Values from one result. */
export interface Evidence {
  readonly kind: EvidenceKind;
  /** The server that returned them. They count only there, except `member`. */
  readonly server: string | null;
  /** The closed list that they belong to, if any. */
  readonly group?: string;
  /** Tokens of whole values. */
  readonly values: readonly string[];
}

/** Values that came into a session for the first time. */
export interface Appearance {
  /** The call's step, counted from 0. */
  readonly step: number;
  /** The tool's identity. */
  readonly tool: string;
  /** How far the result could be trusted. */
  readonly trust: string;
  readonly values: readonly string[];
}

/** What a session knows about its user's words. */
export interface Words {
  readonly utterances: readonly Utterance[];
  readonly evidence: readonly Evidence[];
  readonly appearances: readonly Appearance[];
}

export const NO_WORDS: Words = Object.freeze({
  utterances: Object.freeze([]),
  evidence: Object.freeze([]),
  appearances: Object.freeze([]),
});

/** Results that are remembered. */
const MAX_RECORDS = 256;

export const addUtterances = (words: Words, said: readonly Utterance[]): Words => ({
  ...words,
  utterances: [...words.utterances, ...said],
});

/** Adds the values of a finished call: the newest evidence counts, and the first appearances. */
export function addFound(
  words: Words,
  evidence: readonly Evidence[] = [],
  appearance: Appearance | null = null,
): Words {
  if (evidence.length === 0 && appearance === null) return words;
  return {
    ...words,
    evidence: [...words.evidence, ...evidence].slice(-MAX_RECORDS),
    appearances:
      appearance === null || words.appearances.length >= MAX_RECORDS
        ? words.appearances
        : [...words.appearances, appearance],
  };
}

/** The evidence for each value, the oldest first. A session's evidence is replaced, never changed. */
const knownEvidence = new WeakMap<readonly Evidence[], ReadonlyMap<string, readonly Evidence[]>>();

/** The evidence that names a value, by its token. */
export function evidenceFor({ evidence }: Words, whole: string): readonly Evidence[] {
  const known = knownEvidence.get(evidence) ?? byValue(evidence);
  knownEvidence.set(evidence, known);
  return known.get(whole) ?? [];
}

function byValue(evidence: readonly Evidence[]): ReadonlyMap<string, readonly Evidence[]> {
  const found = new Map<string, Evidence[]>();
  for (const one of evidence) {
    for (const value of new Set(one.values)) {
      const others = found.get(value);
      if (others) others.push(one);
      else found.set(value, [one]);
    }
  }
  return found;
}

/** The result in which a value appeared first; null if it is unknown. */
export const firstAppearance = ({ appearances }: Words, { whole, words }: GivenValue): Appearance | null =>
  appearances.find(({ values }) => values.includes(whole)) ??
  appearances.find(({ values }) => words.some((word) => values.includes(word))) ??
  null;
