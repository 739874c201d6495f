/** JSON from the command line and from files, read into what the core takes. */
import type { PlannedCall } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import { parseJson } from "../../json/parse-json.ts";

type Plain = Readonly<Record<string, unknown>>;

/**
 * A call's arguments.
 * @throws SluicegateError `malformed-json` for text that is no JSON, `usage` for JSON that is no object.
 */
export function parseArguments(text: string): Plain {
  const value = parse(text, "`--args`");
  if (isPlain(value)) return value;
  throw new SluicegateError("usage", "`--args` is not a JSON object.", {
    why: "A tool's arguments have names, and this JSON is a list or a single value.",
    fix: `Write an object, such as \`--args '{"query":"q3"}'\`.`,
  });
}

/**
 * A plan: a JSON list of tool names and of `{ id, tool, arguments, after }`.
 * @throws SluicegateError `malformed-json` for text that is no JSON, `usage` for JSON that is no plan.
 */
export function parseSteps(text: string): readonly PlannedCall[] {
  const value = parse(text, "The list of `--steps`");
  if (!Array.isArray(value)) throw wrongStep("The plan is not a JSON list.");
  const steps: readonly unknown[] = value;
  return steps.map(toPlannedCall);
}

function parse(text: string, what: string): unknown {
  try {
    return parseJson(text);
  } catch (cause) {
    throw new SluicegateError("malformed-json", `${what} can't be read as JSON.`, {
      why: cause instanceof Error ? `${cause.message}.` : "It is malformed.",
      fix: "Check quotes and commas; on a shell, put the JSON in single quotes.",
      cause,
    });
  }
}

const isPlain = (value: unknown): value is Plain =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

const STEP_KEYS: ReadonlySet<string> = new Set(["id", "tool", "arguments", "after"]);

function toPlannedCall(value: unknown, step: number): PlannedCall {
  if (typeof value === "string") return value;
  if (!isPlain(value)) throw wrongStep(`Step ${step} is neither a tool's name nor an object.`);
  const unknownKey = Object.keys(value).find((key) => !STEP_KEYS.has(key));
  if (unknownKey !== undefined) throw wrongStep(`Step ${step} has the unknown key \`${unknownKey}\`.`);
  const { id, tool, arguments: args, after } = value;
  if (typeof tool !== "string") throw wrongStep(`Step ${step} names no \`tool\`.`);
  if (id !== undefined && typeof id !== "string") throw wrongStep(`The \`id\` of step ${step} is no text.`);
  if (args !== undefined && !isPlain(args))
    throw wrongStep(`The \`arguments\` of step ${step} are no object.`);
  if (after !== undefined && !isTextList(after))
    throw wrongStep(`The \`after\` of step ${step} isn't a list of ids.`);
  return {
    tool,
    ...(id !== undefined && { id }),
    ...(args !== undefined && { arguments: args }),
    ...(after !== undefined && { after }),
  };
}

const wrongStep = (message: string): SluicegateError =>
  new SluicegateError("usage", message, {
    why: "A plan is a list of steps, counted from 0, and each says which tool it calls.",
    fix: `Write it as \`["search_docs", { "id": "post", "tool": "slack_post", "after": ["read"] }]\`.`,
  });
