/**
 * Shortens refusals that a session has had before. The last few of each session are remembered in this process; after
 * a restart, or in another process, a refusal is worded in full again.
 */
import { hash } from "node:crypto";
import { explainRepeat } from "../../core/index.ts";
import { BoundedMap } from "../../json/bounded-map.ts";
import type { Ledger } from "../journal/ledger.ts";
import type { CallDecision, PreparedCall } from "./admission.ts";

const MAX_REMEMBERED_REFUSALS = 32;

const refusalsIn = new WeakMap<Ledger, BoundedMap<string, true>>();

/**
 * The decision, with a short sentence if the same tool was refused for the same reasons before. If other arguments
 * could change the decision, they must be the same.
 */
export function withRepeat(
  ledger: Ledger,
  { canonical }: PreparedCall,
  decision: CallDecision,
): CallDecision {
  const { effect, class: refusal, tool, reasons, faults } = decision;
  // A fault may be a different one each time.
  if (effect !== "deny" || refusal === undefined || faults.length > 0) return decision;
  const whole = reasons.map(({ message }) => message).join("\n");
  const key = hash(
    "sha256",
    JSON.stringify([tool, whole, refusal === "never" ? "" : canonical]),
    "base64url",
  );
  const told = refusalsIn.get(ledger) ?? new BoundedMap(MAX_REMEMBERED_REFUSALS);
  refusalsIn.set(ledger, told);
  const isKnown = told.has(key);
  told.set(key, true);
  const repeated = explainRepeat(reasons[0]?.message ?? "", refusal);
  return isKnown && repeated.length < whole.length ? { ...decision, repeated } : decision;
}
