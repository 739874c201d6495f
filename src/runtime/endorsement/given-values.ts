/** The values of a call's arguments as they are compared with the user's words. */
import { createHash } from "node:crypto";
import {
  type GivenValue,
  isAmong,
  isCritical,
  needsEndorsement,
  type Policy,
  type Tool,
} from "../../core/index.ts";
import { type LinkBudget, linksIn } from "./links.ts";
import { fold, MAX_SAID, splitWords, type WordTokens } from "./words.ts";

/**
 * Values of one call that are compared, enough for a large mailing, and words of all together. Each costs a digest (3
 * µs), so a decision takes 15 ms at most. With more values, the call has one that nobody said.
 */
const MAX_VALUES = 512;
const MAX_ALL_WORDS = 4096;
/** Characters of one call that are searched for links (4 ms, at worst 50), and links. More count as one nobody said. */
const MAX_SEARCHED = 60_000;
const MAX_LINKS = 1000;
/** Characters of one call's recipients, each of which is compared with all patterns of the policy. */
const MAX_RECIPIENTS = 100_000;
/** Values of one call that are examined, including those that aren't compared. */
const MAX_LEAVES = 10_000;
/** Characters of a path, and of all paths; what lies beyond counts like values beyond the most. */
const MAX_PATH_LENGTH = 1000;
const MAX_PATHS_LENGTH = 500_000;
/** Words that one value may have to count as the user's. */
const MAX_WORDS = 64;
/** Characters of a value that may be the user's: composed, four of them may be one that they said. */
const MAX_COMPARED = 4 * MAX_SAID;

/** The values of a call that are compared. */
interface GivenCall {
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The agent's arguments, if a person wrote others instead. */
  readonly instead?: Readonly<Record<string, unknown>>;
}

/** The values of a call; undefined if they are never compared. */
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
 * Each value of the arguments. In a tool's call, words are compared if the argument is critical or names a recipient;
 * in other arguments only links are. A title counts if the user put it in quotes.
 */
export function toValues(
  args: Readonly<Record<string, unknown>>,
  tokens: WordTokens,
  { tool = null, instead }: Reader = {},
): readonly GivenValue[] {
  const { found: leaves, isWhole } = new Leaves(args);
  const isEdited = instead ? findEdited(instead) : () => false;
  const marked = (leaf: Leaf, found: readonly GivenValue[]): readonly GivenValue[] =>
    isEdited(leaf) ? found.map((value) => ({ ...value, isEdited: true })) : found;
  const isRecipient = ({ path }: Leaf): boolean => isAmong(tool?.to ?? [], path);
  const isCompared = (leaf: Leaf): boolean =>
    tool === null || isRecipient(leaf) || isCritical(tool, leaf.path);
  const values: GivenValue[] = [];
  // THREAT: an argument that isn't compared may be long, and must not hide one that is.
  const others = leaves.filter((leaf) => !isRecipient(leaf) && isCompared(leaf));
  const links = { characters: MAX_SEARCHED, links: MAX_LINKS };
  const budget = { words: MAX_ALL_WORDS, recipients: MAX_RECIPIENTS, links };
  const quotesTitles = tool !== null;
  for (const leaf of [...leaves.filter(isRecipient), ...others]) {
    if (values.length > MAX_VALUES) break;
    const reading = { isRecipient: isRecipient(leaf), quotesTitles, budget };
    values.push(...marked(leaf, compared(leaf, tokens, reading)));
  }
  const last = values[MAX_VALUES];
  const unseen = [
    ...(last === undefined ? [] : [last.path, ...(tool?.critical ?? [])]),
    ...(isWhole ? [] : [...(tool?.critical ?? []), ...(tool?.to ?? []), ""]),
  ];
  return [
    ...values.slice(0, MAX_VALUES),
    ...unseen.map((path) => unsaid(path)),
    ...leaves
      .filter((leaf) => !isCompared(leaf))
      .flatMap((leaf) => marked(leaf, carried(leaf, tokens, budget))),
  ];
}

interface Leaf {
  /** Keys joined by dots, `[]` for the items of a list. */
  readonly path: string;
  readonly value: string | number | boolean;
}

/** INVARIANT: a value that the agent gave at the same path is the agent's, whatever else a person changed. */
function findEdited(before: Readonly<Record<string, unknown>>): (leaf: Leaf) => boolean {
  const { found: leaves, isWhole } = new Leaves(before);
  const keyOf = ({ path, value }: Leaf): string => inShort(JSON.stringify([path, value]));
  const known = new Set(leaves.map(keyOf));
  // If not all arguments were examined, none counts as a person's.
  return isWhole ? (leaf) => !known.has(keyOf(leaf)) : () => false;
}

/** Names of arguments as APIs write them: `filter[status]`. */
const PARAMETER = /^[\p{L}_$][\p{L}\p{N}_$.[\]-]*$/u;

/** The values of arguments. THREAT: each has its whole path, and the agent chooses the names in it. */
class Leaves {
  readonly found: Leaf[] = [];
  /** Whether these are all: there may be too many, or a path too long. */
  isWhole = true;
  #pathsLength = 0;

  constructor(args: object) {
    this.#collect(args, "");
  }

  #collect(value: unknown, path: string): void {
    if (value === "") return;
    if (path.length > MAX_PATH_LENGTH || this.#pathsLength > MAX_PATHS_LENGTH) this.isWhole = false;
    else if (Array.isArray(value)) {
      for (const item of value) this.#collect(item, `${path}[]`);
    } else if (typeof value === "object" && value !== null) {
      this.#collectFields(value, path);
    } else if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
      this.#add({ path, value });
    }
  }

  #add(leaf: Leaf): void {
    this.#pathsLength += leaf.path.length;
    if (leaf.path.length > MAX_PATH_LENGTH || this.found.length === MAX_LEAVES) this.isWhole = false;
    else this.found.push(leaf);
  }

  #collectFields(fields: object, path: string): void {
    for (const [key, part] of Object.entries(fields)) {
      // THREAT: the agent chooses keys; one that isn't a plain name is compared like a value.
      const isName = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(key);
      const name = isName ? key : key.replaceAll(/[.[\]]/g, "?");
      const inner = path === "" ? name : `${path}.${name}`;
      if (!isName && (path !== "" || !PARAMETER.test(key)))
        this.#add({ path: path === "" ? name : path, value: key });
      this.#collect(part, inner);
    }
  }
}

/**
 * A title doesn't say who or what a call is for, so single words of it prove nothing: the user must have quoted it.
 */
const TITLE = /(?:^|[._])(?:title|subject|headline)$/i;

/** V8 compares texts of more than 16,383 characters in a set with all that are equally long. */
const inShort = (text: string): string =>
  text.length > 1000 ? createHash("sha256").update(text).digest("base64") : text;

/** THREAT: these characters are invisible, but the tool gets them. */
const UNSEEN = /[\p{Cf}\p{Cc}]/u;

/** THREAT: words are compared one by one, but the tool also gets the spaces between and around them. */
const SPACED = /^\s|\s$|[^\S ]|\s\s/u;

/** Words of ordinary texts, which name nothing: an address such as `all` may reach everybody. */
const COMMON = new Set(
  "about after all also and any anybody anyone anything are because been before both but can could did does each either else every everybody everyone everything for from had has have her here him his how into its may more most must nobody none nor not nothing now off once one only other our out over please same she should some somebody someone something such than that the their them then there these they this those too under until upon very via was were what when where which while who whom whose why will with without would you your a an as at be by do he i if in is it me my no of on or so to up us we".split(
    " ",
  ),
);

interface Reading {
  readonly isRecipient: boolean;
  readonly quotesTitles: boolean;
  readonly budget: Budget;
}

/** What is left for all values of a call together. */
interface Budget {
  words: number;
  recipients: number;
  readonly links: LinkBudget;
}

/** The address of a recipient; nothing where all together are too long. */
function boundedRecipient(folded: string, budget: Budget): string {
  const address = addressIn(folded.replace(/[\s,;]{1,9}$/, ""));
  budget.recipients -= address.length;
  return budget.recipients < 0 ? "" : address;
}

function compared(
  { path, value }: Leaf,
  tokens: WordTokens,
  { isRecipient, quotesTitles, budget }: Reading,
): readonly GivenValue[] {
  const given = String(value);
  // It is longer than what is searched for links, so it has one that nobody said.
  if (given.length > MAX_COMPARED) return [{ ...unsaid(path), links: linksIn(given, budget.links) }];
  return splitAddresses(given).map((part) => {
    const folded = fold(part).trim();
    // THREAT: a command or a query counts as a whole, even if it ends with an address.
    const text = isRecipient ? boundedRecipient(folded, budget) : folded;
    const words = splitWords(text);
    budget.words -= words.length;
    const isTitle = quotesTitles && TITLE.test(path.replaceAll("[]", ""));
    const isWeak =
      typeof value === "boolean" ||
      [...text.slice(0, 6)].length < 3 ||
      isSmallNumber(text) ||
      UNSEEN.test(part) ||
      (!isRecipient && SPACED.test(part)) ||
      (!isTitle && words.every((word) => COMMON.has(word)));
    const links = linksIn(part, budget.links).map((forms) => forms.map((form) => tokens.of(form)));
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

const unsaid = (path: string): GivenValue => ({ path, text: "", whole: "", words: [], isWeak: true });

/** One value for each link, so that an approver sees the one that needs approval. */
function carried({ path, value }: Leaf, tokens: WordTokens, budget: Budget): readonly GivenValue[] {
  const found = linksIn(String(value), budget.links);
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

/** `Ada <ada@x.example>` means only that address, unless the text may be a list. */
export const addressIn = (text: string): string =>
  /^["']?[\p{L}\p{M}\p{N} .'’_-]{0,200}["']? {0,2}<([^<>\s@]+@[^<>\s@]+)>$/u.exec(text)?.[1] ?? text;

const isSmallNumber = (text: string): boolean =>
  /^[+-]?[\d.,\s]+$/.test(text) && text.replaceAll(/\D/g, "").length <= 4;
