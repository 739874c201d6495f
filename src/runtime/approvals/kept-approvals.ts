/**
 * What is stored of approvals beside the journal: while pending, what an approver must see; afterwards only the
 * outcome, for later callers.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Label } from "../../core/index.ts";
import { canonicalJson } from "../../json/canonical-json.ts";
import { parseJson } from "../../json/parse-json.ts";
import { sealHash } from "../journal/journal.ts";
import type { Keep, Store } from "../ports/store.ts";
import type { WordedReason } from "./worded-reasons.ts";

/** What an approver sees; stored beside the journal while the approval is pending. */
export interface ApprovalDetails {
  readonly id: string;
  readonly session: string;
  /** The session whose label it shares; missing in approvals of an earlier version. */
  readonly labelHolder?: string;
  readonly principal: string;
  readonly call: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly reasons: readonly WordedReason[];
  /** Why approval is needed, in sentences for a person. */
  readonly why: readonly string[];
  /** The codes of the causes; missing in approvals of an earlier version. */
  readonly causes?: readonly string[];
  /** The hash of the tool's definition; null if it has none. */
  readonly definition?: string | null;
  /** Whether it needs approval because an argument contains a credential. */
  readonly isCredential?: boolean;
  /** Whether its approver may change the arguments, because the caller runs what was decided on. */
  readonly editable?: boolean;
  /** Whether approval lets data flow to the tool that the rules block. */
  readonly release: boolean;
  /** The paths that the call touches, canonical and absolute. */
  readonly targets: readonly string[];
  /** What the call would change, as a unified diff; null if it changes no file. */
  readonly preview: string | null;
  readonly label: Label;
  readonly at: string;
  readonly expiresAt: string;
  /** The plan's number of steps, and how many of them need approval; left out if it is for one call. */
  readonly plan?: { readonly steps: number; readonly asking: number };
  /** How many different people must approve; left out if one is enough. */
  readonly approvers?: number;
  /** The version of the policy that required it. Under another version the approval would have no effect. */
  readonly policy: string;
}

/** How an approval ended. */
export interface EndedApproval {
  readonly id: string;
  readonly session: string;
  /** `closed`: with its session; `cancelled`: the agent reported that its task can't be done. */
  readonly outcome: "approved" | "denied" | "expired" | "closed" | "cancelled";
  /** Who answered, and through which channel; null if nobody did or it isn't known. */
  readonly by: string | null;
  readonly via?: string | null;
  readonly at: string;
  /** Paths of the arguments that the person changed. */
  readonly changed?: readonly string[];
  /** The standing approval that was created with it. */
  readonly standing?: string;
  /** Everybody who approved, if several had to. */
  readonly signers?: readonly string[];
}

/** An approval's entry in the queue, stored separately from its details because it is read often. */
export interface QueuedApproval
  extends Pick<
    ApprovalDetails,
    "id" | "session" | "labelHolder" | "at" | "expiresAt" | "policy" | "approvers"
  > {
  /** Whose session it is; missing in approvals of an earlier version. */
  readonly principal?: string;
  /** Equal for approvals that may be answered together; left out for plans and by an earlier version. */
  readonly kind?: string;
  /** Those who have approved already, if several must. */
  readonly signers?: readonly string[];
}

const QUEUED_KEY = "approval:";
const DETAILS_KEY = "approval-details:";
const ENDED_KEY = "ended-approval:";
const APPROVAL_ID = /^appr_[0-9a-f]{32}$/;

/** @param canonical the JSON of its arguments, where it is there already: a long one takes milliseconds to write. */
export function keepDetails(details: ApprovalDetails, canonical?: string): readonly Keep[] {
  const { arguments: args, ...others } = details;
  const value = `${JSON.stringify(others).slice(0, -1)},"arguments":${canonical ?? JSON.stringify(args)}}`;
  return [keepQueued(details), { key: DETAILS_KEY + details.id, value }];
}

/** The entry in the queue, with those who have approved. */
export function keepQueued(details: ApprovalDetails, signers: readonly string[] = []): Keep {
  const { id, session, labelHolder, principal, at, expiresAt, policy, approvers } = details;
  const kind = kindOf(details);
  const queued: QueuedApproval = {
    id,
    session,
    ...(labelHolder && { labelHolder }),
    principal,
    at,
    expiresAt,
    policy,
    ...(kind !== null && { kind }),
    ...(approvers && { approvers }),
    ...(signers.length > 0 && { signers }),
  };
  return { key: QUEUED_KEY + id, value: JSON.stringify(queued) };
}

/** The principal, the tool and the causes together. */
function kindOf(details: ApprovalDetails): string | null {
  const { principal, tool, definition = null, causes = [], release, isCredential = false, plan } = details;
  if (plan !== undefined) return null;
  return sealHash(canonicalJson([principal, tool, definition, causes, release, isCredential]));
}

/** Deletes the arguments and stores the outcome. */
export const keepEnd = (ended: EndedApproval): readonly Keep[] => [
  { key: QUEUED_KEY + ended.id, value: null },
  { key: DETAILS_KEY + ended.id, value: null },
  { key: ENDED_KEY + ended.id, value: JSON.stringify(ended) },
];

/** Approvals read in one turn of the event loop: some milliseconds. */
const PAGE = 500;
/** Approvals that are listed at once, which limits memory. */
const MAX_QUEUED = 100_000;

/** Pending approvals of all sessions, oldest first. */
export async function allQueued(store: Store): Promise<readonly QueuedApproval[]> {
  const all: QueuedApproval[] = [];
  for (let after = 0; all.length < MAX_QUEUED; ) {
    const page = await store.keptWith(QUEUED_KEY, PAGE, after);
    for (const { value } of page) all.push(parseJson(value));
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) break;
    after = last.position;
    await nextTurn();
  }
  return all;
}

/** A pending approval of a session; null if it is over. */
export async function readQueued(store: Store, session: string, id: string): Promise<QueuedApproval | null> {
  const value = await store.kept(session, QUEUED_KEY + id);
  return value === null ? null : parseJson(value);
}

/** The JSON of an approval's details; null if it is over. */
export const readDetails = (
  store: Store,
  { id, session }: Pick<QueuedApproval, "id" | "session">,
): Promise<string | null> => store.kept(session, DETAILS_KEY + id);

/** What is known about an approval, by its id alone; null for an unknown id. */
export async function findApproval(
  store: Store,
  id: string,
): Promise<{ readonly details: ApprovalDetails } | { readonly ended: EndedApproval } | null> {
  // THREAT: a client chooses the id, and the store is searched for keys with this prefix.
  if (!APPROVAL_ID.test(id)) return null;
  const [waiting] = await store.keptWith(DETAILS_KEY + id, 1);
  if (waiting) return { details: parseJson(waiting.value) };
  const [ended] = await store.keptWith(ENDED_KEY + id, 1);
  return ended ? { ended: parseJson(ended.value) } : null;
}
