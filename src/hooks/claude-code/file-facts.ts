/** Examines a call that the agent will run itself. */
import { dirname, join, resolve } from "node:path";
import type { AgentSearch, FileCall } from "../../adapters/claude-code/file-call.ts";
import { SluicegateError } from "../../errors/index.ts";
import {
  askForNames,
  canonicalPath,
  examineForeignSearch,
  repositoryOf,
} from "../../providers/workspace/internal.ts";
import type { CallFacts, Examination } from "../../runtime/index.ts";
import type { AgentEnvironment } from "./agent-environment.ts";
import type { HookWorkspace } from "./hook-gate.ts";
import { examineInstructions, INSTRUCTION_PATTERNS } from "./instruction-files.ts";
import { isNamedBySettings, SETTINGS_PATTERNS } from "./settings-programs.ts";

/** Where the agent's tools work, and the variables that its search program reads. */
export interface ExaminedPlace {
  readonly workspace: HookWorkspace;
  readonly environment: AgentEnvironment;
  readonly cwd: string;
  /** The settings file that the hook was installed in, if its command names it. */
  readonly settings: string | null;
}

/** The facts of one call. If something can't be examined, that is a fault. */
export async function factsOf(place: ExaminedPlace, call: FileCall): Promise<CallFacts> {
  try {
    const found = await Promise.all(
      call.examinations.map(({ tool, arguments: args }) => examine(place.workspace, tool, args)),
    );
    const attached = await examineAttached(place, call, found);
    // If the call needs approval anyway, the approver decides about the whole search.
    const isFree = call.asks.length === 0;
    const searched = await Promise.all(call.searches.map((search) => examineSearch(place, search, isFree)));
    const runsIn = call.runsIn === null ? null : await canonicalFolder(call.runsIn);
    return { examined: joined({ ...call, runsIn }, [...found, ...searched], attached) };
  } catch (cause) {
    const why = SluicegateError.isInstance(cause)
      ? `${cause.message} ${cause.why} ${cause.fix}`
      : "It could not be examined.";
    return { faults: [{ code: "provider", message: why }] };
  }
}

function examine(
  { workspace }: HookWorkspace,
  name: string,
  args: Record<string, unknown>,
): Promise<Examination> {
  const tool = workspace.tools.get(name);
  if (tool === undefined) throw new Error(`The workspace has no ${name}.`);
  return tool.examine(args);
}

/** Lists with the agent's options for ripgrep, except those that don't change which files are searched. */
function examineSearch(
  { workspace, environment }: ExaminedPlace,
  { path, globs, isListing }: AgentSearch,
  isFree: boolean,
): Promise<Examination> {
  const { CLAUDE_CODE_GLOB_NO_IGNORE: noIgnore } = environment;
  const isBlind = isListing && isOn(noIgnore ?? "true");
  const options = [
    ...["--hidden", "--glob", "!.git"],
    ...globs.flatMap((glob) => ["--glob", glob]),
    ...(isBlind ? ["--no-ignore"] : []),
  ];
  return examineForeignSearch(workspace.place, {
    path,
    options: isFree ? options : null,
    env: searchEnvironment(environment),
    searchable: workspace.searchable,
  });
}

/** The variables by which ripgrep finds its options and git's ignore file. */
const searchEnvironment = (environment: AgentEnvironment): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (["HOME", "XDG_CONFIG_HOME", "RIPGREP_CONFIG_PATH"] as const).flatMap((name) => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

/** Parses a switch as the agent does. */
const isOn = (value: string): boolean => /^(?:1|true|yes|on)$/i.test(value.trim());

/** The files that a call writes, in lower case. */
const writtenBy = ({ tool }: FileCall, found: readonly Examination[]): readonly string[] =>
  tool === "Write" || tool === "Edit"
    ? found.flatMap(({ targets }) => targets.map(({ path }) => folded(path)))
    : [];

/** The folder with links resolved: what a link leads to may change between the approval and the call. */
export async function canonicalFolder(folder: string): Promise<string> {
  const found = await canonicalPath(folder);
  return found.kind === "found" ? found.path : folder;
}

/** Some file systems ignore case. */
const folded = (path: string): string => path.toLowerCase();

/** The folders from the root down to a file. */
function foldersAround(path: string): readonly string[] {
  const folder = dirname(path);
  return folder === path ? [] : [folder, ...foldersAround(folder)];
}

interface ListedFiles {
  /** The top of the repository. */
  readonly top: string;
  /** Absolute. */
  readonly paths: readonly string[];
  /** The tops of these worktrees. */
  readonly worktrees: readonly string[];
  /** The folders that they apply to. */
  readonly folders: readonly string[];
}

/**
 * Instruction files and settings that git lists, in any folder of the workspace and of the worktrees that these paths
 * lie in; null if git fails.
 */
async function listForAgents(root: string, paths: readonly string[]): Promise<ListedFiles | null> {
  const found = await Promise.all([root, ...paths].map((path) => repositoryOf(root, path)));
  const trees = new Map(found.flatMap((repository) => (repository ? [[repository.top, repository]] : [])));
  const patterns = [...INSTRUCTION_PATTERNS, ...SETTINGS_PATTERNS];
  const listed = await Promise.all(
    [...trees.values()].map(async (tree) => ({ top: tree.top, names: await askForNames(tree, patterns) })),
  );
  const top = found[0]?.top;
  if (top === undefined || listed.some(({ names }) => names === null)) return null;
  const all = listed.flatMap(({ top, names }) => (names ?? []).map((name) => ({ top, name })));
  const folders = new Set(all.map(({ top, name }) => resolve(top, projectOf(name))));
  return {
    top,
    worktrees: [...trees.keys()].slice(1),
    paths: all.map(({ top, name }) => join(top, name)),
    folders: [...folders],
  };
}

/** The project folder that such a file applies to, from the top of its worktree. */
const projectOf = (name: string): string =>
  `./${dirname(name)}`.replace(/\/\.claude(?:-plugin)?(?:\/.*)?$/is, "");

/** What the agent attaches to the files that a call reads or writes. */
async function examineAttached(
  { workspace: { workspace }, environment, cwd, settings }: ExaminedPlace,
  call: FileCall,
  found: readonly Examination[],
): Promise<readonly Examination[]> {
  const paths = call.examinations.flatMap(({ arguments: { file_path: path } }) =>
    typeof path === "string" ? [path] : [],
  );
  const written = writtenBy(call, found);
  const { CLAUDE_PROJECT_DIR: begun } = environment;
  if (written.length > 0 && begun?.startsWith("/")) paths.push(`${begun}/.`);
  const question = { workspace, environment, paths, written, top: workspace.root };
  const targets = found.flatMap((one) => one.targets.map(({ path }) => path));
  const listed = written.length === 0 ? null : await listForAgents(workspace.root, targets);
  if (listed === null) return examineInstructions({ ...question, elsewhere: null });
  const { folders } = listed;
  const around = [...paths, `${cwd}/.`].flatMap(foldersAround);
  const named = {
    ...{ root: workspace.root, environment, settings, written },
    listed: listed.paths,
    projects: [...new Set([...folders, ...around])],
  };
  const [attached, ...areNamed] = await Promise.all([
    examineInstructions({ ...question, elsewhere: { top: listed.top, folders } }),
    // Settings in a worktree start programs from there.
    ...[cwd, ...listed.worktrees].map((from) => isNamedBySettings({ ...named, cwd: from })),
  ]);
  return areNamed.includes(true) ? [{ asks: ["protected-name"], targets: [] }, ...attached] : attached;
}

function joined(
  call: FileCall,
  found: readonly Examination[],
  attached: readonly Examination[],
): Examination {
  const all = [...found, ...attached];
  const asks = new Set([...call.asks, ...all.flatMap((one) => one.asks)]);
  // Files that the call itself touches are examined already.
  const touched = call.runsIn === null ? found.flatMap((one) => one.targets) : [{ path: call.runsIn }];
  const targets = new Map(
    [...attached.flatMap((one) => one.targets), ...touched].map((target) => [target.path, target]),
  );
  const preview = call.hasPreview ? found[0]?.preview : undefined;
  return {
    asks: [...asks],
    targets: [...targets.values()],
    ...(all.some(({ isProtected }) => isProtected) && { isProtected: true as const }),
    ...(preview !== undefined && { preview }),
  };
}
