/** What a workspace finds out about a call that the agent will run itself. */
import type { FileCall } from "../../adapters/claude-code/file-call.ts";
import type { AskCause } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import type { CallFacts, Examination } from "../../session/index.ts";
import type { Workspace } from "../../workspace/index.ts";

/** The facts of one call. What can't be examined is a fault. */
export async function factsOf(workspace: Workspace, call: FileCall): Promise<CallFacts> {
  try {
    const found = await Promise.all(
      call.examinations.map(({ tool, arguments: args }) => examine(workspace, tool, args)),
    );
    // Whoever is asked anyway judges the search as a whole.
    const isFree = found.every(({ asks }) => asks.length === 0);
    const searched = call.isSearch && isFree ? await ownIgnoreFiles(workspace) : [];
    return { examined: joined(call, found, searched) };
  } catch (cause) {
    const why = SluicegateError.isInstance(cause)
      ? `${cause.message} ${cause.why}`
      : "It could not be examined.";
    return { faults: [{ code: "provider", message: why }] };
  }
}

function examine(workspace: Workspace, name: string, args: Record<string, unknown>): Promise<Examination> {
  const tool = workspace.tools.get(name);
  if (tool === undefined) throw new Error(`The workspace has no ${name}.`);
  return tool.examine(args);
}

function joined(call: FileCall, found: readonly Examination[], searched: readonly AskCause[]): Examination {
  const asks = new Set([...call.asks, ...searched, ...found.flatMap((one) => one.asks)]);
  const preview = call.hasPreview ? found[0]?.preview : undefined;
  return {
    asks: [...asks],
    targets: found.flatMap(({ targets }) => targets),
    ...(found.some(({ isProtected }) => isProtected) && { isProtected: true as const }),
    ...(preview !== undefined && { preview }),
  };
}

const OWN_IGNORE_FILES = [".ignore", ".rgignore"];

/** THREAT: by ignore files of its own, ripgrep searches what git ignores. */
async function ownIgnoreFiles(workspace: Workspace): Promise<readonly AskCause[]> {
  const glob = workspace.tools.get("Glob");
  if (glob === undefined) return ["unclear-path"];
  const found = await Promise.all(
    OWN_IGNORE_FILES.map(async (name) => {
      const args = { pattern: `**/${name}`, path: workspace.root };
      const { content } = await glob.execute(args);
      return content.some(({ text }) => text !== "No files found");
    }),
  );
  // Those above a folder count for what is in it, so the whole workspace is looked through, whatever is searched.
  return found.some(Boolean) ? ["ignored-path"] : [];
}
