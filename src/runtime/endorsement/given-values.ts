/** The values of a call's arguments as they are compared with the user's words. */
import {
  type GivenValue,
  isAmong,
  isCritical,
  needsEndorsement,
  type Policy,
  type Tool,
} from "../../core/index.ts";
import { linksIn } from "./links.ts";
import { fold, splitWords, type WordTokens } from "./words.ts";

/**
 * Values of one call that are compared, as many as a large mailing has recipients, and their words together. Each costs
 * a digest (3 µs), so a decision takes 15 ms at most; a call with more has a value that nobody said.
 */
const MAX_VALUES = 512;
const MAX_ALL_WORDS = 4096;
/** Values of one call that are examined, with those that it only carries along. */
const MAX_LEAVES = 10_000;
/** Words that one value may have to be the user's. */
const MAX_WORDS = 64;

/** What is compared of a call. */
interface GivenCall {
  readonly arguments: Readonly<Record<string, unknown>>;
  /** What the agent gave, where a person wrote other arguments in their place. */
  readonly instead?: Readonly<Record<string, unknown>>;
}

/** The values of a call; undefined if nothing is ever compared with them. */
export function givenValues(
  { endorsement }: Policy,
  tool: Tool | null,
  { arguments: args, instead }: GivenCall,
  tokens: WordTokens,
): readonly GivenValue[] | undefined {
  if (tool === null || (!needsEndorsement(endorsement, tool) && tool.to === null)) return undefined;
  return toValues(args, tokens, { tool, ...(instead && { instead }) });
}

interface Reader {
  readonly tool?: Tool | null;
  readonly instead?: GivenCall["instead"];
}

/**
 * Each value of some arguments. Of those of a tool's call the words count where they are critical or name a recipient,
 * and links alone in the others; a title counts where it stood in quotes.
 */
export function toValues(
  args: Readonly<Record<string, unknown>>,
  tokens: WordTokens,
  { tool = null, instead }: Reader = {},
): readonly GivenValue[] {
  const leaves: Leaf[] = [];
  collect(args, "", leaves);
  const isEdited = instead ? findEdited(instead) : () => false;
  const marked = (leaf: Leaf, found: readonly GivenValue[]): readonly GivenValue[] =>
    isEdited(leaf) ? found.map((value) => ({ ...value, isEdited: true })) : found;
  const isRecipient = ({ path }: Leaf): boolean => isAmong(tool?.to ?? [], path);
  const isCompared = (leaf: Leaf): boolean =>
    tool === null || isRecipient(leaf) || isCritical(tool, leaf.path);
  const values: GivenValue[] = [];
  // THREAT: what is only carried along may be long, and nothing that is compared may stand behind it unseen.
  const others = leaves.filter((leaf) => !isRecipient(leaf) && isCompared(leaf));
  const budget = { words: MAX_ALL_WORDS };
  const quotesTitles = tool !== null;
  for (const leaf of [...leaves.filter(isRecipient), ...others]) {
    if (values.length > MAX_VALUES) break;
    const reading = { isRecipient: isRecipient(leaf), quotesTitles, budget };
    values.push(...marked(leaf, compared(leaf, tokens, reading)));
  }
  const last = values[MAX_VALUES];
  const unseen = [
    ...(last === undefined ? [] : [last.path, ...(tool?.critical ?? [])]),
    ...(leaves.length <= MAX_LEAVES ? [] : [...(tool?.critical ?? []), ...(tool?.to ?? []), ""]),
  ];
  return [
    ...values.slice(0, MAX_VALUES),
    ...unseen.map((path) => ({ path, text: "", whole: "", words: [], isWeak: true as const })),
    ...leaves.filter((leaf) => !isCompared(leaf)).flatMap((leaf) => marked(leaf, carried(leaf, tokens))),
  ];
}

interface Leaf {
  /** Keys with dots between them, `[]` for the items of a list. */
  readonly path: string;
  readonly value: string | number | boolean;
}

/** INVARIANT: what the agent gave at the same place is the agent's, whatever else a person changed. */
function findEdited(before: Readonly<Record<string, unknown>>): (leaf: Leaf) => boolean {
  const leaves: Leaf[] = [];
  collect(before, "", leaves);
  const keyOf = ({ path, value }: Leaf): string => JSON.stringify([path, value]);
  const known = new Set(leaves.map(keyOf));
  // Of arguments that weren't all examined, none counts as a person's.
  return leaves.length > MAX_LEAVES ? () => false : (leaf) => !known.has(keyOf(leaf));
}

function collect(value: unknown, path: string, leaves: Leaf[]): void {
  if (leaves.length > MAX_LEAVES || value === "") return;
  if (Array.isArray(value)) {
    for (const item of value) collect(item, `${path}[]`, leaves);
  } else if (typeof value === "object" && value !== null) {
    collectFields(value, path, leaves);
  } else if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
    leaves.push({ path, value });
  }
}

/** As APIs call their arguments: `filter[status]`. */
const PARAMETER = /^[\p{L}_$][\p{L}\p{N}_$.[\]-]*$/u;

function collectFields(fields: object, path: string, leaves: Leaf[]): void {
  for (const [key, part] of Object.entries(fields)) {
    // THREAT: the agent chooses keys; one that isn't a plain name is data like a value.
    const isName = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(key);
    const name = isName ? key : key.replaceAll(/[.[\]]/g, "?");
    if (!isName && (path !== "" || !PARAMETER.test(key)))
      leaves.push({ path: path === "" ? name : path, value: key });
    collect(part, path === "" ? name : `${path}.${name}`, leaves);
  }
}

/** Titles say nothing about whom or what a call is for, so a word of theirs proves nothing: they stand in quotes. */
const TITLE = /(?:^|[._])(?:title|subject|headline)$/i;

/** THREAT: such characters aren't seen, and the tool gets them all the same. */
const UNSEEN = /[\p{Cf}\p{Cc}]/u;

/** THREAT: words are compared one by one, and the tool gets the spaces between and around them too. */
const SPACED = /^\s|\s$|[^\S ]|\s\s/u;

/** Words that stand in every text and name nothing: an address such as `all` may reach everybody. */
const COMMON = new Set(
  "about after all also and any anybody anyone anything are because been before both but can could did does each either else every everybody everyone everything for from had has have her here him his how into its may more most must nobody none nor not nothing now off once one only other our out over please same she should some somebody someone something such than that the their them then there these they this those too under until upon very via was were what when where which while who whom whose why will with without would you your a an as at be by do he i if in is it me my no of on or so to up us we".split(
    " ",
  ),
);

interface Reading {
  readonly isRecipient: boolean;
  readonly quotesTitles: boolean;
  /** What the words of all values together may still be. */
  readonly budget: { words: number };
}

function compared(
  { path, value }: Leaf,
  tokens: WordTokens,
  { isRecipient, quotesTitles, budget }: Reading,
): readonly GivenValue[] {
  return splitAddresses(String(value)).map((part) => {
    const folded = fold(part).trim();
    // THREAT: in a command or a query all of it counts, whatever address stands at its end.
    const text = isRecipient ? addressIn(folded.replace(/[\s,;]{1,9}$/, "")) : folded;
    const words = splitWords(text);
    budget.words -= words.length;
    const isTitle = quotesTitles && TITLE.test(path.replaceAll("[]", ""));
    const isWeak =
      typeof value === "boolean" ||
      [...text].length < 3 ||
      isSmallNumber(text) ||
      UNSEEN.test(part) ||
      (!isRecipient && SPACED.test(part)) ||
      (!isTitle && words.every((word) => COMMON.has(word)));
    const links = linksIn(part).map((forms) => forms.map((form) => tokens.of(form)));
    return {
      path,
      text,
      whole: tokens.of(text),
      words: isTitle
        ? [tokens.quoted(text)]
        : words.length > MAX_WORDS || budget.words < 0
          ? []
          : words.map((word) => tokens.of(word)),
      ...(isWeak && { isWeak }),
      ...(links.length > 0 && { links }),
    };
  });
}

/** A value for each link, so that a person is shown the one that is asked about. */
function carried({ path, value }: Leaf, tokens: WordTokens): readonly GivenValue[] {
  const found = linksIn(String(value));
  if (found.length === 0) return [{ path, text: "", whole: "", words: [] }];
  return found.map((forms) => {
    const link = forms.map((form) => tokens.of(form));
    return { path, text: forms[0] ?? "", whole: "", words: link.slice(0, 1), links: [link] };
  });
}

/** A text with several addresses is a list of them. */
function splitAddresses(text: string): readonly string[] {
  if (text.split("@").length < 3) return [text];
  return text
    .split(/[,;]/)
    .filter((part) => part.trim() !== "")
    .slice(0, MAX_VALUES + 1);
}

/** `Ada <ada@x.example>` is for that address alone, whatever the name says, unless it may be a list. */
export const addressIn = (text: string): string =>
  /^["']?[\p{L}\p{M}\p{N} .'’_-]{0,200}["']? {0,2}<([^<>\s@]+@[^<>\s@]+)>$/u.exec(text)?.[1] ?? text;

const isSmallNumber = (text: string): boolean =>
  /^[+-]?[\d.,\s]+$/.test(text) && text.replaceAll(/\D/g, "").length <= 4;
