/** Labels in a few words, and in JSON that may be anybody's. */
import { createLabel, type Label } from "../../core/index.ts";
import { listIn, propertyOf, textIn } from "../../json/plain-data.ts";

/** `internal, untrusted` or `confidential [hr], trusted`; the top label is `unclassified`. */
export function shortLabel({ level, categories, trust }: Label): string {
  if (level === "*") return `unclassified, ${trust}`;
  return `${level}${categories.length > 0 ? ` [${categories.join(", ")}]` : ""}, ${trust}`;
}

/** The `label` of data; null where it has no level or no trust. */
export function labelIn(data: unknown): Label | null {
  const label = propertyOf(data, "label");
  const level = textIn(label, "level");
  const trust = textIn(label, "trust");
  if (level === null || trust === null) return null;
  const categories = listIn(label, "categories").filter((category) => typeof category === "string");
  return createLabel(level, categories, trust);
}
