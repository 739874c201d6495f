/** Holds what is proposed for thirteen real servers against what their tools really do. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type Declared, laxities, strictnesses } from "../../../test/fixtures/mcp-tools/laxities.ts";
import { HELD_BACK, TRUTHS } from "../../../test/fixtures/mcp-tools/truth.ts";
import { classifyServer, type DescribedTool, type Proposal } from "../index.ts";

interface Recorded {
  readonly package: string;
  readonly tools: readonly DescribedTool[];
}

const read = (list: string): Recorded =>
  JSON.parse(readFileSync(new URL(`../../../test/fixtures/mcp-tools/${list}.json`, import.meta.url), "utf8"));

const LISTS = Object.keys(TRUTHS).sort();

/** As its package would be started, and by a name that nobody knows. */
const propose = (list: string, byPack: boolean): ReadonlyMap<string, Proposal> => {
  const { package: name, tools } = read(list);
  const args = ["-y", byPack ? name : "somebodys-server"];
  return classifyServer({ transport: { kind: "stdio", command: "npx", args, env: {} }, tools }).tools;
};

/** What is withheld is laxer in nothing. */
const isWithheld = ({ confidence }: Proposal): boolean => confidence === "unknown";

/** A guess can't tell whom a read asks: it takes it that what the server holds may be asked for there. */
const isTaken = (laxity: string, { confidence, permissions }: Proposal): boolean =>
  laxity === "sink" && confidence === "likely" && permissions.join() === "read";

const declared = ({ permissions, source, sink, approval }: Proposal): Declared => ({
  permissions,
  source,
  sink,
  asksAlways: approval === "always",
});

const compare = (list: string, byPack: boolean) =>
  [...propose(list, byPack)].map(([name, proposal]) => {
    const truth = TRUTHS[list]?.get(name);
    if (truth === undefined) throw new Error(`There is no truth about ${name}.`);
    return {
      name,
      lax: isWithheld(proposal)
        ? []
        : laxities(declared(proposal), truth).filter((one) => !isTaken(one, proposal)),
      strict: strictnesses(declared(proposal), truth),
      proposal,
    };
  });

describe("the recorded servers", () => {
  it("has a truth about each of their tools, and none about others", () => {
    for (const list of LISTS) {
      expect([...(TRUTHS[list]?.keys() ?? [])].sort()).toEqual(
        read(list)
          .tools.map(({ name }) => name)
          .sort(),
      );
    }
    expect(LISTS).toHaveLength(13);
    expect(LISTS).toEqual(expect.arrayContaining(HELD_BACK));
  });

  it.each(LISTS)("guesses nothing laxer than the truth for %s, with and without its pack (X13)", (list) => {
    const lax = [...compare(list, false), ...compare(list, true)]
      .filter((one) => one.lax.length > 0)
      .map(({ name, lax, proposal }) => ({ name, lax, confidence: proposal.confidence }));
    expect(lax).toEqual([]);
  });

  it("pins how often a guess is stricter than the truth, and how many tools it withholds", () => {
    const count = (lists: readonly string[], byPack: boolean) => {
      const all = lists.flatMap((list) => compare(list, byPack));
      const strict = (what: string): number => all.filter((one) => one.strict.includes(what)).length;
      return {
        tools: all.length,
        asTheTruth: all.filter((one) => one.strict.length === 0).length,
        takenForAChange: strict("taken for a change"),
        takenForAWayOut: strict("taken for a way out"),
        raisesMore: strict("raises more"),
        shutSooner: strict("shut sooner"),
        asks: strict("asks"),
        doubtful: all.filter(({ proposal }) => proposal.confidence === "doubtful").length,
        withheld: all.filter(({ proposal }) => isWithheld(proposal)).length,
      };
    };
    expect({
      heldBack: count(HELD_BACK, false),
      guessed: count(LISTS, false),
      withPacks: count(LISTS, true),
    }).toMatchInlineSnapshot(`
      {
        "guessed": {
          "asTheTruth": 105,
          "asks": 43,
          "doubtful": 20,
          "raisesMore": 45,
          "shutSooner": 83,
          "takenForAChange": 15,
          "takenForAWayOut": 47,
          "tools": 242,
          "withheld": 5,
        },
        "heldBack": {
          "asTheTruth": 78,
          "asks": 29,
          "doubtful": 12,
          "raisesMore": 28,
          "shutSooner": 46,
          "takenForAChange": 6,
          "takenForAWayOut": 32,
          "tools": 169,
          "withheld": 3,
        },
        "withPacks": {
          "asTheTruth": 192,
          "asks": 18,
          "doubtful": 2,
          "raisesMore": 12,
          "shutSooner": 27,
          "takenForAChange": 6,
          "takenForAWayOut": 17,
          "tools": 242,
          "withheld": 3,
        },
      }
    `);
  });
});

it.each([true, false])("names as critical and payload what the tools have, by pack: %s (X4)", (byPack) => {
  const names = (tree: unknown): readonly string[] =>
    typeof tree === "object" && tree !== null
      ? Object.entries(tree).flatMap(([key, value]) => [key, ...names(value)])
      : [];
  for (const list of LISTS) {
    const proposals = propose(list, byPack);
    for (const { name, inputSchema } of read(list).tools) {
      const { critical = [], payload = [], to = [] } = proposals.get(name) ?? {};
      const known = names(inputSchema);
      const missing = [...critical, ...payload, ...to].filter((path) =>
        path.split(".").some((part) => !known.includes(part.replaceAll("[]", ""))),
      );
      expect([list, name, missing]).toEqual([list, name, []]);
    }
  }
});
