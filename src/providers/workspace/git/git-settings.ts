/** The settings of git that change its answers, each with its scope: the user's, or the repository's. */

export interface Setting {
  readonly scope: string;
  /** Null for a key without a value, which git reads as true. */
  readonly value: string | null;
}

export interface GitSettings {
  readonly worktree: readonly Setting[];
  readonly excludesFile: readonly Setting[];
  readonly ignoreCase: readonly Setting[];
}

export const SETTINGS_ARGUMENTS: readonly string[] = [
  "config",
  "-z",
  "--show-scope",
  "--get-regexp",
  String.raw`^core\.(worktree|excludesfile|ignorecase)$`,
];

/** Git's output for `SETTINGS_ARGUMENTS`, lowest precedence first; null if it can't be read. */
export function readSettings(output: string): GitSettings | null {
  const settings = { worktree: [] as Setting[], excludesFile: [] as Setting[], ignoreCase: [] as Setting[] };
  const lists = new Map([
    ["core.worktree", settings.worktree],
    ["core.excludesfile", settings.excludesFile],
    ["core.ignorecase", settings.ignoreCase],
  ]);
  const parts = output.split("\0");
  if (parts.pop() !== "" || parts.length % 2 !== 0) return null;
  for (let at = 0; at < parts.length; at += 2) {
    const [scope = "", entry = ""] = parts.slice(at, at + 2);
    const end = entry.indexOf("\n");
    const list = lists.get(end === -1 ? entry : entry.slice(0, end));
    if (list === undefined) return null;
    list.push({ scope, value: end === -1 ? null : entry.slice(end + 1) });
  }
  return settings;
}

/** Whether it is the user's setting for all repositories, not the repository's. */
export const isPersons = ({ scope }: Setting): boolean => scope === "system" || scope === "global";

/** As git reads a boolean; an unknown value counts as true. */
export function isOn(settings: readonly Setting[]): boolean {
  const last = settings.at(-1);
  return last !== undefined && !/^(?:|0+|no|off|false)$/i.test(last.value ?? "true");
}
