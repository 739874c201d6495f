/**
 * Patterns over tool names, with `*` for any run of characters. A pattern that begins with `mcp__` is matched
 * by its parsed parts, server and tool, never as text; so `mcp__mail__*` can't reach a server `mail__x`.
 */
import { parseToolId } from "./tool.ts";

export const isPattern = (text: string): boolean => text.includes("*");

/** Whether `text` matches a pattern with `*`. Linear but for the rescans of the last `*`. */
export function matchesWildcard(pattern: string, text: string): boolean {
  const last = pattern.lastIndexOf("*");
  if (last < 0) return pattern === text;
  if (!text.endsWith(pattern.slice(last + 1))) return false;
  let at = 0;
  let position = 0;
  let star = -1;
  let resume = 0;
  while (position < text.length) {
    if (pattern[at] === "*") {
      star = at;
      at += 1;
      resume = position;
    } else if (at < pattern.length && pattern[at] === text[position]) {
      at += 1;
      position += 1;
    } else if (star >= 0) {
      resume += 1;
      position = resume;
      at = star + 1;
    } else {
      return false;
    }
  }
  while (pattern[at] === "*") at += 1;
  return at === pattern.length;
}

/** Whether a tool's identity matches a pattern (or equals a plain name). `*` alone matches every tool. */
export function matchesToolId(pattern: string, id: string): boolean {
  if (pattern === "*") return true;
  const wanted = parseToolId(pattern);
  const given = parseToolId(id);
  if (wanted.server === null || given.server === null) {
    return wanted.server === given.server && matchesWildcard(pattern, id);
  }
  return matchesWildcard(wanted.server, given.server) && matchesWildcard(wanted.tool, given.tool);
}

/** How much of a pattern is fixed: the more, the more specific. A plain name beats every pattern. */
export const specificity = (pattern: string): number =>
  isPattern(pattern) ? pattern.replaceAll("*", "").length : Number.POSITIVE_INFINITY;
