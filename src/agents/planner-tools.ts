/** The tools of a planner: the AI SDK's own, and providers of the gate. */
import type { ToolSet } from "ai";
import { guard } from "../adapters/ai-sdk.ts";
import { listNames } from "../core/index.ts";
import { SluicegateError } from "../errors/index.ts";
import { currentSession, REPORT_IMPOSSIBLE, type Session, type ToolProvider } from "../runtime/index.ts";
import { CHECK_PLAN } from "./plan-step.ts";
import { toAiTools } from "./provider-tools.ts";

/** Tools of the AI SDK by name, providers of the gate, or several of both. */
export type PlannerTools = ToolSet | ToolProvider | readonly (ToolSet | ToolProvider)[];

/** All that a planner can run, whoever sees it. */
export interface Toolbox {
  readonly own: ToolSet;
  readonly providers: readonly ToolProvider[];
}

/** Names of the planner's own tools. */
const RESERVED: readonly string[] = [REPORT_IMPOSSIBLE.name, CHECK_PLAN];

/**
 * Sorts the tools of a planner.
 * @throws SluicegateError `invalid-tool` for tools that can't be guarded, that ask for approval themselves, or whose
 *   name is taken.
 */
export function toToolbox(given: PlannerTools): Toolbox {
  const list: readonly (ToolSet | ToolProvider)[] = isList(given) ? given : [given];
  const sets = list.filter((one): one is ToolSet => !isProvider(one));
  const entries = sets.flatMap((set) => Object.entries(set));
  const own: ToolSet = Object.fromEntries(entries);
  const twice = entries.map(([name]) => name).filter((name, index, names) => names.indexOf(name) !== index);
  const taken = [...twice, ...Object.keys(own).filter((name) => RESERVED.includes(name))];
  if (taken.length > 0)
    throw invalid(
      taken,
      "Each tool needs a name of its own, and the planner has some already.",
      "Rename them.",
    );
  const asking = entries.filter(([, tool]) => tool.needsApproval !== undefined).map(([name]) => name);
  if (asking.length > 0)
    throw invalid(
      asking,
      "They decide by themselves when a person is asked, and nobody could tell whose yes that was.",
      "Say `approval` in the policy, and leave `needsApproval` out.",
    );
  // Reports tools that can't be guarded now, not at the first run.
  guard(currentSession, own);
  return { own, providers: list.filter(isProvider) };
}

/** The tools among these that a view of a session sees, by the names for the model, to be guarded. */
export async function toolsFor({ own, providers }: Toolbox, view: Session): Promise<ToolSet> {
  const seen = Object.entries(own).filter(([name]) => view.tool(name) !== null);
  const tools = new Map(seen);
  for (const [name, tool] of await toAiTools(
    providers,
    view,
    (name) => tools.has(name) || RESERVED.includes(name),
  ))
    tools.set(name, tool);
  return Object.fromEntries(tools);
}

const isList = (given: PlannerTools): given is readonly (ToolSet | ToolProvider)[] => Array.isArray(given);

const isProvider = (one: ToolSet | ToolProvider): one is ToolProvider =>
  typeof one.id === "string" && one.tools instanceof Map && typeof one.run === "function";

const invalid = (tools: readonly string[], why: string, fix: string): SluicegateError =>
  new SluicegateError("invalid-tool", `A planner can't have ${listNames([...new Set(tools)])}.`, {
    why,
    fix,
    details: { tools },
  });
