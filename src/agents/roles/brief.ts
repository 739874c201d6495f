/** Puts the parts of a task together for the model, and checks a host's context. */
import { SluicegateError } from "../../errors/index.ts";

/** A part of a task: its title and its optional text. */
type Part = readonly [title: string, text: string | number | undefined];

/** The parts that have a text, each under its title. */
export const toPrompt = (...parts: readonly Part[]): string =>
  parts
    .flatMap(([title, text]) => (text === undefined || text === "" ? [] : [`# ${title}\n\n${text}`]))
    .join("\n\n");

/** Names, one a line. */
export const toLines = (names: readonly string[] | undefined): string | undefined =>
  names?.map((name) => `- ${name}`).join("\n");

/** Pieces of material, each between marks that say what it is called. */
export const toPieces = (pieces: readonly Piece[]): string =>
  pieces
    .map(({ name, text }) => `<material name=${JSON.stringify(name)}>\n${text}\n</material>`)
    .join("\n\n");

/** A text with a name. */
export interface Piece {
  readonly name: string;
  readonly text: string;
}

/** The kinds of fields in a context. */
type Kind = "text" | "maybe-text" | "maybe-texts";

/**
 * Checks the fields of a context, for hosts without types.
 * @throws SluicegateError `invalid-request` for the first wrong one.
 */
export function assertContext(agent: string, context: unknown, fields: Readonly<Record<string, Kind>>): void {
  for (const [field, kind] of Object.entries(fields)) {
    const value: unknown = Object(context)[field];
    if (!FITS[kind](value)) throw badContext(agent, `Its \`${field}\` ${MUST_BE[kind]}.`);
  }
}

const isText = (value: unknown): value is string => typeof value === "string";

const FITS: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  text: (value) => isText(value) && value.trim() !== "",
  "maybe-text": (value) => value === undefined || isText(value),
  "maybe-texts": (value) => value === undefined || (Array.isArray(value) && value.every(isText)),
};

const MUST_BE: Readonly<Record<Kind, string>> = {
  text: "must be a text that isn't empty",
  "maybe-text": "must be a text, or be left out",
  "maybe-texts": "must be a list of texts, or be left out",
};

/** The error for an incomplete or impossible context. */
export const badContext = (agent: string, why: string): SluicegateError =>
  new SluicegateError("invalid-request", `The agent \`${agent}\` can't work with this context.`, {
    why,
    fix: "Give it all that it needs: it has no shell to find out more.",
  });
