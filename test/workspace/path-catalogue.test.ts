/** The catalogue of paths: each case is built with real files and the real git, and asked of every function. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkPath, searchChecked } from "../../src/providers/workspace/index.ts";
import { askEverything } from "./ask-everything.ts";
import { ENVIRONMENT } from "./environment.case.ts";
import { HOSTILE_CONFIGURATION } from "./hostile-configuration.case.ts";
import { IGNORE_RULES } from "./ignore-rules.case.ts";
import { IGNORE_SOURCES } from "./ignore-sources.case.ts";
import { LINKS } from "./links.case.ts";
import { NAMES } from "./names.case.ts";
import { NESTED_REPOSITORIES } from "./nested-repositories.case.ts";
import { ORDINARY } from "./ordinary.case.ts";
import { OUTSIDE } from "./outside.case.ts";
import {
  committed,
  file,
  makeRepository,
  type PathCase,
  placeIn,
  SECRET,
  tracked,
  write,
} from "./path-case.ts";
import { REPOSITORIES } from "./repositories.case.ts";
import { describeCases, folderOfCases } from "./run-case.ts";
import { SPECIAL_FILES } from "./special-files.case.ts";

const GROUPS: Readonly<Record<string, readonly PathCase[]>> = {
  "ordinary files": ORDINARY,
  "odd names": NAMES,
  "rules of ignore files": IGNORE_RULES,
  "sources of ignore rules": IGNORE_SOURCES,
  links: LINKS,
  "the outside": OUTSIDE,
  "special files": SPECIAL_FILES,
  "nested repositories": NESTED_REPOSITORIES,
  repositories: REPOSITORIES,
  "hostile configuration": HOSTILE_CONFIGURATION,
};

const folder = folderOfCases();
const ROOT = join(folder, "question");

describe("the catalogue of paths", () => {
  it("has at least 150 cases, each with a title of its own (D4)", () => {
    const titles = Object.values(GROUPS).flatMap((cases) => cases.map(({ title }) => title));
    expect(titles.length).toBeGreaterThanOrEqual(150);
    expect(new Set(titles).size).toBe(titles.length);
  });

  for (const [group, cases] of Object.entries(GROUPS)) describeCases(folder, group, cases);
});

describe("a question that is none", () => {
  it.each([
    [undefined],
    [null],
    [{}],
    [{ root: ROOT }],
    [{ root: 5, path: "a.txt", kind: "file" }],
    [{ root: ROOT, path: 5, kind: "file" }],
    [{ root: ROOT, path: null, kind: "file" }],
    [{ root: ROOT, path: ["a.txt"], kind: "file" }],
    [{ root: ROOT, path: { toString: () => "a.txt" }, kind: "file" }],
    [{ root: ROOT, path: "a.txt", kind: "socket" }],
    [{ root: ROOT, path: "a.txt" }],
  ])("is answered with `ask`: %j (D4)", async (question) => {
    await committed(ROOT, "a.txt").catch(() => {});
    expect(await checkPath(question as any)).toMatchObject({ effect: "ask" });
  });
});

describe("many questions", () => {
  it("are all answered when they are asked at once (D4)", async () => {
    const place = placeIn(join(folder, "many"));
    const names = Array.from({ length: 300 }, (_, n) => `d${n % 7}/f${n}`);
    await tracked(place.root, ...names);
    const answers = names.map((path) => checkPath({ root: place.root, ...file(path) }));
    expect(new Set((await Promise.all(answers)).map(({ effect }) => effect))).toEqual(new Set(["allow"]));
  });

  it("find the one line in more files than a command line takes (D3)", async () => {
    const place = placeIn(join(folder, "more"));
    makeRepository(place.root);
    for (let n = 0; n < 6000; n += 1) writeFileSync(join(place.root, `${"n".repeat(240)}${n}`), "none\n");
    write(join(place.root, "z"), "the one line");
    const answer = await searchChecked({ root: place.root, pattern: "the one" });
    expect(answer).toMatchObject({ effect: "allow", matches: [{ text: "the one line" }] });
  });
});

describe("variables that are set while others ask", () => {
  it("change no answer (D4)", async () => {
    const place = placeIn(join(folder, "variables"));
    await ENVIRONMENT[0]?.build(place);
    const before = { ...process.env };
    for (const { environment } of ENVIRONMENT) Object.assign(process.env, environment?.(place));
    const { root } = place;
    const asked = ["a.txt", "sub/a.txt", "sub/KEY"].map((path) => askEverything({ root, ...file(path) }));
    const effects = (await Promise.all(asked)).map(({ check, read, searched, searchedRoot }) => {
      expect(`${read.gave}${searched.gave}${searchedRoot.gave}`).not.toContain(SECRET);
      return [check.effect, read.effect, searched.effect];
    });
    for (const name of Object.keys(process.env)) if (!Object.hasOwn(before, name)) delete process.env[name];
    Object.assign(process.env, before);
    expect(effects).toEqual(["allow", "allow", "ask"].map((effect) => [effect, effect, effect]));
    expect(existsSync(place.marker)).toBe(false);
  });
});
