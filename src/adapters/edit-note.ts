/** Tells a model that its call ran with other arguments, because a person changed them. */
import { describeEdit, type EditedCall } from "../runtime/index.ts";

interface Ran<Result> {
  readonly result: Result;
  readonly edited?: EditedCall;
}

/** A result with the note before its text, if it has one: a text, or content of MCP or a message. */
export function withEditNote<Result>({ result, edited }: Ran<Result>): Result {
  if (edited === undefined) return result;
  const note = describeEdit(edited);
  // The type stays the same: a text, or an object with more content.
  if (typeof result === "string") return `${note}\n${result}` as Result;
  if (typeof result !== "object" || result === null || !("content" in result)) return result;
  const { content } = result;
  if (typeof content === "string") return copyOf(result, `${note}\n${content}`);
  return Array.isArray(content) ? copyOf(result, [{ type: "text", text: note }, ...content]) : result;
}

const copyOf = <Result extends object>(result: Result, content: unknown): Result =>
  Object.assign(Object.create(Object.getPrototypeOf(result)), result, { content });
