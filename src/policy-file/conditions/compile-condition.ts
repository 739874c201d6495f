/** A condition's text to a function, or to what is wrong with it. */
import type { ASTNode, Environment } from "@marcbachmann/cel-js";
import type { ApprovalCondition } from "../../core/index.ts";
import { quote } from "../document/quote.ts";
import type { ConditionProblem, KnownNames } from "./find-name-problems.ts";
import { type ConditionNames, findNames, findProblems } from "./find-problems.ts";
import { Meter, UNCLEAR } from "./meter.ts";
import { toStep } from "./to-step.ts";
import { wordParserError } from "./word-parser-error.ts";

const MAX_CONDITION_LENGTH = 2000;

export type CompiledCondition =
  | { readonly condition: ApprovalCondition; readonly names: ConditionNames }
  | { readonly problems: readonly ConditionProblem[] };

export function compileCondition(
  environment: Environment,
  text: string,
  known: KnownNames,
): CompiledCondition {
  if (text.length > MAX_CONDITION_LENGTH) {
    const message = `A condition has at most ${MAX_CONDITION_LENGTH} characters, and this one has ${text.length}.`;
    return { problems: [{ offset: 0, message }] };
  }
  try {
    const parsed = environment.parse(text);
    const problems = findProblems(parsed.ast, known);
    if (problems.length > 0) return { problems };
    const { valid, type, error } = parsed.check();
    if (!valid) return { problems: [wordParserError(error, text)] };
    const names = findNames(parsed.ast);
    const problem = problemOfResult(type ?? "dyn", names);
    return problem === null ? { condition: toCondition(text, parsed.ast), names } : { problems: [problem] };
  } catch (error) {
    return { problems: [wordParserError(error, text)] };
  }
}

function problemOfResult(type: string, { roots }: ConditionNames): ConditionProblem | null {
  const offset = 0;
  if (type !== "bool" && type !== "dyn") {
    const message = `The condition is neither true nor false, but of the type ${quote(type)}.`;
    return { offset, message, fix: "Compare it with something, such as `args.amount > 100`." };
  }
  if (roots.size > 0) return null;
  const message = "The condition is the same for every call: it names neither `args`, `tool` nor `session`.";
  return {
    offset,
    message,
    fix: "Name what it depends on. An `approval` may be `always` or `never` as well.",
  };
}

function toCondition(when: string, node: ASTNode): ApprovalCondition {
  const step = toStep(node);
  return Object.freeze({
    when,
    holds: (facts, shared) => {
      const result = step({ facts, meter: new Meter(shared), items: [] });
      if (typeof result === "boolean") return result;
      throw UNCLEAR;
    },
  } satisfies ApprovalCondition);
}
