/** The names under which a host guards its tools, before any of them is called. */
import { isMisspelling, type Policy, quoteName, suggestTool } from "../core/index.ts";
import { SluicegateError } from "../errors/index.ts";

/**
 * A tool that the policy doesn't know is refused or asked for at each call, which may be what its host wants. Of a name
 * that resembles the policy's the host is warned.
 * @throws SluicegateError `invalid-tool` where such a tool is refused, and the name is almost certainly misspelt.
 */
export function assertToolNames(
  policy: Policy,
  names: readonly string[],
  warn: (problem: SluicegateError) => void,
): void {
  const guarded = new Set(names);
  for (const name of names) {
    const near = suggestTool(policy, name, guarded);
    if (near === undefined) continue;
    const isRefused = policy.unclassified === "withhold" && isMisspelling(name, near);
    const problem = misspelt(name, near, isRefused);
    if (isRefused) throw problem;
    warn(problem);
  }
}

const misspelt = (tool: string, near: string, isRefused: boolean): SluicegateError =>
  new SluicegateError(
    "invalid-tool",
    isRefused
      ? `Tool ${quoteName(tool)} can't be guarded.`
      : `Tool ${quoteName(tool)} is guarded, and may be misspelt.`,
    {
      why: `The policy has no tool of this name; did you mean ${quoteName(near)}?`,
      fix: "Give the tool the name that the policy has, or declare this one there.",
      details: { tool, near },
    },
  );
