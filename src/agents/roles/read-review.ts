/** A review out of a model's words: it was asked to end with JSON, and may have written anything. */

/** How much a finding matters. */
export type Severity = "critical" | "major" | "minor" | "note";

/** Something that a reviewer found. */
export interface Finding {
  readonly file: string;
  readonly line?: number;
  readonly severity: Severity;
  readonly message: string;
}

export const SEVERITIES: readonly Severity[] = ["critical", "major", "minor", "note"];

const MAX_FINDINGS = 1000;

/** What the findings are, and what was said before them; null where the words don't end with a list of findings. */
export function readReview(
  text: string,
): { readonly findings: readonly Finding[]; readonly summary: string } | null {
  // The last block, so that code that a review quotes isn't taken for its list.
  const at = text.lastIndexOf("```json");
  const end = text.indexOf("```", at + 7);
  if (at === -1 || end === -1) return null;
  try {
    const read: unknown = JSON.parse(text.slice(at + 7, end));
    if (!Array.isArray(read) || read.length > MAX_FINDINGS) return null;
    const findings = read.map(readFinding);
    if (findings.includes(null)) return null;
    return { findings: findings.filter((one) => one !== null), summary: text.slice(0, at).trim() };
  } catch {
    return null;
  }
}

function readFinding(given: unknown): Finding | null {
  const { file, line, severity, message }: Record<string, unknown> = Object(given);
  const known = SEVERITIES.find((one) => one === severity);
  if (typeof file !== "string" || typeof message !== "string" || known === undefined) return null;
  if (line === undefined || line === null) return { file, severity: known, message };
  return typeof line === "number" && Number.isInteger(line) && line > 0
    ? { file, line, severity: known, message }
    : null;
}
