/**
 * A plan that a person approved as a whole, as a lease: each of its calls may run once, without asking again.
 *
 * A step's approval counts while everything is as it was shown: the call is identical, the session's label flows to the one
 * that was shown before the step, every reason to ask was shown with it, and the steps that it comes after were admitted.
 * So steps may run in any order that the check allows. Any other call is decided as if there were no lease, and
 * the lease stays valid for the rest. A lease replaces approvals only; it never overrides a denial.
 */

import { flowsTo, type Label, type Lattice } from "../label/label.ts";

/** A step of a plan as it was shown to a person. */
export interface LeasedStep {
  /** The identity of its tool. */
  readonly tool: string;
  /** A keyed digest of everything that identifies its call; null if the plan doesn't give the arguments. */
  readonly key: string | null;
  /** The session's label before it. */
  readonly label: Label;
  /** Why it needs approval; empty if it needs none. */
  readonly why: readonly string[];
  /** The steps that come before it, counted from 0. */
  readonly after: readonly number[];
}

export interface Lease {
  /** The approval that granted it. */
  readonly id: string;
  /** Identifies its plan. */
  readonly binding: string;
  readonly expires: string;
  readonly steps: readonly LeasedStep[];
  /** The steps that were admitted. */
  readonly used: readonly number[];
}

export interface LeaseUse {
  readonly approval: string;
  /** Counted from 0. */
  readonly step: number;
}

/** The key for finding a call in leases. */
interface LeasedCall {
  readonly tool: string;
  readonly key: string;
  /** Now, RFC 3339. */
  readonly at: string;
}

interface Leases {
  readonly lattice: Lattice;
  readonly label: Label;
  readonly leases: readonly Lease[];
}

/** The step whose approval covers a call with these reasons; null if none does. */
export function findLeasedStep(
  { leases, lattice, label }: Leases,
  call: LeasedCall,
  why: readonly string[],
): LeaseUse | null {
  return findStep(leases, call, (step, { used }) => {
    if (step.key !== call.key || !flowsTo(lattice, label, step.label)) return false;
    return why.every((one) => step.why.includes(one)) && step.after.every((before) => used.includes(before));
  });
}

/** The step that an admitted call uses, even if it needed no approval. */
export const findPlannedStep = ({ leases }: Leases, call: LeasedCall): LeaseUse | null =>
  findStep(leases, call, ({ key }) => key === call.key) ?? findStep(leases, call, ({ key }) => key === null);

/** Marks a step as used. */
export const useLease = (leases: readonly Lease[], { approval, step }: LeaseUse): readonly Lease[] =>
  leases.map((lease) => (lease.id === approval ? { ...lease, used: [...lease.used, step] } : lease));

function findStep(
  leases: readonly Lease[],
  { tool, at }: LeasedCall,
  matches: (step: LeasedStep, lease: Lease) => boolean,
): LeaseUse | null {
  for (const lease of leases) {
    if (lease.expires <= at) continue;
    const found = lease.steps.findIndex(
      (step, number) => step.tool === tool && !lease.used.includes(number) && matches(step, lease),
    );
    if (found >= 0) return { approval: lease.id, step: found };
  }
  return null;
}
