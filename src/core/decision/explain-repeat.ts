/** The short sentence for a repeated refusal: what was refused, and what to do instead. */
import type { RefusalClass } from "./refusal-class.ts";

const INSTEAD: Readonly<Record<RefusalClass, string>> = Object.freeze({
  retry: "change the call first, as was said",
  person: "it needs a person",
  never: "go on without it, or use another tool",
});

/** One short sentence out of the whole message of a refusal. */
export function explainRepeat(message: string, refusal: RefusalClass): string {
  const [head = ""] = message.split(/\.(?: |$)/, 1);
  return `${head}, as before: ${INSTEAD[refusal]}.`;
}
