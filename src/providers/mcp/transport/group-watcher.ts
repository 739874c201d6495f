/**
 * Ends the process groups of servers that outlive the gateway. A small shell is told which groups there are; its input
 * ends however the gateway does, by `kill -9` too. Not on Windows, and not for a process that has left its group.
 */
import { type ChildProcess, spawn } from "node:child_process";

/** The end of their input has asked them to end already; those that are left get SIGTERM, and at last SIGKILL. */
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
export function watchGroup(group: number): void {
  if (process.platform === "win32") return;
  groups.add(group);
  if (shell === null) startShell();
  else tellShell(`+ ${group}`);
}

/** The group has ended: its number may be another's by the time the gateway ends. */
export function unwatchGroup(group: number): void {
  if (groups.delete(group)) tellShell(`- ${group}`);
}

const tellShell = (line: string): void => void shell?.stdin?.write(`${line}\n`);

function startShell(): void {
  const child = spawn("/bin/sh", ["-c", SCRIPT], {
    cwd: "/",
    env: { PATH: "/usr/bin:/bin" },
    stdio: ["pipe", "ignore", "ignore"],
    // A signal to the gateway's own group must not end it.
    detached: true,
  });
  shell = child;
  const forget = (): void => {
    if (shell === child) shell = null;
  };
  // Where it can't be started, servers still get the end of their input; the next server tries again.
  child.once("error", forget);
  child.once("exit", forget);
  child.stdin.on("error", () => {});
  child.unref();
  // A pipe is a socket, which Node's types don't say.
  if ("unref" in child.stdin && typeof child.stdin.unref === "function") child.stdin.unref();
  for (const group of groups) tellShell(`+ ${group}`);
}
