/**
 * What is kept of approvals beside the journal: what an approver must see while a call waits, and afterwards only
 * how it ended, so that whoever comes later is told.
 */
import type { Label } from "../core/index.ts";
import type { Keep, Store } from "./store.ts";
import type { WordedReason } from "./worded-reasons.ts";

/** What is shown to whoever answers an approval; kept beside the journal until it is over. */
export interface ApprovalDetails {
  readonly id: string;
  readonly session: string;
  readonly principal: string;
  readonly call: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly reasons: readonly WordedReason[];
  /** Why a person is asked, in sentences for that person. */
  readonly why: readonly string[];
  /** Whether a yes releases what may not go to the tool. */
  readonly release: boolean;
  /** The paths that it touches, canonical and absolute. */
  readonly targets: readonly string[];
  /** What it would change, as a unified diff; null where it changes no file. */
  readonly preview: string | null;
  readonly label: Label;
  readonly at: string;
  readonly expiresAt: string;
  /** The version of the policy that asks; under another one a yes would reach no call. */
  readonly policy: string;
}

/** How an approval ended. */
export interface EndedApproval {
  readonly id: string;
  readonly session: string;
  /** `closed`: with its session; `cancelled`: the agent gave up. */
  readonly outcome: "approved" | "denied" | "expired" | "closed" | "cancelled";
  /** Who answered, and by which way; null where nobody did, or where it isn't known. */
  readonly by: string | null;
  readonly via?: string | null;
  readonly at: string;
}

const DETAILS_KEY = "approval:";
const ENDED_KEY = "ended-approval:";
const APPROVAL_ID = /^appr_[0-9a-f]{32}$/;

export const keepDetails = (details: ApprovalDetails): Keep => ({
  key: DETAILS_KEY + details.id,
  value: JSON.stringify(details),
});

/** Arguments are kept no longer than somebody has to judge them. */
export const keepEnd = (ended: EndedApproval): readonly Keep[] => [
  { key: DETAILS_KEY + ended.id, value: null },
  { key: ENDED_KEY + ended.id, value: JSON.stringify(ended) },
];

/** Details of all sessions' approvals, oldest first, at most `limit`. */
export async function allDetails(store: Store, limit: number): Promise<readonly ApprovalDetails[]> {
  const kept = await store.keptWith(DETAILS_KEY, limit);
  return kept.map(({ value }): ApprovalDetails => JSON.parse(value));
}

/** What is known of one approval, by its id alone; null for an id that was never given. */
export async function findApproval(
  store: Store,
  id: string,
): Promise<{ readonly details: ApprovalDetails } | { readonly ended: EndedApproval } | null> {
  // THREAT: the id comes from a client, and a store is asked for everything that begins so.
  if (!APPROVAL_ID.test(id)) return null;
  const [waiting] = await store.keptWith(DETAILS_KEY + id, 1);
  if (waiting) return { details: JSON.parse(waiting.value) };
  const [ended] = await store.keptWith(ENDED_KEY + id, 1);
  return ended ? { ended: JSON.parse(ended.value) } : null;
}
