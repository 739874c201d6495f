/** The compiler of conditions: a text to a function, or to what is wrong with it. */
import type { ASTNode, Environment } from "@marcbachmann/cel-js";
import type { ApprovalCondition } from "../../core/index.ts";
import { quote } from "../document/quote.ts";
import type { ConditionProblem, KnownNames } from "./find-name-problems.ts";
import { type ConditionNames, findNames, findProblems } from "./find-problems.ts";
import { OWN_FUNCTIONS } from "./functions.ts";
import { Meter, UNCLEAR } from "./scope.ts";
import { toStep } from "./to-step.ts";

export type ConditionCompiler = (text: string, known: KnownNames) => CompiledCondition;

let environment: Promise<Environment> | undefined;

/** Its parser is loaded when the first policy with a condition is. */
export async function loadConditionCompiler(): Promise<ConditionCompiler> {
  environment ??= createEnvironment();
  const loaded = await environment;
  return (text, known) => compileCondition(loaded, text, known);
}

async function createEnvironment(): Promise<Environment> {
  const cel = await import("@marcbachmann/cel-js");
  // What a field may be beforehand; `tool.server` and `session.role` may be null as well.
  const environment = new cel.Environment({ limits: { maxDepth: 60, maxAstNodes: 2000 } })
    .registerVariable("args", "map<string, dyn>")
    .registerVariable({
      name: "tool",
      schema: { name: "string", server: "dyn", tags: "list<string>", permissions: "list<string>" },
    })
    .registerVariable({
      name: "session",
      schema: {
        level: "string",
        categories: "list<string>",
        trust: "string",
        principal: "string",
        role: "dyn",
      },
    });
  // Conditions are evaluated by our own code; the parser needs their types alone.
  for (const signature of OWN_FUNCTIONS) environment.registerFunction(signature, () => false);
  return environment;
}

const MAX_CONDITION_LENGTH = 2000;

type CompiledCondition =
  | { readonly condition: ApprovalCondition; readonly names: ConditionNames }
  | { readonly problems: readonly ConditionProblem[] };

function compileCondition(environment: Environment, text: string, known: KnownNames): CompiledCondition {
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

/** The parser's and the type checker's objections in our words. */
function wordParserError(error: unknown, text: string): ConditionProblem {
  if (!(error instanceof Error)) return { offset: 0, message: "The condition can't be read." };
  const { code, range, summary } = detailsOf(error);
  const offset = Math.min(range.start, text.length);
  return { offset, ...wordingOf(code, text.slice(range.start, range.end), summary, text) };
}

interface Details {
  readonly code: string;
  readonly range: { readonly start: number; readonly end: number };
  readonly summary: string;
}

function detailsOf(error: Error): Details {
  const range: unknown = Reflect.get(error, "range");
  const number = (key: string): number => {
    const value: unknown = typeof range === "object" && range !== null ? Reflect.get(range, key) : 0;
    return typeof value === "number" ? value : 0;
  };
  const summary: unknown = Reflect.get(error, "summary");
  return {
    code: String(Reflect.get(error, "code")),
    range: { start: number("start"), end: number("end") },
    summary: typeof summary === "string" ? summary : error.message,
  };
}

/** What people write where CEL has a sign. */
const SIGNS: ReadonlyMap<string, string> = new Map([
  ["and", "&&"],
  ["AND", "&&"],
  ["or", "||"],
  ["OR", "||"],
  ["not", "!"],
  ["=", "=="],
  ["&", "&&"],
  ["|", "||"],
]);

type Wording = Omit<ConditionProblem, "offset">;

function wordingOf(code: string, part: string, summary: string, text: string): Wording {
  if (code === "limit_exceeded") return { message: "The condition is nested too deeply." };
  if (code === "invalid_macro_argument" && summary.startsWith("has("))
    return { message: "`has` takes a field, such as `has(args.amount)`." };
  if (code === "unterminated_string") return { message: "A quote in the condition is left open." };
  if (code.startsWith("unexpected") || code === "expected_token") {
    if (part === "" || summary.endsWith("EOF"))
      return { message: "The condition ends where something is missing." };
    const sign = SIGNS.get(part);
    const message = `The condition can't be read at ${quote(part)}`;
    return { message: sign === undefined ? `${message}.` : `${message}; did you mean ${quote(sign)}?` };
  }
  if (code === "no_such_overload" || code === "no_matching_overload") {
    const [, types = summary] = summary.split(/: | for /);
    const message = `${quote(part || text)} can't be determined: there is no ${quote(types.replaceAll("'", ""))}.`;
    return { message };
  }
  return { message: `The condition can't be used: ${summary.replace(/[.\s]+$/, "")}.` };
}
