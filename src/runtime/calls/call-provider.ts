/** A call of a provider in this program, from its decision to its result. */
import { type Call, parseToolId } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import type { ToolProvider, ToolResult } from "../ports/provider.ts";
import type { Outcome, Session } from "../session.ts";
import type { WaitOptions } from "./wait-for-approval.ts";

/**
 * Decides a call and, where it is allowed, has the provider run it whose tool it is, on what was found out about it.
 * The gate needs `facts: examineCalls(providers)`: a provider that looks at its calls runs none that it hasn't seen.
 * @throws SluicegateError `tool-runs-at-agent` for a tool that none of the providers has, `approval-needed` for a call
 * that wasn't looked at, and what a provider throws.
 */
export function callProvider(
  session: Session,
  providers: readonly ToolProvider[],
  call: Call,
  options: WaitOptions = {},
): Promise<Outcome<ToolResult>> {
  return session.call(
    call,
    async (args, { tool: id, examined, fail }) => {
      const { server, tool } = parseToolId(id);
      const provider = providers.find((one) => one.id === server);
      if (provider === undefined) throw nobodyRuns(call.tool);
      if (provider.examine !== undefined && examined === null) throw unexamined(call.tool);
      const result = await provider.run(tool, args, {
        session: session.id,
        ...(examined && { examined }),
        ...(options.signal && { signal: options.signal }),
      });
      if (result.isError) fail();
      return result;
    },
    options,
  );
}

const nobodyRuns = (tool: string): SluicegateError =>
  new SluicegateError("tool-runs-at-agent", "No provider has the tool.", {
    why: "The policy declares it as the agent's own, or for a server that is not among the providers given.",
    fix: "Run it with `session.call`, or give its provider.",
    details: { tool },
  });

const unexamined = (tool: string): SluicegateError =>
  new SluicegateError("approval-needed", "The tool was not run.", {
    why: "Its provider looks at each call before it is decided, and the gate was not given what it found.",
    fix: "Open the gate with `facts: examineCalls(providers)`.",
    details: { tool },
  });
