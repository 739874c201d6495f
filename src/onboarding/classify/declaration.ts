/** A proposal in the keys of a policy file, in the words of that policy's levels. */
import { DEFAULT_LATTICE, EVIDENCE_KINDS, type Lattice } from "../../core/index.ts";
import { type Proposal, SENSITIVITIES, type Sensitivity } from "./proposal.ts";

/** What is written for the whole of a policy: what the user said goes through, and what others wrote doesn't. */
export const PROPOSED_ENDORSEMENT = Object.freeze({
  endorsement: "strict",
  named: "internal",
  evidence: Object.freeze([...EVIDENCE_KINDS]),
});

/** What stands under a tool's name in a policy file. */
export type ProposedDeclaration = Readonly<Record<string, unknown>>;

/**
 * The declaration that a proposal comes to. Where a policy has no level of a proposal's name, what comes in has the
 * policy's highest and what goes out its lowest.
 */
export function toProposedDeclaration(
  proposal: Proposal,
  lattice: Lattice = DEFAULT_LATTICE,
): ProposedDeclaration {
  const { permissions, source, sink, tags, approval, onViolation } = proposal;
  const { to = [], critical = [], payload = [], isDestructive = true } = proposal;
  const known = knownLevels(lattice);
  const [lowest = ""] = lattice.levels;
  const [untrusted] = lattice.trust;
  return {
    permissions,
    ...(source !== null && {
      source: {
        level: known.has(source.level) ? source.level : lattice.levels.at(-1),
        ...(source.trust === "untrusted" && { trust: untrusted }),
      },
    }),
    ...(to.length > 0 && { sink: { to } }),
    ...(to.length === 0 && sink !== null && { sink: known.has(sink) ? sink : lowest }),
    ...(tags.length > 0 && { tags }),
    ...(approval !== "never" && { approval }),
    ...((sink !== null || to.length > 0) && onViolation !== "deny" && { on_violation: onViolation }),
    ...(critical.length > 0 && { critical }),
    ...(payload.length > 0 && { payload }),
    ...(!isDestructive && { destructive: false }),
  };
}

/** The default levels that a policy has too; none if it has them in another order, so that they mean something else. */
export function knownLevels({ levels }: Lattice): ReadonlySet<Sensitivity> {
  const shared = SENSITIVITIES.filter((level) => levels.includes(level));
  const ranks = shared.map((level) => levels.indexOf(level));
  const isOrdered = ranks.every((rank, index) => index === 0 || rank > (ranks[index - 1] ?? 0));
  return new Set(isOrdered ? shared : []);
}
