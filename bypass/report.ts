/** What the suite prints. */
import type { Verdict } from "./check.ts";
import type { Result } from "./suite.ts";

const WORDS: Readonly<Record<Verdict, string>> = {
  held: "held",
  bypassed: "BYPASSED",
  "not-applicable": "n/a",
  undecided: "UNDECIDED",
};

export function toLine({ check, verdict, detail }: Result): string {
  const line = `  ${WORDS[verdict].padEnd(10)} ${check.id.padEnd(28)} ${check.attack}`;
  return detail === "" ? line : `${line}\n${" ".repeat(13)}${detail}`;
}

export function toSummary(results: readonly Result[]): string {
  const count = (verdict: Verdict): number => results.filter((result) => result.verdict === verdict).length;
  const undecided = count("undecided") === 0 ? "" : `, ${count("undecided")} undecided`;
  return `${results.length} checks: ${count("held")} held, ${count("bypassed")} bypassed, ${count("not-applicable")} not applicable${undecided}.`;
}

export const toJson = (results: readonly Result[]): string =>
  JSON.stringify(
    results.map(({ check: { id, must, attack }, verdict, detail }) => ({
      id,
      must,
      attack,
      verdict,
      detail,
    })),
    null,
    2,
  );

/** Whether nothing got through. What isn't offered can't be bypassed. */
export const isHeld = ({ verdict }: Result): boolean => verdict === "held" || verdict === "not-applicable";
