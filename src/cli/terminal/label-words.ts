/** A label in a few words, for tables. */
import type { Label } from "../../core/index.ts";

/** `internal, untrusted` or `confidential [hr], trusted`; the top label is `unclassified`. */
export function shortLabel({ level, categories, trust }: Label): string {
  if (level === "*") return `unclassified, ${trust}`;
  return `${level}${categories.length > 0 ? ` [${categories.join(", ")}]` : ""}, ${trust}`;
}
