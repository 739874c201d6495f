/** Labels in JSON that may be anybody's. */
import { createLabel, type Label } from "../../core/index.ts";
import { listIn, propertyOf, textIn } from "../../json/plain-data.ts";

/** A label; null where it has no level or no trust. */
export function labelIn(data: unknown, key: string): Label | null {
  const label = propertyOf(data, key);
  const level = textIn(label, "level");
  const trust = textIn(label, "trust");
  if (level === null || trust === null) return null;
  const categories = listIn(label, "categories").filter((category) => typeof category === "string");
  return createLabel(level, categories, trust);
}
