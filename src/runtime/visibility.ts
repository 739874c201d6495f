/** Which tools one run sees: a policy of the host's, asked once per run, that can only narrow. */
import type { Tool } from "../core/index.ts";
import { SluicegateError } from "../errors/index.ts";

/** Chooses the tools of one run. What it returns is matched by identity or by name; it can't add any. */
export interface ToolVisibilityPolicy<Context = unknown> {
  visibleTools(
    tools: readonly Tool[],
    context: Context,
  ): Iterable<Tool | string> | Promise<Iterable<Tool | string>>;
}

/**
 * The identities that a run sees.
 * @throws SluicegateError `visibility-failed` where the policy throws: a run without an answer doesn't start.
 */
export async function chooseVisible<Context>(
  policy: ToolVisibilityPolicy<Context>,
  tools: readonly Tool[],
  context: Context,
): Promise<ReadonlySet<string>> {
  // INVARIANT: what the policy is given is a copy that it can't change, so nothing can be added to what is filtered.
  const shown = Object.freeze([...tools]);
  try {
    const chosen = new Set<string>();
    for (const tool of await policy.visibleTools(shown, context))
      chosen.add(typeof tool === "string" ? tool : tool.id);
    return new Set(shown.filter(({ id, name }) => chosen.has(id) || chosen.has(name)).map(({ id }) => id));
  } catch (cause) {
    throw new SluicegateError("visibility-failed", "The run can't start.", {
      why: "Its visibility policy threw instead of choosing tools.",
      fix: "Fix the policy; nothing was run.",
      cause,
    });
  }
}
