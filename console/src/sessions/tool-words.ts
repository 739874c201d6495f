/** The words for a session's tools. */
import type { Schema } from "../api/client.ts";
import { counted } from "./timeline-words.ts";

type Tool = Schema<"SessionTools">["tools"][number];

/** Whether the session's data may flow to it. */
export function stateOfTool({ blocked, releasable }: Pick<Tool, "blocked" | "releasable">): string {
  if (!blocked) return "open";
  return releasable ? "shut, a person may release" : "shut";
}

/** How many there are, and how many of them are blocked. */
export function describeTools(tools: readonly Pick<Tool, "blocked">[]): string {
  const shut = tools.filter(({ blocked }) => blocked).length;
  return shut === 0
    ? `${counted(tools.length, "tool")}, all open`
    : `${counted(tools.length, "tool")}, ${shut} shut`;
}

/** Whether a tool matches a search. */
export function fitsTool({ name, server }: Pick<Tool, "name" | "server">, find: string): boolean {
  const wish = find.trim().toLowerCase();
  return `${name}\n${server ?? ""}`.toLowerCase().includes(wish);
}
