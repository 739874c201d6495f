/**
 * A guess from a tool's name, schema and annotations alone, for tools that no pack knows.
 * THREAT: all of it is written by the server, so nothing of it makes a guess laxer: a guess always may reach outside,
 * and receives the lowest level alone. What is left to find out is whether it changes anything, and what it brings in.
 */
import { type Effect, effectsOf, effectsOfSentence } from "./effects.ts";
import { flagOf, textOf } from "./hints.ts";
import { hasWord, wordSet, wordsOf } from "./name-words.ts";
import { type DescribedTool, type Proposal, type Sensitivity, WORST } from "./proposal.ts";
import { readArguments, type ToolArguments } from "./tool-arguments.ts";

/** What was seen, before anything is concluded. */
interface Signs {
  readonly args: ToolArguments;
  /** What the name says. */
  readonly named: ReadonlySet<Effect>;
  /** The word of the name by which it may do more than that. */
  readonly nameDoubt: string | null;
  /** What the name, the title, the description and the schema say together. */
  readonly effects: ReadonlySet<Effect>;
  readonly level: Sensitivity;
  /** The word that says so. */
  readonly levelWord: string | null;
  /** What it says of itself. */
  readonly hints: { readonly isReadOnly: boolean | null; readonly isDestructive: boolean | null };
}

/** Guesses what a tool does. Never throws. */
export function guessTool(tool: DescribedTool): Proposal {
  const signs = readSigns(tool);
  if (signs.effects.size === 0) return unknownTool();
  const doubts = doubtsAbout(signs);
  const isDoubtful = doubts.length > 0;
  const onlyReads = !isDoubtful && !changesSomething(signs.effects) && signs.hints.isDestructive !== true;
  return {
    permissions: onlyReads ? ["read", "connect"] : WORST.permissions,
    source: { level: signs.level, trust: "untrusted" },
    sink: WORST.sink,
    tags: ["guessed"],
    approval: onlyReads ? "never" : "always",
    onViolation: onlyReads ? "ask" : "deny",
    reasons: [...reasonsFor(signs, onlyReads), ...doubts],
    confidence: isDoubtful ? "doubtful" : "likely",
  };
}

const unknownTool = (): Proposal => ({
  ...WORST,
  tags: [],
  reasons: ["Neither its name nor its description has a word that says what it does."],
  confidence: "unknown",
});

function readSigns(tool: DescribedTool): Signs {
  const words = wordsOf(tool.name);
  const title = wordsOf(`${tool.title ?? ""} ${textOf(tool.annotations, "title")}`);
  const said = wordsOf(firstSentence(tool.description ?? ""));
  const args = readArguments(tool.inputSchema);
  const { effects: named, doubt: nameDoubt } = effectsOf(words);
  const effects = new Set<Effect>([...named, ...effectsOf(title).effects, ...effectsOfSentence(said)]);
  if (args.programs.length > 0 || args.launches.length > 0) effects.add("executes");
  if (args.saved.length > 0) effects.add("writes");
  const { level, word } = sensitivityOf([...words, ...title, ...said, ...args.programs]);
  const hints = {
    isReadOnly: flagOf(tool.annotations, "readOnlyHint"),
    isDestructive: flagOf(tool.annotations, "destructiveHint"),
  };
  return { args, named, nameDoubt, effects, level, levelWord: word, hints };
}

const changesSomething = (effects: ReadonlySet<Effect>): boolean =>
  [...effects].some((effect) => effect !== "reads");

function doubtsAbout({ named, nameDoubt, effects, hints }: Signs): readonly string[] {
  const doubts: string[] = [];
  if (named.size === 0) doubts.push("Its name has no verb that is known; its description had to do.");
  if (nameDoubt !== null && !changesSomething(effects))
    doubts.push(`By \`${nameDoubt.slice(0, 40)}\` in its name it may do more than read.`);
  if (effects.has("executes")) doubts.push("It runs what it is given, which may do anything.");
  if (hints.isReadOnly === true && changesSomething(named))
    doubts.push("It says that it only reads, and its name says otherwise.");
  if (hints.isReadOnly === false && named.size > 0 && !changesSomething(named))
    doubts.push("Its name says that it reads, and it says itself that it changes something.");
  return doubts;
}

const DEEDS: Readonly<Record<Effect, string>> = {
  reads: "reads",
  writes: "changes something",
  sends: "sends something to somebody",
  destroys: "takes something away",
  executes: "runs something",
};

function reasonsFor({ effects, args, level, levelWord }: Signs, onlyReads: boolean): readonly string[] {
  const deeds = [...effects].map((effect) => DEEDS[effect]).join(" and ");
  const about =
    levelWord === null ? `Its data is taken for ${level}` : `\`${levelWord}\` is about ${level} data`;
  const where = args.destinations.length > 0 ? ` (${quoted(args.destinations)} can say where)` : "";
  return [
    `By its words it ${deeds}.`,
    `${about}, which others may have written.`,
    `It may reach outside${where}, so only public data may go in unasked.`,
    ...(onlyReads ? [] : ["What it changes may not be undone, so a person says yes to each call."]),
  ];
}

const quoted = (names: readonly string[]): string =>
  names
    .slice(0, 4)
    .map((name) => `\`${name.slice(0, 40)}\``)
    .join(", ");

const firstSentence = (text: string): string => text.slice(0, 300).split(/[.\n]/)[0] ?? "";

const SECRET = wordSet(`
  env environment secret password passwd credential token apikey privatekey vault keychain keyring otp totp passphrase
  wallet variable cookie`);
const CONFIDENTIAL = wordSet(`
  mail email inbox message dm chat conversation transcript channel thread contact customer client salary payroll
  employee person people candidate invoice payment billing bank account transaction card balance order subscription
  tax medical patient health diagnosis calendar event meeting attendee profile user member database db table row record sql
  lead deal opportunity contract legal audit incident phone address location photo clipboard screen memory
  webhook`);

/** How sensitive the data is, and the noun that says so, where one does. Nobody's data is taken for public by a guess. */
function sensitivityOf(words: readonly string[]): { level: Sensitivity; word: string | null } {
  for (const [level, set] of [
    ["secret", SECRET],
    ["confidential", CONFIDENTIAL],
  ] as const) {
    const word = words.find((one) => hasWord([one], set));
    if (word !== undefined) return { level, word };
  }
  return { level: "internal", word: null };
}
