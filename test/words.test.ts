/** Words that are gone: each has a standard one in its place (`docs/concepts.md`). */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");

/** Names of code that are gone, with what to write instead. */
const NAMES: Readonly<Record<string, string>> = {
  "(?:MOST|LONGEST|LARGEST|DEEPEST)_[A-Z_]+": "MAX_…",
  toAsking: "toDecisionContext",
  StandingTable: "ToolRestrictions",
  takeSaid: "extractIfcHint",
  holdWhileAsking: "waitForApproval",
  Catalogue: "ToolListing, SchemaCatalog",
  createCatalog: "createToolRegistry",
  converse: "runMultiRound",
  Conversations: "PendingCalls",
  QuestionFirst: "InputRequiredError",
  ShutTools: "NewlyBlocked",
  lookAtQuery: "prepareQuery",
  LookedAt: "PreparedQuery",
  SqlWay: "QueryVariant",
  leastWay: "cheapestVariant",
  toned: "styled",
  "(?:use)?Deck": "ApprovalQueue",
  heldUntil: "waitedUntil",
  "(?:DEEPEST|LONGEST|PATIENCE_MS)": "MAX_…, …_TIMEOUT_MS",
  inCompany: "lazy",
  COMPANY_MS: "LAZY_FLUSH_MS",
  answerNo: "exitWithFailure",
  touchOther: "dependOnUnknown",
  SEARCH_GIVEN_UP: "SEARCH_STOPPED",
  isShutForGood: "isBlockedForGood",
};

/** Words that are gone from code, comments and pages. */
const WORDS: Readonly<Record<string, string>> = {
  "[Mm]end(?:s|ed|ing)?": "fix",
  "can't be told": "can't be determined, evaluated or distinguished",
  "not to be had": "unavailable",
  "hangs? on": "depends on",
  "by which ways?": "through which channels",
  "is to hold for": "settings of",
};

const filesIn = (folder: string, ending: RegExp): readonly string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => ending.test(file) && !file.includes("node_modules"))
    .map((file) => join(folder, file));

const sources = [...filesIn("src", /\.ts$/), ...filesIn("console/src", /\.tsx?$/)];
const pages = [
  "README.md",
  "AGENTS.md",
  ...filesIn("docs", /\.md$/).filter((file) => !file.includes("decisions")),
];

function findWords(files: readonly string[], words: Readonly<Record<string, string>>): readonly string[] {
  const pattern = new RegExp(`(?<![\\w])(?:${Object.keys(words).join("|")})(?![\\w])`, "g");
  return files.flatMap((file) =>
    [...readFileSync(join(ROOT, file), "utf8").matchAll(pattern)].map(([found]) => `${file}: ${found}`),
  );
}

describe("the words that are gone", () => {
  it("stand in no name of the sources", () => {
    expect(sources.length).toBeGreaterThan(500);
    expect(findWords(sources, NAMES)).toEqual([]);
  });

  it("stand in no comment, text or page", () => {
    expect(findWords([...sources, ...pages], WORDS)).toEqual([]);
  });
});
