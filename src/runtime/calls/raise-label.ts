/** Raises a session by what was found in the result of one of its calls, or by data from another source. */
import {
  type Finding,
  isKnownLabel,
  join,
  type LabelDeclaration,
  type Policy,
  type SessionState,
  toSource,
} from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import type { GateContext } from "../gate-context.ts";
import type { Ledger, Proposal } from "../journal/ledger.ts";
import { assertGiven } from "../option-shapes.ts";

export interface Raise {
  readonly label: LabelDeclaration;
  /** Left out: the tool of the call. */
  readonly dataset: string | undefined;
  /** The running call that had the data; null if there is none. */
  readonly callId: string | null;
  /** Whether the agent reported it. */
  readonly isReported?: true;
  /** What detectors found there. */
  readonly findings?: readonly Finding[];
}

/** A session in its gate. */
export interface SessionScope {
  readonly gate: GateContext;
  readonly ledger: Ledger;
}

/** Raises a session and those that share its label. Durable when it resolves. */
export async function raiseSession({ ledger }: SessionScope, raise: Raise): Promise<void> {
  assertGiven("label", raise.label, "label");
  if (raise.dataset !== undefined) assertGiven("dataset", raise.dataset, "dataset");
  await ledger.commit((state) => proposeRaise(state, raise));
}

/**
 * The entry that raises the session.
 * @throws SluicegateError `invalid-request` for a level or a trust that the policy doesn't have.
 */
export function proposeRaise(
  state: SessionState,
  { label, dataset, callId, isReported, findings = [] }: Raise,
): Proposal<void> {
  const { lattice } = state;
  const source = toSource(lattice, label);
  if (!isKnownLabel(lattice, source)) throw unknownLabel(state);
  const origin = callId === null ? undefined : state.running.get(callId);
  const event = {
    kind: "label-raised",
    call: callId,
    step: origin?.step ?? null,
    tool: origin?.tool ?? null,
    source,
    dataset: dataset ?? origin?.tool ?? "unnamed",
    label: join(lattice, state.label, source),
    ...(isReported && { reported: isReported }),
    ...(findings.length > 0 && { findings }),
  } as const;
  return { events: [event], value: undefined };
}

/**
 * THREAT: agents could invent any number of categories, with texts that people mistake for the policy's own.
 * @throws SluicegateError `invalid-request` for a category that the policy doesn't declare.
 */
export function assertDeclaredCategories(
  { origin: { declaration } }: Policy,
  { categories = [] }: LabelDeclaration,
): void {
  const declared = declaration.categories;
  // Anything but a list of names is refused together with the label.
  if (declared === undefined || !Array.isArray(categories)) return;
  if (categories.every((category) => declared.includes(category))) return;
  throw new SluicegateError("invalid-request", "The label names a category that the policy doesn't have.", {
    why: declared.length === 0 ? "The policy has no categories." : `It has ${declared.join(", ")}.`,
    fix: "Use one of these, or let the operator declare another under `categories`.",
  });
}

const unknownLabel = ({ lattice: { levels, trust } }: SessionState): SluicegateError =>
  new SluicegateError("invalid-request", "The label names a level or a trust that the policy doesn't have.", {
    why: `The policy's levels are ${levels.join(", ")}; its trust is ${trust.join(", ")}.`,
    fix: "Use one of these names.",
  });
