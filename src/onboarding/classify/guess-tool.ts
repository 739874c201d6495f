/**
 * A guess from a tool's name, schema and annotations alone, for tools that no pack knows.
 * THREAT: all of it is written by the server, so beside the name nothing of it makes a guess laxer. A read may be asked
 * with what its own server holds; one that takes an address or a text, and whatever changes something, receives the
 * lowest level alone, and once untrusted content is in it needs the user's word or a person.
 */
import { type ArgumentKinds, areGuests, kindsOfArguments } from "./argument-kinds.ts";
import { type Effect, effectsOf, effectsOfSentence, onlyAdds, overwrites } from "./effects.ts";
import { hasWord, wordSet, wordsOf } from "./name-words.ts";
import { type DescribedTool, type Proposal, type Sensitivity, WORST } from "./proposal.ts";
import { flagOf, readArguments, type ToolArguments, textOf } from "./tool-arguments.ts";

/** What was seen, before anything is concluded. */
interface Signs {
  readonly args: ToolArguments;
  /** What the name says. */
  readonly named: ReadonlySet<Effect>;
  /** The word of the name by which it may do more than that. */
  readonly nameDoubt: string | null;
  /** What the name, the title, the description and the schema say together. */
  readonly effects: ReadonlySet<Effect>;
  readonly kinds: ArgumentKinds;
  /** Whether it may lose what was there before. */
  readonly loses: boolean;
  /** Whether it leaves what is there as it is. */
  readonly addsOnly: boolean;
  /** The level of what it has by its name alone, which says what it may be asked with. */
  readonly held: Sensitivity;
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
  const { recipients } = signs.kinds;
  const named = toNamed(signs.kinds);
  const common = {
    source: { level: signs.level, trust: "untrusted" },
    tags: ["guessed"],
    onViolation: "ask",
    reasons: [...reasonsFor(signs, onlyReads), ...doubts],
    confidence: isDoubtful ? "doubtful" : "likely",
  } as const;
  if (onlyReads) {
    if (givesAway(signs))
      return { ...common, permissions: ["read", "connect"], sink: WORST.sink, approval: "never", ...named };
    return { ...common, permissions: ["read"], sink: signs.held, approval: "never" };
  }
  return {
    ...common,
    permissions:
      signs.addsOnly && areGuests(recipients) && !isDoubtful ? ["read", "write"] : WORST.permissions,
    sink: WORST.sink,
    approval: isDoubtful || asksAlways(signs) ? "always" : "never",
    ...named,
    ...(recipients.length > 0 && !isDoubtful && { to: recipients }),
    ...(signs.addsOnly && !isDoubtful && { isDestructive: false }),
  };
}

/** What its schema says of its arguments. */
export const namedArguments = ({ inputSchema }: DescribedTool) => toNamed(kindsOfArguments(inputSchema));

const toNamed = ({ critical, payload }: ArgumentKinds) => ({
  ...(critical.length > 0 && { critical }),
  ...(payload.length > 0 && { payload }),
});

/** Whether a person says yes to each call, whatever it is endorsed by. */
const asksAlways = ({ effects, hints, kinds, args, loses }: Signs): boolean =>
  loses ||
  effects.has("destroys") ||
  hints.isDestructive === true ||
  args.saved.length > 0 ||
  kinds.hasCredential ||
  kinds.isOpen ||
  kinds.critical.length === 0;

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
  const byName = sensitivityOf(words).level;
  const held = byName === "secret" ? "confidential" : byName;
  const kinds = kindsOfArguments(tool.inputSchema);
  const addsOnly = onlyAdds(words) && [...effects].every((one) => one === "reads" || one === "writes");
  const hints = {
    isReadOnly: flagOf(tool.annotations, "readOnlyHint"),
    isDestructive: flagOf(tool.annotations, "destructiveHint"),
  };
  return {
    args,
    kinds,
    loses: overwrites(words),
    addsOnly,
    held,
    named,
    nameDoubt,
    effects,
    level,
    levelWord: word,
    hints,
  };
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

function reasonsFor(signs: Signs, onlyReads: boolean): readonly string[] {
  const { effects, level, levelWord } = signs;
  const deeds = [...effects].map((effect) => DEEDS[effect]).join(" and ");
  const about =
    levelWord === null ? `Its data is taken for ${level}` : `\`${levelWord}\` is about ${level} data`;
  return [
    `By its words it ${deeds}.`,
    `${about}, which others may have written.`,
    ...(onlyReads ? readReasons(signs) : effectReasons(signs)),
  ];
}

/** Whether what a read is given goes to an address or is a text of any length. */
const givesAway = ({ args, kinds }: Signs): boolean => args.addresses.length > 0 || kinds.hasContent;

function readReasons(signs: Signs): readonly string[] {
  if (!givesAway(signs))
    return ["What it is asked stays at its server, which may be asked with its own data."];
  const { destinations } = signs.args;
  const where = destinations.length > 0 ? ` (${quoted(destinations)} can say where)` : "";
  return [`It may reach outside${where}, so only public data may go in unasked.`];
}

const effectReasons = (signs: Signs): readonly string[] => [
  "It may reach outside, so only public data may go in unasked; internal data too, to whom the user named.",
  asksAlways(signs)
    ? "What it changes may not be undone, so a person says yes to each call."
    : `After a stranger's text a person says yes where the user didn't give ${quoted(signs.kinds.critical)}.`,
];

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
  employee person people candidate invoice billing bank account card tax medical patient health diagnosis calendar event meeting attendee profile user member database db table row record sql
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
