/** Where agents keep their MCP servers: which files there are on this machine, and how each writes its variables. */
import { open } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";

/** Whose notation a file has. */
type Agent = "Claude Code" | "Claude Desktop" | "Cursor" | "VS Code";

export interface ConfigurationFile {
  readonly agent: Agent;
  readonly path: string;
  /** The project that its servers run in; null if they are everybody's. */
  readonly folder: string | null;
  readonly home: string;
}

export interface Place {
  readonly home: string;
  /** Where the person stands. */
  readonly folder: string;
}

/** Where configurations may lie, in the order in which a server's first name is taken. */
export function configurationFiles({ home, folder }: Place): readonly ConfigurationFile[] {
  const mine = (agent: Agent, ...parts: readonly string[]): ConfigurationFile => ({
    agent,
    path: join(home, ...parts),
    folder: null,
    home,
  });
  const here = (agent: Agent, ...parts: readonly string[]): ConfigurationFile => ({
    agent,
    path: join(folder, ...parts),
    folder,
    home,
  });
  const settings = SETTINGS_FOLDERS.map((parts) => parts);
  return [
    here("Claude Code", ".mcp.json"),
    mine("Claude Code", ".claude.json"),
    ...settings.map((parts) => mine("Claude Desktop", ...parts, "Claude", "claude_desktop_config.json")),
    here("Cursor", ".cursor", "mcp.json"),
    ...(resolve(folder) === resolve(home) ? [] : [mine("Cursor", ".cursor", "mcp.json")]),
    here("VS Code", ".vscode", "mcp.json"),
    ...settings.flatMap((parts) =>
      ["Code", "Code - Insiders"].flatMap((product) =>
        ["mcp.json", "settings.json"].map((name) => mine("VS Code", ...parts, product, "User", name)),
      ),
    ),
  ];
}

/** Linux, macOS, Windows. */
const SETTINGS_FOLDERS = [[".config"], ["Library", "Application Support"], ["AppData", "Roaming"]];

/** A file that the person named: whose it is shows in its name, and else in nothing, so Claude Code's notation holds. */
export function namedFile(path: string, home = homedir()): ConfigurationFile {
  const full = resolve(path);
  const name = basename(full);
  const parent = basename(dirname(full));
  const project = dirname(dirname(full));
  if (name === "claude_desktop_config.json")
    return { agent: "Claude Desktop", path: full, folder: null, home };
  if (parent === ".cursor") return { agent: "Cursor", path: full, folder: inProject(project, home), home };
  if (parent === ".vscode") return { agent: "VS Code", path: full, folder: project, home };
  if (parent === "User" || name === "settings.json")
    return { agent: "VS Code", path: full, folder: null, home };
  return { agent: "Claude Code", path: full, folder: name === ".mcp.json" ? dirname(full) : null, home };
}

const inProject = (folder: string, home: string): string | null =>
  resolve(folder) === resolve(home) ? null : folder;

const MAX_FILE_SIZE = 32 * 1024 * 1024;

/** A path as people write it: `~` for the home. */
export const shownPath = (path: string, home: string): string =>
  path.startsWith(join(home, "/")) ? `~${path.slice(home.length)}` : path;

/** The file's text; null if there is none. THREAT: it may be endless, or no file at all. Throws words why not. */
export async function readBounded(path: string): Promise<string | null> {
  const file = await open(path, "r").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
    throw new Error(`it can't be opened (${error.code ?? "unknown"})`, { cause: error });
  });
  if (file === null) return null;
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw new Error("it is no file");
    if (stat.size > MAX_FILE_SIZE) throw new Error(`it has more than ${MAX_FILE_SIZE / 1024 / 1024} MiB`);
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}
