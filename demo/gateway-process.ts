/** The gateway as its own process, as `npm start` runs it, on a free port; and the command line on its store. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { join, resolve } from "node:path";
import type { OfficeCopy } from "./office-copy.ts";

const SLUICEGATE = resolve(import.meta.dirname, "../bin/sluicegate");
const END_MS = 10_000;

export interface DemoGateway {
  readonly url: string;
  readonly operatorToken: string;
  /** Asks it to end, and waits until it has. */
  stop(): Promise<void>;
}

/** What a run of the command line said. */
export interface CommandAnswer {
  readonly status: number;
  readonly out: string;
}

/** Starts it and waits until it listens and its servers have answered. */
export async function startGateway(office: OfficeCopy, stopped: AbortSignal): Promise<DemoGateway> {
  const operatorToken = randomBytes(32).toString("hex");
  // What a model's key is for is none of the gateway's business, nor of the servers behind it.
  const { ANTHROPIC_API_KEY: _, OPENAI_API_KEY: __, OFFICE_STATE: ___, ...environment } = process.env;
  const args = [
    "serve",
    "--json",
    "--port",
    "0",
    "--config",
    office.policy,
    "--store",
    `sqlite:${office.store}`,
  ];
  const child = spawn(SLUICEGATE, args, {
    env: { ...environment, SLUICEGATE_TOKEN: operatorToken },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const stop = (): Promise<void> => end(child);
  try {
    const url = await Promise.race([addressOf(child), once(stopped, "abort").then(() => null)]);
    stopped.throwIfAborted();
    if (url !== null) return { url, operatorToken, stop };
    throw new Error("The gateway told no address.");
  } catch (cause) {
    await stop();
    throw cause;
  }
}

async function addressOf(child: ChildProcess): Promise<string> {
  let out = "";
  let complaints = "";
  child.stderr?.on("data", (chunk) => {
    complaints = `${complaints}${chunk}`.slice(-2000);
  });
  for await (const chunk of child.stdout ?? []) {
    out += chunk;
    const [, url] = /"url": "([^"]+)"[\s\S]*\}\s*$/.exec(out) ?? [];
    if (url) {
      child.stdout?.resume();
      return url;
    }
  }
  throw new Error(`The gateway ended before it listened. ${out}${complaints}`.trim());
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), END_MS);
  await gone;
  clearTimeout(timer);
}

/** Runs `sluicegate …`; what it says is without colour. */
export function runCommand(args: readonly string[]): Promise<CommandAnswer> {
  const env = { ...process.env, NO_COLOR: "1" };
  return new Promise((done) => {
    execFile(
      SLUICEGATE,
      [...args],
      { env, cwd: join(import.meta.dirname, "..") },
      (error, out, complaints) => {
        const status = error === null ? 0 : typeof error.code === "number" ? error.code : 2;
        done({ status, out: (out || complaints).trimEnd() });
      },
    );
  });
}
