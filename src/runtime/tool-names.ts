/** Checks names of tools and servers from a host or an operator, before any call. */
import { isMisspelling, listNames, lookUp, type Policy, quoteName, suggestTool } from "../core/index.ts";
import { SluicegateError } from "../errors/index.ts";

/**
 * Checks a host's tool names. An unknown tool is refused, or needs approval, at each call, which may be intended. If
 * its name resembles one of the policy, the host is warned.
 * @throws SluicegateError `invalid-tool` if such a tool would be refused, and the name is almost certainly misspelt.
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

/**
 * The identity of the tool that a name means. @throws SluicegateError `invalid-tool` if it means none, or several.
 */
export function toIdentity(policy: Policy, name: string): string {
  const { tool, candidates } = lookUp(policy, name);
  if (tool !== null) return tool.id;
  const near = suggestTool(policy, name, new Set());
  const guess = near === undefined ? "" : `; did you mean ${quoteName(near)}?`;
  throw new SluicegateError("invalid-tool", `The tool ${quoteName(name)} can't be found.`, {
    why:
      candidates.length > 0
        ? `The name means ${listNames(candidates)}.`
        : `The policy has no tool of this name${guess || "."}`,
    fix: "Give a name that means one tool, such as its identity `mcp__server__tool`.",
  });
}

/** @throws SluicegateError `invalid-request` for a server that the policy doesn't have. */
export function assertServer(policy: Policy, id: string): void {
  const { declaration, offered } = policy.origin;
  const servers = [...new Set([...Object.keys(declaration.servers ?? {}), ...offered.keys()])];
  if (servers.includes(id)) return;
  throw new SluicegateError("invalid-request", `The server ${quoteName(id)} can't be found.`, {
    why:
      servers.length === 0 ? "The policy has no servers." : `The policy's servers are ${listNames(servers)}.`,
    fix: "Give the id of one of them.",
  });
}
