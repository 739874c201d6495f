/** Checks the names that a condition compares the session's with, and that it doesn't take their order for an alphabet's. */
import type { ASTNode } from "@marcbachmann/cel-js";
import { PERMISSIONS, parseToolId, toToolId } from "../../core/index.ts";
import { didYouMean, quote, quoteAll } from "../document/quote.ts";
import type { Declared, DeclaredNames, DeclaredTool } from "../sections/declared.ts";

/** Something wrong with a condition. */
export interface ConditionProblem {
  /** Where in its text, in UTF-16 units. */
  readonly offset: number;
  readonly message: string;
  readonly fix?: string;
}

/** The names that a policy declares. */
export interface KnownNames extends Pick<Declared, "serverIds"> {
  readonly tools: readonly Pick<DeclaredTool, "id">[];
  readonly levels: DeclaredNames;
  readonly trust: DeclaredNames;
  readonly categories: DeclaredNames;
  readonly roles: DeclaredNames;
}

/** A text that a field of `session` or `tool` is compared with. */
export interface Comparison {
  readonly root: string;
  readonly field: string;
  readonly text: string;
  /** Where the text stands in the condition. */
  readonly offset: number;
}

export function findNameProblems(node: ASTNode, known: KnownNames): readonly ConditionProblem[] {
  if (node.op === "<" || node.op === "<=" || node.op === ">" || node.op === ">=") {
    return node.args.some((side) => isOrdered(side)) ? [ordered(node.start)] : [];
  }
  return comparisonsIn(node).flatMap((comparison) => problemOf(comparison, known) ?? []);
}

/** The texts that a part of a condition, but none of its own parts, compares with a field. */
export function comparisonsIn(node: ASTNode): readonly Comparison[] {
  if (node.op !== "==" && node.op !== "!=" && node.op !== "in") return [];
  return [node.args, node.args.toReversed()].flatMap(([side, other]) => {
    const named = side && fieldOf(side);
    return named && other ? textsOf(other).map((text) => ({ ...named, ...text })) : [];
  });
}

const fieldOf = (node: ASTNode): Pick<Comparison, "root" | "field"> | null =>
  node.op === "." && node.args[0].op === "id" ? { root: node.args[0].args, field: node.args[1] } : null;

function isOrdered(node: ASTNode): boolean {
  const { root, field } = fieldOf(node) ?? {};
  return root === "session" && (field === "level" || field === "trust");
}

const ordered = (offset: number): ConditionProblem => ({
  offset,
  message: "`<` and `>` would compare the letters of a level, not how high it is.",
  fix: 'Name the levels that are meant: `session.level in ["confidential", "secret"]`.',
});

const PERMISSION_NAMES: DeclaredNames = new Map(PERMISSIONS.map((name) => [name, name]));

function problemOf({ root, field, ...text }: Comparison, known: KnownNames): ConditionProblem | null {
  switch (`${root}.${field}`) {
    case "session.level":
      return unknownName(text, "level", known.levels);
    case "session.trust":
      return unknownName(text, "trust level", known.trust);
    case "session.categories":
      return unknownName(text, "category", known.categories);
    case "session.role":
      return unknownName(text, "role", known.roles);
    case "tool.permissions":
      return unknownName(text, "permission", PERMISSION_NAMES);
    case "tool.name":
      return nameWithServer(text, known);
    default:
      return null;
  }
}

type Text = Pick<Comparison, "text" | "offset">;

function textsOf(node: ASTNode): readonly Text[] {
  if (node.op === "list") return node.args.flatMap(textsOf);
  return node.op === "value" && typeof node.args === "string"
    ? [{ text: node.args, offset: node.start }]
    : [];
}

function unknownName({ text, offset }: Text, noun: string, names: DeclaredNames): ConditionProblem | null {
  if (names === undefined || names.has(text)) return null;
  const known = [...names.values()];
  const end = didYouMean(text, known);
  const fix = known.length === 0 ? "None is declared." : `There are ${quoteAll(known)}.`;
  return { offset, message: `Unknown ${noun} ${quote(text)}${end}`, ...(end === "." && { fix }) };
}

/** A tool's identity, or its name after its server's: such a comparison would never hold. */
function nameWithServer({ text, offset }: Text, { tools, serverIds }: KnownNames): ConditionProblem | null {
  if (tools.some(({ id }) => id === text && parseToolId(id).server === null)) return null;
  const short = serverIds.find((id) => text.startsWith(`${id}__`));
  const { server, tool } = parseToolId(
    short === undefined ? text : toToolId(short, text.slice(short.length + 2)),
  );
  if (server === null) return null;
  return {
    offset,
    message: `\`tool.name\` is a tool's own name without its server's, so it is never ${quote(text)}.`,
    fix: `Write \`tool.server == "${server}" && tool.name == "${tool}"\`.`,
  };
}
