/** The parser's and the type checker's objections in our words. */
import { quote } from "../document/quote.ts";
import type { ConditionProblem } from "./find-name-problems.ts";

export function wordParserError(error: unknown, text: string): ConditionProblem {
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
