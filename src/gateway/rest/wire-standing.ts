/** Standing approvals on the wire, and requests for them. */
import type { z } from "zod";
import type { ArgumentRule } from "../../core/index.ts";
import type { ListedStanding, StandingOffer, StandingRequest } from "../../runtime/index.ts";
import type * as schemas from "./approval-schemas.ts";
import { toWireLabel } from "./wire.ts";

type Wire = z.output<typeof schemas.standingApproval>;
type WireRule = Wire["arguments"][string];
type WireRequest = z.output<typeof schemas.standingRequest>;
type WireOffer = z.output<typeof schemas.standingOffer>;

function toWireRule(rule: ArgumentRule): WireRule {
  if ("oneOf" in rule) return { one_of: [...rule.oneOf] };
  if ("anything" in rule) return { any: true };
  return "atMost" in rule ? { at_most: rule.atMost } : rule;
}

function fromWireRule(rule: WireRule): ArgumentRule {
  if ("one_of" in rule) return { oneOf: rule.one_of };
  if ("any" in rule) return { anything: true };
  return "at_most" in rule ? { atMost: rule.at_most } : rule;
}

const mapRules = <From, To>(
  rules: Readonly<Record<string, From>>,
  to: (rule: From) => To,
): Record<string, To> => Object.fromEntries(Object.entries(rules).map(([name, rule]) => [name, to(rule)]));

export const toWireStanding = (one: ListedStanding): Wire => ({
  id: one.id,
  words: one.words,
  tool: one.tool,
  arguments: mapRules(one.rules, toWireRule),
  given: one.given,
  for: one.scope,
  session_id: one.session,
  principal: one.principal,
  role: one.role,
  causes: [...one.causes],
  ceiling: toWireLabel(one.ceiling),
  given_by: one.by,
  given_at: one.at,
  expires_at: one.expires,
  count: one.count,
  used: one.used,
  uses: one.uses.map(({ session, call, at }) => ({ session_id: session, call_id: call, at })),
});

export const toWireOffer = ({ words, standing }: StandingOffer): WireOffer => ({
  words,
  standing: {
    ...standing,
    arguments: mapRules(standing.arguments, toWireRule),
    ceiling: toWireLabel(standing.ceiling),
  },
});

export function fromWireStanding({
  arguments: rules,
  for: scope,
  ceiling,
  expires,
  count,
}: WireRequest): StandingRequest {
  const { level, categories, trust } = ceiling ?? {};
  const label = {
    ...(level !== undefined && { level }),
    ...(categories && { categories }),
    ...(trust !== undefined && { trust }),
  };
  return {
    ...(rules && { arguments: mapRules(rules, fromWireRule) }),
    ...(scope && { for: scope }),
    ...(ceiling && { ceiling: label }),
    ...(expires !== undefined && { expires }),
    ...(count !== undefined && { count }),
  };
}
