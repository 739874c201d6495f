/** A proposal in the keys of a policy file, in the words of that policy's levels. */
import { DEFAULT_LATTICE, type Lattice } from "../../core/index.ts";
import { type Proposal, SENSITIVITIES, type Sensitivity } from "./proposal.ts";

/** What stands under a tool's name in a policy file. */
export type ProposedDeclaration = Readonly<Record<string, unknown>>;

/**
 * The declaration that a proposal comes to. Where a policy has no level of a proposal's name, what comes in has the
 * policy's highest and what goes out its lowest.
 */
export function toProposedDeclaration(
  { permissions, source, sink, tags, approval, onViolation }: Proposal,
  lattice: Lattice = DEFAULT_LATTICE,
): ProposedDeclaration {
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
    ...(sink !== null && { sink: known.has(sink) ? sink : lowest }),
    ...(tags.length > 0 && { tags }),
    ...(approval !== "never" && { approval }),
    ...(sink !== null && onViolation !== "deny" && { on_violation: onViolation }),
  };
}

/** The default levels that a policy has too; none where it has them in another order, so that they mean something else. */
export function knownLevels({ levels }: Lattice): ReadonlySet<Sensitivity> {
  const shared = SENSITIVITIES.filter((level) => levels.includes(level));
  const ranks = shared.map((level) => levels.indexOf(level));
  const isOrdered = ranks.every((rank, index) => index === 0 || rank > (ranks[index - 1] ?? 0));
  return new Set(isOrdered ? shared : []);
}
