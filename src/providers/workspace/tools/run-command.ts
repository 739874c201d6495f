/** Runs a command in the workspace. It needs approval each time, because its effects can't be checked before. */
import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { type ProgramEnd, sharedRunner } from "../git/runner.ts";
import { MAX_COMMAND_BYTES, MAX_COMMAND_MS } from "../limits.ts";
import type { Place } from "../paths/canonical-path.ts";
import { unusable } from "../paths/examine-path.ts";
import { type FolderFound, folderAt } from "../paths/examine-write.ts";
import { sameIdentity } from "../paths/file-identity.ts";
import { integer, optionalText, text, type Values } from "./arguments.ts";
import { targetChanged, textResult } from "./results.ts";
import { type Found, toolOf } from "./workspace-tool.ts";

interface Running {
  readonly command: string;
  readonly timeoutMs: number;
  readonly folder: FolderFound | null;
}

const USUAL_TIME_MS = 120_000;
const SHOWN_OUTPUT = 48 * 1024;

const DESCRIPTION =
  "Runs a shell command in the workspace's folder; as a rule a person says yes to it first. What it leaves running in its process group is ended with it.";
const COMMAND = {
  command: text("The command, as a shell takes it."),
  timeout: integer("Milliseconds after which it is ended; two minutes where it is left out.", {
    minimum: 1,
    maximum: MAX_COMMAND_MS,
  }),
};

export const RUN_COMMAND = toolOf({
  name: "run_command",
  description: DESCRIPTION,
  parameters: COMMAND,
  examine: (place, { command, timeout }: Values<typeof COMMAND>) => examine(place, command, timeout),
  execute: (place, running, signal) => run(place, running, signal),
});

const CODING = { ...COMMAND, description: optionalText("What the command is for, in a few words.") };

export const BASH = toolOf({
  name: "Bash",
  description: DESCRIPTION,
  parameters: CODING,
  examine: (place, { command, timeout }: Values<typeof CODING>) => examine(place, command, timeout),
  execute: (place, running, signal) => run(place, running, signal),
});

async function examine(place: Place, command: string, timeoutMs = USUAL_TIME_MS): Promise<Found<Running>> {
  const folder = await folderAt(place.root);
  return { asks: [], targets: [{ path: place.root }], state: { command, timeoutMs, folder } };
}

async function run({ root }: Place, { command, timeoutMs, folder }: Running, signal?: AbortSignal) {
  const now = await folderAt(root);
  if (folder === null || now === null)
    throw unusable("The workspace's folder isn't there.", "Tell a person.");
  if (!sameIdentity(folder.identity, now.identity))
    throw targetChanged("The workspace is another folder by now.");
  const end = await sharedRunner().run({
    file: shell(),
    args: ["-c", command],
    cwd: root,
    env: environment(process.env),
    lane: "command",
    timeoutMs,
    maxBytes: MAX_COMMAND_BYTES,
    ...(signal === undefined ? {} : { signal }),
  });
  const result = textResult(described(end, timeoutMs));
  return end.code === 0 ? result : { ...result, isError: true };
}

const shell = (): string => (existsSync("/bin/bash") ? "/bin/bash" : "/bin/sh");

/** Variables that programs need; no token, and none of the gateway's. */
const KEPT = ["HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "XDG_RUNTIME_DIR"];

export function environment(given: NodeJS.ProcessEnv): Record<string, string> {
  const kept = Object.entries(given).flatMap(([name, value]) =>
    value !== undefined && (KEPT.includes(name) || name.startsWith("LC_")) ? [[name, value] as const] : [],
  );
  // THREAT: the agent may write to a folder of a relative entry.
  const path = (given.PATH ?? "").split(":").filter(isAbsolute).join(":");
  return { ...Object.fromEntries(kept), PATH: path === "" ? "/usr/bin:/bin" : path, TERM: "dumb" };
}

function described(
  { code, signal, stdout, stderr, timedOut, truncated }: ProgramEnd,
  timeoutMs: number,
): string {
  const ended = timedOut
    ? `It was ended after ${timeoutMs} ms.`
    : truncated
      ? `It was ended: it wrote more than ${MAX_COMMAND_BYTES / 1024 / 1024} MiB.`
      : signal !== null
        ? `It was ended by ${signal}.`
        : `Exit code: ${code}`;
  const parts = [["stdout", stdout] as const, ["stderr", stderr] as const].filter(
    ([, bytes]) => bytes.length > 0,
  );
  return [ended, ...parts.map(([name, bytes]) => `${name}:\n${shortened(bytes)}`)].join("\n");
}

/** The beginning and the end, which are usually the important parts. */
function shortened(bytes: Buffer): string {
  if (bytes.length <= SHOWN_OUTPUT) return bytes.toString("utf8");
  const half = SHOWN_OUTPUT / 2;
  const left = bytes.length - SHOWN_OUTPUT;
  return `${bytes.subarray(0, half).toString("utf8")}\n[… ${left} bytes left out …]\n${bytes.subarray(-half).toString("utf8")}`;
}
