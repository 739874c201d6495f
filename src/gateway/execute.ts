/** One call through the gate and on to its provider; the same for REST and for MCP. */
import { decide, parseToolId } from "../core/index.ts";
import { SluicegateError } from "../errors/index.ts";
import type { CallDecision, Gate, Session, ToolResult } from "../session/index.ts";
import type { Catalog } from "./catalog.ts";

export interface Execution {
  readonly decision: CallDecision;
  /** What came back, where the call ran. */
  readonly result?: ToolResult;
  /** Why nothing came back, where the call was admitted and failed on its way. */
  readonly error?: SluicegateError;
}

export interface ExecuteOptions {
  readonly signal?: AbortSignal;
}

/**
 * Decides a call and, where it is allowed, runs it at its provider.
 * @throws SluicegateError `tool-runs-at-agent` for a tool that the agent runs itself; nothing is recorded then.
 */
export async function execute(
  gate: Gate,
  catalog: Catalog,
  session: Session,
  call: { readonly tool: string; readonly arguments: Readonly<Record<string, unknown>> },
  options: ExecuteOptions = {},
): Promise<Execution> {
  assertRunsHere(gate, session, call.tool);
  let error: SluicegateError | undefined;
  const outcome = await session.call(call, async (args, { tool: id, fail }) => {
    // THREAT: servers change their lists at any moment, so the name may mean another tool by now than was decided on.
    const { server, tool } = parseToolId(id);
    const provider = catalog.provider(server);
    if (provider === undefined) throw gone(call.tool);
    try {
      const result = await provider.run(tool, args, options);
      if (result.isError) fail();
      return result;
    } catch (cause) {
      if (!SluicegateError.isInstance(cause)) throw cause;
      fail();
      error = cause;
      return undefined;
    }
  });
  if (outcome.effect !== "allow") return { decision: outcome };
  const { result, ...decision } = outcome;
  return { decision, ...(result && { result }), ...(error && { error }) };
}

/** A tool that this session can't see stays unknown here too: the gate refuses it, and records that. */
function assertRunsHere(gate: Gate, session: Session, name: string): void {
  const { tool, reasons } = decide(gate.policy, session.state, { tool: name });
  const seen = tool !== null && !reasons.some(({ code }) => code === "hidden");
  if (!seen || tool.server !== null) return;
  throw new SluicegateError("tool-runs-at-agent", "The agent runs this tool itself.", {
    why: "The policy declares it as the agent's own, so no server here has it.",
    fix: "Ask for a decision (`POST …/decide`), run the tool, then tell how it ended (`POST …/report`).",
  });
}

const gone = (tool: string): SluicegateError =>
  new SluicegateError("upstream-unavailable", "The tool's server went away.", {
    why: "It stopped offering the tool between the decision and the call.",
    fix: "Look at the manifest again.",
    details: { tool },
  });
