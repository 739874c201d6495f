/** Groups a session's tools by their effect on a plan's order. */
import type { Schema } from "../api/client.ts";

export type PlannableTool = Pick<
  Schema<"SessionTools">["tools"][number],
  "tool" | "name" | "source" | "clearances" | "blocked" | "releasable"
>;

export interface ToolGroup {
  readonly title: string;
  readonly tools: readonly PlannableTool[];
}

/** Those that send data out first, since tools that bring data in block them. Empty groups are left out. */
export function groupTools(tools: readonly PlannableTool[], find: string): readonly ToolGroup[] {
  const words = find.toLowerCase().split(/\s+/).filter(Boolean);
  const fitting = tools.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
  const groups = [
    { title: "Send data out", brings: false, sends: true },
    { title: "Bring data in, and send out", brings: true, sends: true },
    { title: "Bring data in", brings: true, sends: false },
    { title: "Neither", brings: false, sends: false },
  ];
  return groups
    .map(({ title, brings, sends }) => ({
      title,
      tools: fitting.filter((one) => (one.source !== null) === brings && (one.clearances !== null) === sends),
    }))
    .filter((group) => group.tools.length > 0);
}
