/**
 * The reasons against each tool that don't depend on the session, by the tool's number: one table for the policy and
 * one per role, so that a decision only looks them up.
 */
import type { RoleRemoval } from "../policy/policy.ts";
import type { Tool } from "../tools/tool.ts";
import { NO_REASONS, type Reason } from "./reason.ts";

/** A policy's settings of tools other than its lists. */
export interface ToolRules {
  readonly unclassified: "withhold" | "ask";
  /** The tools whose definition isn't the accepted one. */
  readonly changed: ReadonlySet<string>;
}

/** The reasons against a tool, in the order in which they are reported. */
export function toRestrictions(
  rules: ToolRules,
  role: string,
  { id, name: tool, classified }: Tool,
  removals: readonly RoleRemoval[],
): readonly Reason[] {
  const withheld = !classified && rules.unclassified === "withhold";
  const changed = rules.changed.has(id);
  if (!withheld && !changed && removals.length === 0) return NO_REASONS;
  const reasons: Reason[] = [];
  if (withheld) reasons.push({ code: "unclassified-tool", tool });
  if (changed) reasons.push({ code: "definition-changed", tool });
  for (const code of removals) {
    reasons.push(code === "not-in-tool-set" ? { code, tool, role } : { code, tool });
  }
  for (const reason of reasons) Object.freeze(reason);
  return Object.freeze(reasons);
}

const NO_REMOVALS: readonly RoleRemoval[] = Object.freeze([]);

/** The reasons against each tool, by its number. Read-only. */
export class ToolRestrictions {
  readonly #reasons: (readonly Reason[])[];

  constructor(
    rules: ToolRules,
    role: string,
    tools: ReadonlyMap<string, Tool>,
    removed: ReadonlyMap<string, readonly RoleRemoval[]>,
  ) {
    this.#reasons = Array.from(tools.values(), (tool) =>
      toRestrictions(rules, role, tool, removed.get(tool.id) ?? NO_REMOVALS),
    );
    Object.freeze(this);
  }

  at(number: number): readonly Reason[] {
    return this.#reasons[number] ?? NO_REASONS;
  }
}
