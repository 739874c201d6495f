/** What a case of the path catalogue is, and what it is built with: real files, real repositories, the real git. */
import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

/** Stands in what anybody may read. */
export const OPEN = "open-words-7f3a";
/** Stands in what a person must be asked for. */
export const SECRET = "secret-words-91c2";

/** Where a case is built. Only `base` and `root` are there at first. */
export interface Place {
  readonly base: string;
  /** The working directory of the agent. */
  readonly root: string;
  /** A folder beside it. */
  readonly outside: string;
  /** The person's own folder. */
  readonly home: string;
  /** A file that only a program can have made that must not run. */
  readonly marker: string;
  /** Numbers of processes that must be gone when the answer is there, one a line. */
  readonly processes: string;
}

export interface Ask {
  readonly path: string;
  readonly kind: "file" | "directory";
  /** Where it isn't the place's own. */
  readonly root?: string;
}

export interface PathCase {
  readonly title: string;
  build(place: Place): void | Promise<void>;
  readonly ask: Ask | ((place: Place) => Ask);
  readonly expect: "allow" | "ask";
  readonly reason?: string;
  /** Variables of the asking process, which is one of the case's own then, in the root; `undefined` takes one away. */
  environment?(place: Place): Record<string, string | undefined>;
  /** Arguments with which plain git, asked in the root, springs the trap; without that the case would prove nothing. */
  readonly springs?: readonly string[];
  /** Only root can build it. */
  readonly needsRoot?: true;
}

export const file = (path: string): Ask => ({ path, kind: "file" });
export const directory = (path: string): Ask => ({ path, kind: "directory" });

export function placeIn(base: string): Place {
  const place = {
    base,
    root: join(base, "work"),
    outside: join(base, "outside"),
    home: join(base, "home"),
    marker: join(base, "marker"),
    processes: join(base, "processes"),
  };
  mkdirSync(place.root, { recursive: true });
  return place;
}

/** Writes a file, and the folders that it needs. */
export function write(path: string, content: string = OPEN): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content.endsWith("\n") || content === "" ? content : `${content}\n`);
}

/** Writes a program for `sh`. */
export function writeProgram(path: string, ...lines: string[]): string {
  write(path, ["#!/bin/sh", ...lines, ""].join("\n"));
  chmodSync(path, 0o755);
  return path;
}

/** Writes a program that leaves the place's marker. */
export function writeTrap(place: Place, path = join(place.base, "trap")): string {
  return writeProgram(path, `: >> '${place.marker}'`);
}

const HEALTHY = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n";

/** Makes a repository of a folder, as `git init` does but for the process; `config` comes after the usual one. */
export function makeRepository(folder: string, config = "", inside = ".git"): void {
  for (const name of ["objects", "refs/heads", "info"]) {
    mkdirSync(join(folder, inside, name), { recursive: true });
  }
  write(join(folder, inside, "HEAD"), "ref: refs/heads/main");
  write(join(folder, inside, "config"), HEALTHY + config);
}

/** The environment of the git that builds: nothing of the machine's own. */
export const GIT_ENVIRONMENT = {
  PATH: process.env.PATH ?? "",
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@example.org",
  GIT_COMMITTER_NAME: "A",
  GIT_COMMITTER_EMAIL: "a@example.org",
};

const execute = promisify(execFile);

export async function git(folder: string, ...args: string[]): Promise<string> {
  const given = ["-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main", ...args];
  const { stdout } = await execute("git", given, { cwd: folder, env: GIT_ENVIRONMENT });
  return stdout;
}

/** Puts files into the index by their exact names, ignored or not. */
export async function track(folder: string, ...names: string[]): Promise<void> {
  await git(folder, "--literal-pathspecs", "add", "-f", "--", ...names);
}

/** A repository in the root with one tracked file of each name. */
export async function tracked(root: string, ...names: string[]): Promise<void> {
  makeRepository(root);
  for (const name of names) write(join(root, name));
  await track(root, ...names);
}

/** A repository in the root whose `.gitignore` has these lines, with one secret file of each name. */
export function ignored(root: string, rules: readonly string[], ...names: string[]): void {
  makeRepository(root);
  write(join(root, ".gitignore"), rules.join("\n"));
  for (const name of names) write(join(root, name), SECRET);
}

/** As `tracked`, and committed. */
export async function committed(root: string, ...names: string[]): Promise<void> {
  await tracked(root, ...names);
  await git(root, "commit", "-q", "-m", "one");
}

/** Runs a program of the system. */
export async function run(program: string, ...args: string[]): Promise<void> {
  await execute(program, args);
}
