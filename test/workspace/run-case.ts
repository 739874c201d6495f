/**
 * Runs a case of the catalogue: builds it, asks every function of the workspace, and holds the answers against what
 * the case expects. Whatever that is, no trap may be sprung, nothing may change, and nothing secret may come out.
 */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Answers, askEverything } from "./ask-everything.ts";
import {
  type Ask,
  GIT_ENVIRONMENT,
  OPEN,
  type PathCase,
  type Place,
  placeIn,
  run,
  SECRET,
} from "./path-case.ts";

const execute = promisify(execFile);
const isRoot = process.getuid?.() === 0;
let count = 0;

/** A folder for cases, gone when the file's tests are over; until then the person has no configuration of their own. */
export function folderOfCases(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "sluicegate-paths-")));
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
  return folder;
}

/** Describes cases, which are run several at once. */
export function describeCases(folder: string, group: string, cases: readonly PathCase[]): void {
  describe.concurrent(group, () => {
    for (const one of cases) {
      count += 1;
      const base = join(folder, `${count}`);
      it.skipIf(one.needsRoot && !isRoot)(one.title, () => runCase(one, base));
    }
  });
}

async function runCase(one: PathCase, base: string): Promise<void> {
  const place = placeIn(base);
  await one.build(place);
  if (one.springs !== undefined) await spring(place, one.springs);
  const asked = typeof one.ask === "function" ? one.ask(place) : one.ask;
  const ask = { root: place.root, ...asked };
  const before = indexOf(place);
  const variables = one.environment?.(place);
  const answers =
    variables === undefined ? await askEverything(ask) : await askElsewhere(place, ask, variables);
  expect(existsSync(place.marker), "nothing that the case names may run").toBe(false);
  expect(processesOf(place).filter(isAlive), "no process may be left").toEqual([]);
  expect(indexOf(place), "asking changes nothing").toEqual(before);
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
  const node = { NODE_NO_WARNINGS: "1", NODE_COMPILE_CACHE: join(place.base, "../compiled") };
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
function indexOf({ root }: Place): string {
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
