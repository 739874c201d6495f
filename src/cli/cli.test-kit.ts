/** For the tests of the command line: the real program as a child process, and folders with policies. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { stateStoreOf } from "../gateway/state/state-files.ts";
import { run as runProgram } from "./program.ts";

/** The checkout that is tested. */
export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** What people run in a checkout. */
export const LAUNCHER = join(ROOT, "bin", "sluicegate");
/**
 * The same as an installed package has it, which starts in a third of the time; `test/bundled-command.ts` makes it. It
 * lies below `node_modules`, so that packages which aren't bundled are found.
 */
export const BUNDLED_COMMAND = join(ROOT, "node_modules/.cache/bundled-command/lib/cli/start.js");

/** What a run of a program left. */
export interface Ran {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
  /** The answer as JSON. Throws where it is none. */
  json(): unknown;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Starts `sluicegate` in a process of its own, as people do. */
  readonly started?: boolean;
}

/** Runs a program to its end. */
export async function run(program: string, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const env = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...options.env };
  const child = spawn(program, args, { env, ...(options.cwd && { cwd: options.cwd }) });
  child.stdin.on("error", () => {});
  child.stdin.end(options.input ?? "");
  const [out, err, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  return { status: typeof status === "number" ? status : null, out, err, json: () => JSON.parse(out) };
}

let turn: Promise<unknown> = Promise.resolve();

/** Runs `sluicegate` to its end: in this process, one at a time, or in one of its own where it is started or reads an input. */
export function sluicegate(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  if (options.started || options.input !== undefined) return run(BUNDLED_COMMAND, args, options);
  const ran = turn.then(() => runHere(args, options));
  turn = ran.catch(() => {});
  return ran;
}

async function runHere(args: readonly string[], { cwd, env }: RunOptions): Promise<Ran> {
  const { stdout, stderr, env: outerEnv, exitCode } = process;
  const outerFolder = process.cwd();
  const [out, err] = [capture(stdout), capture(stderr)];
  process.env = { PATH: outerEnv.PATH, HOME: outerEnv.HOME, ...env };
  process.exitCode = undefined;
  if (cwd !== undefined) process.chdir(cwd);
  try {
    await runProgram(args);
    const text = out.text();
    return {
      status: Number(process.exitCode ?? 0),
      out: text,
      err: err.text(),
      json: () => JSON.parse(text),
    };
  } finally {
    process.chdir(outerFolder);
    process.env = outerEnv;
    process.exitCode = exitCode;
    out.end();
    err.end();
  }
}

/** Keeps what is written to a stream, until its end. */
function capture(stream: NodeJS.WriteStream): { text(): string; end(): void } {
  const { write } = stream;
  const listeners = stream.listeners("error");
  let written = "";
  stream.write = (chunk: string | Uint8Array): boolean => {
    written += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
    return true;
  };
  return {
    text: () => written,
    end: () => {
      stream.write = write;
      for (const one of stream.listeners("error")) {
        if (!listeners.includes(one)) stream.off("error", one as () => void);
      }
    },
  };
}

/** A folder that is removed with everything in it when `using` ends. */
export interface Folder extends Disposable {
  readonly path: string;
}

export function createFolder(files: Readonly<Record<string, string>> = {}): Folder {
  const path = mkdtempSync(join(tmpdir(), "sluicegate cli-"));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), content);
  }
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** The five tools that the specification plays with, one that asks, two roles. */
export const POLICY = `version: 1
tools:
  search_email: { permissions: [read], source: { level: internal, trust: untrusted } }
  search_docs: { permissions: [read], source: internal }
  web_search: { permissions: [connect], source: { level: public, trust: untrusted }, sink: public }
  slack_post: { permissions: [connect], sink: public }
  github_create_pr: { permissions: [write, connect], sink: internal }
  wire_transfer: { permissions: [write], approval: always }
roles:
  analyst: { tools: [search_email, search_docs, web_search], permissions: [read, connect] }
  reader: { tools: [search_docs], permissions: [read] }
`;

/** A policy with two mistakes, on lines 3 and 5. */
export const BROKEN_POLICY = `version: 1
tools:
  search_email: { permissions: [reed] }
  web_search: { permissions: [connect] }
  slack_post: { permissions: [connect], sink: pubic }
`;

/** Whether a terminal would show the text as it is: no control, format or bidirectional character but line feeds. */
export const isHarmless = (text: string): boolean => !/[\p{Cc}\p{Cf}]/u.test(text.replaceAll("\n", ""));

/** The store of the policy in a folder, whose own folder is made. */
export function createStateStore(folder: string): string {
  const store = stateStoreOf(join(folder, "sluicegate.yaml"));
  mkdirSync(dirname(store));
  return store;
}
