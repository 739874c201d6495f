/** How a model is told that its call ran with other arguments than it gave, since a person changed them. */
import { describeEdit, type EditedCall } from "../runtime/index.ts";

interface Ran<Result> {
  readonly result: Result;
  readonly edited?: EditedCall;
}

/** A result with that before its text, where it has one: a text, or content as MCP and messages have it. */
export function withEditNote<Result>({ result, edited }: Ran<Result>): Result {
  if (edited === undefined) return result;
  const note = describeEdit(edited);
  // It stays what it was: a text, or an object of the same kind with more content.
  if (typeof result === "string") return `${note}\n${result}` as Result;
  if (typeof result !== "object" || result === null || !("content" in result)) return result;
  const { content } = result;
  if (typeof content === "string") return copyOf(result, `${note}\n${content}`);
  return Array.isArray(content) ? copyOf(result, [{ type: "text", text: note }, ...content]) : result;
}

const copyOf = <Result extends object>(result: Result, content: unknown): Result =>
  Object.assign(Object.create(Object.getPrototypeOf(result)), result, { content });
