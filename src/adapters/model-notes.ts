/** Notes for a model: what calling a tool would block in this session now, and that its call ran with an edit. */
import { consequencesOf, shortConsequence, type Tool } from "../core/index.ts";
import { describeEdit, type EditedCall, type Session, type ToolListing } from "../runtime/index.ts";

/** One listing is shared by all that see the same tools under the same label. */
const known = new WeakMap<ToolListing, ReadonlyMap<string, readonly Tool[]>>();

/** A tool's description for this session now; the same words as over MCP. */
export function describeFor(session: Session, name: string, description = ""): string {
  const tool = session.tool(name);
  if (tool === null) return description;
  const cost = shortConsequence(session.state, tool, shutBy(session).get(tool.id) ?? []);
  return cost === null ? description : `${description}\n\n[Sluicegate] ${cost}`.trim();
}

function shutBy(session: Session): ReadonlyMap<string, readonly Tool[]> {
  const catalogue = session.listing();
  const told = known.get(catalogue) ?? consequencesOf(session.state, catalogue.tools);
  known.set(catalogue, told);
  return told;
}

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
