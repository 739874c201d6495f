/**
 * The process of a stdio server: started from an argument list without a shell, and ended with the gateway. It has
 * its own process group, so everything that it started (`npx` starts a shell that starts the server) ends with it. If
 * the gateway is killed, a small shell ends the group.
 */
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";

export interface ProcessOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment; nothing is added. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Milliseconds that each step of `stop` waits. */
  readonly closeMs: number;
}

export interface UpstreamProcess {
  readonly pid: number | null;
  readonly stdin: ChildProcessWithoutNullStreams["stdin"];
  readonly stdout: ChildProcessWithoutNullStreams["stdout"];
  readonly stderr: ChildProcessWithoutNullStreams["stderr"];
  /** Resolves with how it ended, after its output was read. */
  readonly ended: Promise<ProcessEnd>;
  /** Closes its input, then sends SIGTERM, then SIGKILL. Resolves when it has ended. */
  stop(): Promise<void>;
  /** Kills it now. */
  kill(): void;
}

/** How a process ended, as the end of a sentence about it. */
export interface ProcessEnd {
  /** With any exit code or signal. */
  readonly exact: string;
  /** THREAT: a server chooses its exit code, so messages for sessions name only common ones. */
  readonly common: string;
}

const COMMON_CODES: ReadonlySet<number | null> = new Set([0, 1, 2, 126, 127]);
const COMMON_SIGNALS: ReadonlySet<string> = new Set(["SIGKILL", "SIGTERM", "SIGSEGV", "SIGABRT"]);

const DRAIN_MS = 500;
const alive = new Set<ChildProcessWithoutNullStreams>();
let isGuarding = false;

/** Rejects if the process can't be started. */
export async function startProcess(options: ProcessOptions): Promise<UpstreamProcess> {
  const child = spawn(options.command, options.args, {
    cwd: options.cwd,
    env: options.env,
    shell: false,
    stdio: ["pipe", "pipe", "pipe"],
    detached: process.platform !== "win32",
    windowsHide: true,
  });
  // Errors of writing to a process that has ended; its end is reported separately.
  child.stdin.on("error", () => {});
  const ended = waitForEnd(child);
  await once(child, "spawn");
  child.on("error", () => {});
  alive.add(child);
  guardExit();
  if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) watchGroup(child.pid);
  let stopping: Promise<void> | undefined;
  return {
    pid: child.pid ?? null,
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    ended,
    stop: () => {
      stopping ??= stopProcess(child, ended, options.closeMs);
      return stopping;
    },
    kill: () => signalGroup(child, "SIGKILL"),
  };
}

function waitForEnd(child: ChildProcessWithoutNullStreams): Promise<ProcessEnd> {
  return new Promise((resolve) => {
    child.once("exit", (code, signal) => {
      alive.delete(child);
      // Processes that it started may hold its output open.
      signalGroup(child, "SIGKILL");
      if (child.pid !== undefined) unwatchGroup(child.pid);
      const exact = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
      const isCommon = signal === null ? COMMON_CODES.has(code) : COMMON_SIGNALS.has(signal);
      const finish = (): void => {
        clearTimeout(timer);
        child.stdout.destroy();
        child.stderr.destroy();
        resolve({ exact, common: isCommon ? exact : "ended with an error" });
      };
      const timer = setTimeout(finish, DRAIN_MS);
      child.once("close", finish);
    });
  });
}

async function stopProcess(
  child: ChildProcessWithoutNullStreams,
  ended: Promise<ProcessEnd>,
  closeMs: number,
): Promise<void> {
  child.stdin.end();
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    if (await endsWithin(ended, closeMs)) return;
    signalGroup(child, signal);
  }
  await endsWithin(ended, closeMs + DRAIN_MS);
}

async function endsWithin(ended: Promise<ProcessEnd>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), milliseconds);
  });
  const result = await Promise.race([ended.then(() => true), late]);
  clearTimeout(timer);
  return result;
}

/** Signals the process and everything that it started in its group. */
function signalGroup(child: ChildProcessWithoutNullStreams, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? child.pid : -child.pid, signal);
  } catch {
    // The group is empty.
  }
}

/** A gateway that exits without closing its upstreams ends them too. */
function guardExit(): void {
  if (isGuarding) return;
  isGuarding = true;
  process.once("exit", () => {
    for (const child of alive) signalGroup(child, "SIGKILL");
  });
}

/**
 * Ends the process groups of servers that outlive the gateway. A small shell gets the list of groups; its input ends
 * with the gateway, even after `kill -9`. It doesn't work on Windows, nor for a process that has left its group. The
 * servers' input has ended by then; those still running get SIGTERM, and later SIGKILL.
 */
const SCRIPT = `
trap '' INT TERM HUP
groups=
while read -r change group; do
  others=
  for one in $groups; do [ "$one" = "$group" ] || others="$others $one"; done
  groups=$others
  [ "$change" = "+" ] && groups="$groups $group"
done
[ -n "$groups" ] || exit
for one in $groups; do kill -s TERM -- "-$one"; done
sleep 1
for one in $groups; do kill -s KILL -- "-$one"; done
`;

const groups = new Set<number>();
let shell: ChildProcess | null = null;

/** Ends this group when the gateway ends. */
function watchGroup(group: number): void {
  if (process.platform === "win32") return;
  groups.add(group);
  if (shell === null) startShell();
  else tellShell(`+ ${group}`);
}

/** The group has ended; its number may be reused before the gateway ends. */
function unwatchGroup(group: number): void {
  if (groups.delete(group)) tellShell(`- ${group}`);
}

const tellShell = (line: string): void => void shell?.stdin?.write(`${line}\n`);

function startShell(): void {
  const child = spawn("/bin/sh", ["-c", SCRIPT], {
    cwd: "/",
    env: { PATH: "/usr/bin:/bin" },
    stdio: ["pipe", "ignore", "ignore"],
    // A signal to the gateway's own group must not end the shell.
    detached: true,
  });
  shell = child;
  const forget = (): void => {
    if (shell === child) shell = null;
  };
  // If it can't be started, servers still get the end of their input; the next server tries again.
  child.once("error", forget);
  child.once("exit", forget);
  child.stdin.on("error", () => {});
  child.unref();
  // A pipe is a socket, which Node's types don't express.
  if ("unref" in child.stdin && typeof child.stdin.unref === "function") child.stdin.unref();
  for (const group of groups) tellShell(`+ ${group}`);
}
