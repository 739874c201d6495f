/**
 * Which tools one run sees: those that its host names, reduced by the host's visibility policy, which is called once
 * per run.
 */
import { isLeft, type Policy, type Tool, type ToolPolicy, toLimit } from "../core/index.ts";
import { SluicegateError } from "../errors/index.ts";
import type { Grant } from "./grant.ts";

/** Chooses the tools of one run. Its result is matched by identity or name, and can't add any. */
export interface ToolVisibilityPolicy<Context = unknown> {
  visibleTools(
    tools: readonly Tool[],
    context: Context,
  ): Iterable<Tool | string> | Promise<Iterable<Tool | string>>;
}

export interface RunOptions<Context> {
  /** Names of tools; the run sees only these. Left out: all that this view sees. */
  readonly tools?: Iterable<string>;
  /** Each removes tools from the run. */
  readonly toolPolicies?: readonly ToolPolicy[];
  readonly visibility?: ToolVisibilityPolicy<Context>;
  readonly context?: Context;
  readonly permissions?: Grant;
}

/** The view that a run narrows. */
interface View {
  readonly tools: readonly Tool[];
  tool(name: string): Tool | null;
}

/** The tools that a run sees; undefined if it sees all of the view's. */
export async function visibleInRun<Context>(
  { names }: Policy,
  view: View,
  { tools, toolPolicies = [], visibility, context }: RunOptions<Context>,
): Promise<ReadonlySet<string> | undefined> {
  if (tools === undefined && toolPolicies.length === 0 && !visibility) return undefined;
  const named = tools && [...new Set(tools)].flatMap((name) => view.tool(name) ?? []);
  const limits = toolPolicies.map(toLimit);
  const left = (named ?? view.tools).filter((tool) => isLeft(limits, tool, names));
  // The caller chooses the context's type; without a context it is undefined.
  if (visibility) return chooseVisible(visibility, left, context as Context);
  return new Set(left.map(({ id }) => id));
}

/**
 * The tools that a visibility policy chooses, by identity.
 * @throws SluicegateError `visibility-failed` if the policy throws: then the run doesn't start.
 */
async function chooseVisible<Context>(
  policy: ToolVisibilityPolicy<Context>,
  tools: readonly Tool[],
  context: Context,
): Promise<ReadonlySet<string>> {
  // INVARIANT: the policy gets a frozen copy, so it can't add anything to what is filtered.
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
