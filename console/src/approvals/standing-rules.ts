/** The rules for the arguments of similar calls, as edited and as sent. */
import type { Approval, StandingRequest } from "../api/queries.ts";

export type RuleKind = "same" | "one-of" | "prefix" | "at-most" | "any";

type Rules = NonNullable<StandingRequest["arguments"]>;

export interface RuleRow {
  readonly name: string;
  /** The possible kinds of rules. */
  readonly kinds: readonly RuleKind[];
  readonly kind: RuleKind;
  /** The text for a kind that needs one. */
  readonly text: string;
  readonly value: unknown;
}

/** Longer texts aren't addresses or paths, and nobody types them again. */
const MAX_TYPED = 300;

/** A row for each argument; each keeps its value. */
export const rowsOf = ({
  arguments: args,
  folded,
}: Pick<Approval, "arguments" | "folded">): readonly RuleRow[] =>
  Object.entries(args).map(([name, value]) => {
    const pointer = `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    const isCut = folded.some(
      (one) => one.part === "arguments" && `${one.pointer}/`.startsWith(`${pointer}/`),
    );
    return { name, value, kinds: isCut ? ["same", "any"] : kindsOf(value), kind: "same", text: "" };
  });

function kindsOf(value: unknown): readonly RuleKind[] {
  if (typeof value === "number") return ["same", "one-of", "at-most", "any"];
  if (typeof value !== "string" || value.length > MAX_TYPED || /[\r\n]/.test(value)) return ["same", "any"];
  return folderOf(value) === null ? ["same", "one-of", "any"] : ["same", "one-of", "prefix", "any"];
}

/** The host of an address, or the folder of a path; null for other texts. */
export function folderOf(value: string): string | null {
  const [host] = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s]+/i.exec(value) ?? [];
  if (host !== undefined) return host;
  const end = value.lastIndexOf("/");
  return end > 0 && !/\s/.test(value) ? value.slice(0, end) : null;
}

/** The row with another kind, and a likely value. */
export function toKind(row: RuleRow, kind: RuleKind): RuleRow {
  if (kind === "prefix") return { ...row, kind, text: folderOf(String(row.value)) ?? "" };
  return { ...row, kind, text: kind === "one-of" || kind === "at-most" ? String(row.value) : "" };
}

/** What is sent; or what must be typed first. */
export function toRules(rows: readonly RuleRow[]): { readonly rules: Rules } | { readonly problem: string } {
  const rules: Rules = Object.create(null);
  for (const row of rows) {
    const rule = toRule(row);
    if (typeof rule === "string") return { problem: rule };
    // An argument without a rule must have this call's value.
    if (rule !== null) rules[row.name] = rule;
  }
  return { rules };
}

function toRule({ name, kind, text, value }: RuleRow): Rules[string] | string | null {
  if (kind === "same") return null;
  if (kind === "any") return { any: true };
  if (kind === "prefix") return text === "" ? `Name a folder or an address for ${name}.` : { prefix: text };
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (lines.length === 0) return `Write what ${name} may be.`;
  if (typeof value !== "number") return { one_of: lines };
  const numbers = lines.map(Number);
  if (!numbers.every(Number.isFinite)) return `Write a number for ${name}.`;
  return kind === "at-most" ? { at_most: numbers[0] ?? 0 } : { one_of: numbers };
}
