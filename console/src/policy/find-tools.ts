/** The tools of a policy that fit a few words, and what is said of them in plain words. */
import type { Schema } from "../api/client.ts";

export type PolicyTool = Schema<"Policy">["tools"][number];

/** What the policy's rules say of a tool that they take from everybody. */
const REMOVALS: ReadonlyMap<string, string> = new Map([
  ["denied-by-policy", "denied by the rules"],
  ["missing-tag", "lacks a tag that the rules ask for"],
]);

const CLASSES: Readonly<Record<PolicyTool["sensitivity"], string>> = {
  internal_source: "brings internal data in",
  external: "reaches the outside",
  both: "brings internal data in, reaches the outside",
  neutral: "neither brings in nor reaches out",
};

export interface Mark {
  readonly kind: "changed" | "unclassified" | "removed";
  readonly text: string;
}

/** What stands out about a tool: why it is withheld, or taken away. */
export function marksOf({ changed, classified, removed }: PolicyTool): readonly Mark[] {
  return [
    ...(changed ? [{ kind: "changed", text: "changed, withheld" } as const] : []),
    ...(classified ? [] : [{ kind: "unclassified", text: "unclassified" } as const]),
    ...removed.map((code) => ({ kind: "removed", text: REMOVALS.get(code) ?? code }) as const),
  ];
}

export const classOf = ({ sensitivity }: PolicyTool): string => CLASSES[sensitivity];

/** When a person is asked, in a word. */
export function asksOf({ approval }: PolicyTool): string {
  return approval === "condition" ? "where" : approval;
}

/** Those in which each word stands somewhere: in a name, a tag, a label, or what is said of the tool. */
export function findTools(tools: readonly PolicyTool[], find: string): readonly PolicyTool[] {
  const words = find.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return tools;
  return tools.filter((tool) => {
    const text = textOf(tool);
    return words.every((word) => text.includes(word));
  });
}

function textOf(tool: PolicyTool): string {
  const { source, clearances } = tool;
  const labels = [...(source ? [source] : []), ...(clearances ?? [])];
  return [
    tool.name,
    tool.tool,
    tool.server ?? "own",
    ...tool.tags,
    ...tool.permissions,
    ...labels.flatMap(({ level, categories, trust }) => [level, ...categories, trust]),
    ...marksOf(tool).map(({ text }) => text),
    ...(tool.approval === "never" ? [] : [`asks ${tool.approval}`, tool.when ?? ""]),
    classOf(tool),
  ]
    .join("\n")
    .toLowerCase();
}
