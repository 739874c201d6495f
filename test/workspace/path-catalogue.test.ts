/**
 * The catalogue of paths: each case is built in a folder of its own, with real files and the real git, and asked of
 * every function of the workspace. Whatever the answer, no trap may be sprung, and nothing secret may come out.
 */
import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkPath, searchChecked } from "../../src/workspace/index.ts";
import { type Answers, askEverything } from "./ask-everything.ts";
import { BROKEN_GIT } from "./broken-git.case.ts";
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
  type Ask,
  committed,
  file,
  GIT_ENVIRONMENT,
  makeRepository,
  OPEN,
  type PathCase,
  type Place,
  placeIn,
  run,
  SECRET,
  tracked,
  write,
} from "./path-case.ts";
import { REPOSITORIES } from "./repositories.case.ts";
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
  "an inherited environment": ENVIRONMENT,
  "a broken git": BROKEN_GIT,
};

const execute = promisify(execFile);
const folder = realpathSync(mkdtempSync(join(tmpdir(), "sluicegate-paths-")));
const ROOT = join(folder, "question");
const isRoot = process.getuid?.() === 0;
const usual = { HOME: process.env.HOME, XDG_CONFIG_HOME: process.env.XDG_CONFIG_HOME };

beforeAll(() => {
  mkdirSync(join(folder, "home"));
  process.env.HOME = join(folder, "home");
  delete process.env.XDG_CONFIG_HOME;
});

afterAll(async () => {
  for (const [name, value] of Object.entries(usual)) if (value !== undefined) process.env[name] = value;
  await run("chmod", "-R", "u+rwx", folder).catch(() => {});
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

describe("the catalogue of paths", () => {
  const all = Object.values(GROUPS).flat();

  it("has at least 150 cases, each with a title of its own (D4)", () => {
    expect(all.length).toBeGreaterThanOrEqual(150);
    expect(new Set(all.map(({ title }) => title)).size).toBe(all.length);
  });

  let count = 0;
  for (const [group, cases] of Object.entries(GROUPS)) {
    describe.concurrent(group, () => {
      for (const one of cases) {
        count += 1;
        const base = join(folder, `${count}`);
        it.skipIf(one.needsRoot && !isRoot)(one.title, () => runCase(one, base));
      }
    });
  }
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

async function runCase(one: PathCase, base: string): Promise<void> {
  const place = placeIn(base);
  await one.build(place);
  if (one.springs !== undefined) await spring(place, one.springs);
  const asked = typeof one.ask === "function" ? one.ask(place) : one.ask;
  const ask = { root: place.root, ...asked };
  const before = inRepository(place);
  const variables = one.environment?.(place);
  const answers =
    variables === undefined ? await askEverything(ask) : await askElsewhere(place, ask, variables);
  expect(existsSync(place.marker), "nothing that the case names may run").toBe(false);
  expect(processesOf(place).filter(isAlive), "no process may be left").toEqual([]);
  expect(inRepository(place), "asking changes nothing").toEqual(before);
  expect(JSON.stringify(answers), "nothing secret may come out").not.toContain(SECRET);
  judge(one, ask, place, answers);
}

/** Holds the answers of all functions against what the case expects. */
function judge(one: PathCase, ask: Ask & { root: string }, place: Place, answers: Answers): void {
  const { check, opened, read, searched, searchedRoot } = answers;
  const effects = {
    check: check.effect,
    opened: opened.effect,
    read: read.effect,
    searched: searched.effect,
  };
  const asFile = ask.kind === "file" ? one.expect : "ask";
  const told = JSON.stringify(answers, null, 1);
  // Only `checkPath` says what it takes the path for.
  if (one.reason === "wrong-kind") {
    expect(check, told).toMatchObject({ effect: "ask", reason: "wrong-kind" });
    return;
  }
  expect(effects, told).toEqual({ check: one.expect, opened: asFile, read: asFile, searched: one.expect });
  expect(["allow", "ask"], told).toContain(searchedRoot.effect);
  if (one.reason !== undefined) expect(check.reason, told).toBe(one.reason);
  if (one.expect === "ask") return;
  const root = resolve(one.environment === undefined ? "." : place.root, ask.root);
  const path = realpathSync.native(isAbsolute(ask.path) ? ask.path : `${root}/${ask.path}`);
  expect(check.resolved).toBe(path);
  if (ask.kind === "directory") return;
  const content = readFileSync(path, "utf8");
  expect([opened.gave, read.gave]).toEqual([content, content]);
  if (!content.includes(OPEN)) return;
  expect(searched.gave, "a search in the file finds what stands in it").toContain(OPEN);
  expect(searchedRoot.gave, "a search in the root finds what stands in the file").toContain(OPEN);
}

async function askElsewhere(
  place: Place,
  ask: Ask & { root: string },
  variables: Record<string, string | undefined>,
): Promise<Answers> {
  const program = join(import.meta.dirname, "ask-process.ts");
  const node = { NODE_NO_WARNINGS: "1", NODE_COMPILE_CACHE: join(folder, "compiled") };
  const inherited = { PATH: GIT_ENVIRONMENT.PATH, HOME: place.home, ...node, ...variables };
  const env = Object.fromEntries(Object.entries(inherited).filter(([, value]) => value !== undefined));
  const options = { cwd: place.root, env, timeout: 50_000, maxBuffer: 1 << 26 };
  const { stdout } = await execute(process.execPath, [program, JSON.stringify(ask)], options);
  return JSON.parse(stdout);
}

/** Shows that plain git would run what the case has laid out, and cleans up after it. */
async function spring(place: Place, args: readonly string[]): Promise<void> {
  const options = { cwd: place.root, env: { ...GIT_ENVIRONMENT, GIT_PAGER: "cat" } };
  await execute("git", [...args], options).catch(() => {});
  expect(existsSync(place.marker), "plain git runs it").toBe(true);
  rmSync(place.marker);
}

/** The index as it lies there; a pipe in its place isn't read. */
function inRepository({ root }: Place): string {
  const index = join(root, ".git/index");
  try {
    return statSync(index).isFile() ? readFileSync(index, "base64") : "";
  } catch {
    return "";
  }
}

function processesOf({ processes }: Place): number[] {
  if (!existsSync(processes)) return [];
  return readFileSync(processes, "utf8").trim().split("\n").map(Number);
}

function isAlive(id: number): boolean {
  try {
    process.kill(id, 0);
    return !readFileSync(`/proc/${id}/stat`, "utf8").includes(") Z ");
  } catch {
    return false;
  }
}
