/** How sensitive what a tool deals with is, by the nouns around it. Nobody's data is taken for public by a guess. */
import { hasWord, wordSet } from "./name-words.ts";
import type { Sensitivity } from "./proposal.ts";

const SECRET = wordSet(`
  env environment secret password passwd credential token apikey privatekey vault keychain keyring otp totp passphrase
  wallet variable cookie`);
const CONFIDENTIAL = wordSet(`
  mail email inbox message dm chat conversation transcript channel thread contact customer client salary payroll
  employee person people candidate invoice payment billing bank account transaction card balance order subscription
  tax medical patient health diagnosis calendar event meeting attendee profile user member database db table row record sql
  lead deal opportunity contract legal audit incident phone address location photo clipboard screen memory
  webhook`);

/** The level of the data, and the word that says so, where one does. */
export function sensitivityOf(words: readonly string[]): { level: Sensitivity; word: string | null } {
  for (const [level, set] of [
    ["secret", SECRET],
    ["confidential", CONFIDENTIAL],
  ] as const) {
    const word = words.find((one) => hasWord([one], set));
    if (word !== undefined) return { level, word };
  }
  return { level: "internal", word: null };
}
