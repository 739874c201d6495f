/** For the tests of conditions: what is wrong with one, and what one says of a call. */
import type { ConditionFacts } from "../../core/index.ts";
import { loadConditionCompiler } from "../conditions/compile-condition.ts";

const compile = await loadConditionCompiler();

const named = (...names: readonly string[]): ReadonlyMap<string, string> =>
  new Map(names.map((name) => [name, name]));

const KNOWN = {
  levels: named("public", "internal", "confidential", "secret"),
  trust: named("untrusted", "trusted"),
  categories: named("hr", "legal"),
  roles: named("clerk"),
  serverIds: ["mail"],
  // A tool that the agent runs itself.
  tools: [{ id: "mail__own" }],
};

export const compiled = (text: string) => compile(text, KNOWN);

/** Each problem as `offset: message fix`. */
export function conditionProblems(text: string): readonly string[] {
  const result = compiled(text);
  if ("condition" in result) return [];
  return result.problems.map(({ offset, message, fix }) =>
    [`${offset}:`, message, ...(fix === undefined ? [] : [fix])].join(" "),
  );
}

export const factsWith = (
  args: Readonly<Record<string, unknown>>,
  session: Partial<ConditionFacts["session"]> = {},
): ConditionFacts => ({
  args,
  tool: { name: "pay", server: null, tags: ["money"], permissions: ["write"] },
  session: {
    level: "internal",
    categories: ["hr"],
    trust: "trusted",
    principal: "ada",
    role: null,
    ...session,
  },
});

/** What a condition says of a call, as a decision takes it. */
export function said(
  text: string,
  args: Readonly<Record<string, unknown>>,
  session: Partial<ConditionFacts["session"]> = {},
): boolean | "unclear" {
  const result = compiled(text);
  if ("problems" in result) throw new Error(`${text}: ${result.problems[0]?.message}`);
  try {
    return result.condition.holds(factsWith(args, session));
  } catch {
    return "unclear";
  }
}
