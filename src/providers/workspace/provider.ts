/** A workspace as a server behind the gate. */
import { SluicegateError } from "../../errors/index.ts";
import type { Examination, JsonObject, OfferedTool, ToolProvider, ToolResult } from "../../runtime/index.ts";
import { inTurnOf, ownerOf } from "../../threads/index.ts";
import { MAX_EXAMINATIONS } from "./limits.ts";
import type { WorkspaceTool } from "./tools/workspace-tool.ts";
import type { Workspace } from "./workspace.ts";

/** Options of a workspace for a gate. */
export interface WorkspaceProviderOptions {
  /** The server's id in the policy. */
  readonly id?: string;
}

/** Offers the tools of a workspace to a gate. Closing it closes the workspace. */
export function createWorkspaceProvider(
  workspace: Workspace,
  { id = "workspace" }: WorkspaceProviderOptions = {},
): ToolProvider {
  const tools: ReadonlyMap<string, OfferedTool> = new Map(
    [...workspace.tools.values()].map((tool) => [tool.name, toOffered(tool)]),
  );
  const turns = createTurns();
  const listeners = new Set<() => void>();
  let isClosed = false;
  const toolOf = (name: string): WorkspaceTool => {
    const tool = workspace.tools.get(name);
    if (isClosed || tool === undefined) throw unavailable(isClosed);
    return tool;
  };
  return {
    id,
    isOwn: true,
    get status() {
      return isClosed ? "closed" : "ready";
    },
    get problem() {
      return isClosed ? "It was closed." : null;
    },
    tools,
    settled: Promise.resolve(),
    examine: async (name, args, signal, owner) =>
      turns(owner?.labelHolder, () => inTurnOf(owner, () => examine(toolOf(name), args, signal))),
    run: async (name, args, { examined, signal, assertCurrent, ...caller }) => {
      const tool = toolOf(name);
      assertCurrent?.();
      return inTurnOf(ownerOf(caller), () => run(tool, args, examined, signal));
    },
    watch: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      workspace.close();
      for (const listener of listeners) listener();
    },
  };
}

/**
 * Runs a few examinations of each label holder at once: each takes many turns of the event loop, and all of a flood
 * together would make these long for everybody.
 */
function createTurns() {
  const lines = new Map<string, { running: number; readonly waiting: (() => void)[] }>();
  return async <Value>(labelHolder: string | undefined, work: () => Promise<Value>): Promise<Value> => {
    if (labelHolder === undefined) return work();
    const line = lines.get(labelHolder) ?? { running: 0, waiting: [] };
    lines.set(labelHolder, line);
    // Who ends passes its place on.
    if (line.running >= MAX_EXAMINATIONS) await new Promise<void>((resolve) => line.waiting.push(resolve));
    else line.running += 1;
    try {
      return await work();
    } finally {
      const next = line.waiting.shift();
      if (next === undefined) line.running -= 1;
      else next();
      if (line.running === 0) lines.delete(labelHolder);
    }
  };
}

/** Wrong arguments touch nothing: the tool itself reports them better than a fault would. */
async function examine(tool: WorkspaceTool, args: JsonObject, signal?: AbortSignal): Promise<Examination> {
  try {
    return await tool.examine(args, signal);
  } catch (error) {
    if (!isAboutArguments(error)) throw error;
    return { asks: [], targets: [], preview: `${sentencesOf(error)}\n` };
  }
}

/** A tool's errors are for the model; a changed target is for the gate. */
async function run(
  tool: WorkspaceTool,
  args: JsonObject,
  examined: Examination | undefined,
  signal: AbortSignal | undefined,
): Promise<ToolResult> {
  try {
    // Wrong arguments have no examination by the tool.
    const own = examined?.checked === undefined ? undefined : examined;
    return await tool.execute(args, own, signal);
  } catch (error) {
    signal?.throwIfAborted();
    if (SluicegateError.isInstance(error)) {
      if (
        error.code === "invalid-request" ||
        error.code === "not-ready" ||
        error.code === "result-too-large"
      ) {
        return failed(sentencesOf(error));
      }
      throw error;
    }
    return failed(`The tool failed${codeOf(error)}.`);
  }
}

const isAboutArguments = (error: unknown): error is SluicegateError =>
  SluicegateError.isInstance(error) && error.code === "invalid-request";

const sentencesOf = ({ message, why, fix }: SluicegateError): string => `${message} ${why} ${fix}`;

const failed = (text: string): ToolResult => ({ content: [{ type: "text", text }], isError: true });

/** The system's code, such as `ENOSPC`; its message may contain paths. */
const codeOf = (error: unknown): string =>
  error instanceof Error &&
  "code" in error &&
  typeof error.code === "string" &&
  /^[A-Z0-9_]+$/.test(error.code)
    ? ` (\`${error.code}\`)`
    : "";

const toOffered = ({ name, description, inputSchema, permissions }: WorkspaceTool): OfferedTool => ({
  name,
  description,
  inputSchema,
  annotations: {
    readOnlyHint: !permissions.includes("write"),
    openWorldHint: permissions.includes("connect"),
  },
});

const unavailable = (isClosed: boolean): SluicegateError =>
  isClosed
    ? new SluicegateError("upstream-unavailable", "The workspace is closed.", {
        why: "Its program is ending.",
        fix: "Call it again later.",
      })
    : new SluicegateError("not-found", "The workspace has no such tool.", {
        why: "It offers others.",
        fix: "List its tools, and call one of them.",
      });
