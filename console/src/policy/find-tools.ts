/** Finds the tools of a policy by words, and describes them. */
import type { Schema } from "../api/client.ts";

export type PolicyTool = Schema<"Policy">["tools"][number];

/** Which rule of the policy removes a tool for everybody. */
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

interface Mark {
  readonly kind: "changed" | "unclassified" | "removed";
  readonly text: string;
}

/** Why a tool is withheld, or removed. */
export function marksOf({ changed, classified, removed }: PolicyTool): readonly Mark[] {
  return [
    ...(changed ? [{ kind: "changed", text: "changed, withheld" } as const] : []),
    ...(classified ? [] : [{ kind: "unclassified", text: "unclassified" } as const]),
    ...removed.map((code) => ({ kind: "removed", text: REMOVALS.get(code) ?? code }) as const),
  ];
}

export const classOf = ({ sensitivity }: PolicyTool): string => CLASSES[sensitivity];

/** Whether a tool needs approval, in a word. */
export function asksOf({ approval }: PolicyTool): string {
  return approval === "condition" ? "where" : approval;
}

/** Tools that match each word: in a name, a tag, a label, or a description. */
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
