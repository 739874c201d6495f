/** The gateway as people start it: `sluicegate serve`, in a process of its own, with its store on disk. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./machine.ts";
import { type StartedProgram, startProgram } from "./started-program.ts";

export const OPERATOR_TOKEN = "operator-token-of-the-benchmarks";

export interface ServedGateway {
  readonly program: StartedProgram;
  readonly url: string;
  /** The address and the token of its first session. */
  readonly mcp: string;
  readonly token: string;
}

/** A program and its first arguments: the command as it is published, or on the sources. */
export type Command = readonly [program: string, ...args: string[]];

export const ON_THE_SOURCES: Command = [join(ROOT, "bin/sluicegate")];
export const asPublished = (start: string): Command => [process.execPath, start];

export interface ServeOptions {
  /** By default a SQLite file of its own. */
  readonly store?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Serves a policy by a command. Its files are called `stem` and an ending; several may share a store. */
export async function startServe(
  command: Command,
  stem: string,
  policy: string,
  { store = `sqlite:${stem}.db`, env: more = {} }: ServeOptions = {},
): Promise<ServedGateway> {
  writeFileSync(`${stem}.yaml`, policy);
  const files = ["--config", `${stem}.yaml`, "--store", store];
  const [started, ...first] = command;
  const args = [
    ...first,
    "serve",
    ...files,
    "--port",
    "0",
    "--json",
    "--limit",
    "requests-per-second=1000000",
  ];
  const env = { SLUICEGATE_TOKEN: OPERATOR_TOKEN, SLUICEGATE_KEY: "1f".repeat(32), ...more };
  const program = startProgram(started, args, env);
  const printed: { url: string; mcp: string; session_token: string } = JSON.parse(
    await program.prints(/\{\s*"url"[\s\S]*\}/),
  );
  return { program, url: printed.url, mcp: printed.mcp, token: printed.session_token };
}
