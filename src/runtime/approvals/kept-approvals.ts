/**
 * What is kept of approvals beside the journal: what an approver must see while a call waits, and afterwards only
 * how it ended, so that whoever comes later is told.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Label } from "../../core/index.ts";
import { canonicalJson } from "../../json/canonical-json.ts";
import { sealHash } from "../journal/journal.ts";
import type { Keep, Store } from "../ports/store.ts";
import type { WordedReason } from "./worded-reasons.ts";

/** What is shown to whoever answers an approval; kept beside the journal until it is over. */
export interface ApprovalDetails {
  readonly id: string;
  readonly session: string;
  /** The session whose label it shares; approvals that were kept by an earlier version lack it. */
  readonly labelHolder?: string;
  readonly principal: string;
  readonly call: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly reasons: readonly WordedReason[];
  /** Why a person is asked, in sentences for that person. */
  readonly why: readonly string[];
  /** The causes by their names. Approvals that were kept by an earlier version lack it. */
  readonly causes?: readonly string[];
  /** The hash of the tool's definition; null where it has none. */
  readonly definition?: string | null;
  /** Whether it was asked about since a credential stands in it. */
  readonly isCredential?: boolean;
  /** Whether its approver may change the arguments: whoever runs the call then runs the changed ones. */
  readonly editable?: boolean;
  /** Whether a yes releases what may not go to the tool. */
  readonly release: boolean;
  /** The paths that it touches, canonical and absolute. */
  readonly targets: readonly string[];
  /** What it would change, as a unified diff; null where it changes no file. */
  readonly preview: string | null;
  readonly label: Label;
  readonly at: string;
  readonly expiresAt: string;
  /** How many steps the plan has that it is for, and how many of them it answers; left out where it is for one call. */
  readonly plan?: { readonly steps: number; readonly asking: number };
  /** How many different people must say yes; left out where one is enough. */
  readonly approvers?: number;
  /** The version of the policy that asks; under another one a yes would reach no call. */
  readonly policy: string;
}

/** How an approval ended. */
export interface EndedApproval {
  readonly id: string;
  readonly session: string;
  /** `closed`: with its session; `cancelled`: the agent gave up. */
  readonly outcome: "approved" | "denied" | "expired" | "closed" | "cancelled";
  /** Who answered, and through which channel; null where nobody did, or where it isn't known. */
  readonly by: string | null;
  readonly via?: string | null;
  readonly at: string;
  /** Paths of the arguments that the person changed. */
  readonly changed?: readonly string[];
  /** The standing approval that was given with it. */
  readonly standing?: string;
  /** Everybody who said yes, where several had to. */
  readonly signers?: readonly string[];
}

/** Where an approval stands in the queue. Apart from its details, since it is read again and again. */
export interface QueuedApproval
  extends Pick<
    ApprovalDetails,
    "id" | "session" | "labelHolder" | "at" | "expiresAt" | "policy" | "approvers"
  > {
  /** Equal for those that may be answered together; left out for a plan, and by an earlier version. */
  readonly kind?: string;
  /** Those who have said yes already, where several people must. */
  readonly signers?: readonly string[];
}

const QUEUED_KEY = "approval:";
const DETAILS_KEY = "approval-details:";
const ENDED_KEY = "ended-approval:";
const APPROVAL_ID = /^appr_[0-9a-f]{32}$/;

export function keepDetails(details: ApprovalDetails): readonly Keep[] {
  return [keepQueued(details), { key: DETAILS_KEY + details.id, value: JSON.stringify(details) }];
}

/** Its place in the queue, with those who have said yes to it. */
export function keepQueued(details: ApprovalDetails, signers: readonly string[] = []): Keep {
  const { id, session, labelHolder, at, expiresAt, policy, approvers } = details;
  const kind = kindOf(details);
  const queued: QueuedApproval = {
    id,
    session,
    ...(labelHolder && { labelHolder }),
    at,
    expiresAt,
    policy,
    ...(kind !== null && { kind }),
    ...(approvers && { approvers }),
    ...(signers.length > 0 && { signers }),
  };
  return { key: QUEUED_KEY + id, value: JSON.stringify(queued) };
}

/** Of one principal, the same tool and the same reasons for a person to be asked. */
function kindOf(details: ApprovalDetails): string | null {
  const { principal, tool, definition = null, causes = [], release, isCredential = false, plan } = details;
  if (plan !== undefined) return null;
  return sealHash(canonicalJson([principal, tool, definition, causes, release, isCredential]));
}

/** Arguments are kept no longer than somebody has to judge them. */
export const keepEnd = (ended: EndedApproval): readonly Keep[] => [
  { key: QUEUED_KEY + ended.id, value: null },
  { key: DETAILS_KEY + ended.id, value: null },
  { key: ENDED_KEY + ended.id, value: JSON.stringify(ended) },
];

/** Approvals that are read before others get their turn: some milliseconds' work. */
const PAGE = 500;
/** Approvals that are looked through at once, so that they have room in memory. */
const MAX_QUEUED = 100_000;

/** What waits in all sessions, oldest first. */
export async function allQueued(store: Store): Promise<readonly QueuedApproval[]> {
  const all: QueuedApproval[] = [];
  for (let after = 0; all.length < MAX_QUEUED; ) {
    const page = await store.keptWith(QUEUED_KEY, PAGE, after);
    for (const { value } of page) all.push(JSON.parse(value));
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) break;
    after = last.position;
    await nextTurn();
  }
  return all;
}

/** One of those that wait in a session; null where it is over. */
export async function readQueued(store: Store, session: string, id: string): Promise<QueuedApproval | null> {
  const value = await store.kept(session, QUEUED_KEY + id);
  return value === null ? null : JSON.parse(value);
}

/** The JSON text of an approval's details; null where it is over. */
export const readDetails = (
  store: Store,
  { id, session }: Pick<QueuedApproval, "id" | "session">,
): Promise<string | null> => store.kept(session, DETAILS_KEY + id);

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
