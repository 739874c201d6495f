/**
 * Approvals as REST tells about them, read from an answer. THREAT: it may come from anything that listens, and a
 * person will say yes to what is shown, so one that isn't whole is none.
 */
import type { Label } from "../../core/index.ts";
import { propertyOf, textIn } from "../../json/plain-data.ts";
import { labelIn } from "../terminal/labels.ts";

/** A call that waits for a person. */
export interface WireApproval {
  readonly id: string;
  /** `queued` behind another one of its session. */
  readonly status: "pending" | "queued";
  readonly session_id: string;
  readonly principal: string;
  /** How many different people must say yes, and who has. */
  readonly approvers: number;
  readonly approved_by: readonly string[];
  readonly call_id: string;
  readonly tool: string;
  readonly arguments: object;
  readonly reasons: readonly { readonly code: string; readonly message: string }[];
  /** Why a person is asked, in sentences for that person. */
  readonly why: readonly string[];
  /** Whether a yes lets data go where its label may not. */
  readonly release: boolean;
  readonly targets: readonly { readonly path: string }[];
  /** For a write: what it changes, as a unified diff. */
  readonly diff: string | null;
  readonly label: Label;
  readonly requested_at: string;
  readonly expires_at: string;
  /** Others of its session that wait until this one is over. */
  readonly waiting_behind: number;
  /** What may be approved in advance with it; null where nothing is proposed. */
  readonly proposal: WireOffer | null;
  /** Others that wait of the same principal, for the same tool and the same reasons. */
  readonly alike: number;
  /** Whether its caller was at the gateway, and has left. */
  readonly caller_gone: boolean;
}

/** Calls like one that waits, in words, and what gives exactly that with a yes. */
export interface WireOffer {
  readonly words: string;
  readonly standing: object;
}

/** An approval that is over, or was given one of several yeses. */
export interface WireOutcome {
  readonly id: string;
  readonly session_id: string;
  readonly status: (typeof OUTCOMES)[number];
  /** Null where nobody answered. */
  readonly answered_by: string | null;
  readonly via: string | null;
  readonly ended_at: string;
  /** How many different people must say yes, and who has, if one isn't enough. */
  readonly approvers?: number;
  readonly approved_by?: readonly string[];
}

/** What an agent said on a refused call. */
export interface WireAppeal {
  readonly session_id: string;
  readonly principal: string;
  readonly call_id: string;
  readonly name: string;
  readonly text: string;
  readonly at: string;
}

/** A standing approval that is in force, or has just been revoked. */
export interface WireStanding {
  readonly id: string;
  /** What it covers, in one sentence. */
  readonly words: string;
  readonly tool: string;
  readonly session_id: string;
  readonly principal: string;
  readonly given_by: string;
  readonly expires_at: string;
  readonly count: number;
  readonly used: number;
}

const OUTCOMES = ["approved", "denied", "expired", "cancelled", "pending"] as const;

/** An approval that waits, or null. */
export function parseApproval(value: unknown): WireApproval | null {
  const texts = textsIn(value, [
    "id",
    "session_id",
    "principal",
    "call_id",
    "tool",
    "requested_at",
    "expires_at",
  ]);
  const status = propertyOf(value, "status");
  const args = propertyOf(value, "arguments");
  const release = propertyOf(value, "release");
  const label = labelIn(value);
  const behind = propertyOf(value, "waiting_behind");
  const diff = propertyOf(value, "diff");
  if (texts === null || label === null || typeof release !== "boolean" || typeof behind !== "number")
    return null;
  if (status !== "pending" && status !== "queued") return null;
  if (typeof args !== "object" || args === null || Array.isArray(args)) return null;
  if (diff !== null && typeof diff !== "string") return null;
  const reasons = allOf(propertyOf(value, "reasons"), (one) => textsIn(one, ["code", "message"]));
  const targets = allOf(propertyOf(value, "targets"), (one) => textsIn(one, ["path"]));
  const why = allOf(propertyOf(value, "why"), (one) => (typeof one === "string" ? one : null));
  const alike = propertyOf(value, "alike");
  const isGone = propertyOf(value, "caller_gone");
  if (typeof alike !== "number" || typeof isGone !== "boolean") return null;
  const proposal = parseOffer(propertyOf(value, "proposal"));
  const signers = signersOf(value);
  if (reasons === null || targets === null || why === null || signers === null || proposal === undefined)
    return null;
  return {
    ...texts,
    ...signers,
    status,
    arguments: args,
    reasons,
    why,
    release,
    targets,
    diff,
    label,
    waiting_behind: behind,
    proposal,
    alike,
    caller_gone: isGone,
  };
}

/** Undefined for what is neither one nor none. */
function parseOffer(value: unknown): WireOffer | null | undefined {
  if (value === null) return null;
  const words = textIn(value, "words");
  const standing = propertyOf(value, "standing");
  return words === null || typeof standing !== "object" || standing === null
    ? undefined
    : { words, standing };
}

/** An approval that is over, or the answer that has just ended it; null for what is neither. */
export function parseOutcome(value: unknown): WireOutcome | null {
  const texts = textsIn(value, ["id", "session_id"]);
  const status = OUTCOMES.find((outcome) => outcome === propertyOf(value, "status"));
  const endedAt = textIn(value, "ended_at") ?? textIn(value, "answered_at");
  if (texts === null || status === undefined || endedAt === null) return null;
  const answeredBy = textIn(value, "answered_by");
  const outcome = { status, answered_by: answeredBy, via: textIn(value, "via"), ended_at: endedAt };
  return { ...texts, ...outcome, ...signersOf(value) };
}

function signersOf(value: unknown): Pick<WireApproval, "approvers" | "approved_by"> | null {
  const approvers = propertyOf(value, "approvers");
  const by = allOf(propertyOf(value, "approved_by"), (one) => (typeof one === "string" ? one : null));
  return typeof approvers === "number" && by !== null ? { approvers, approved_by: by } : null;
}

/** An approval that waits, or what became of one; null for what is neither. */
export const parseFound = (value: unknown): WireApproval | WireOutcome | null =>
  parseApproval(value) ?? parseOutcome(value);

/** All approvals of a list, or null where one of them isn't whole. */
export const parseApprovals = (value: unknown): readonly WireApproval[] | null =>
  allOf(propertyOf(value, "approvals"), parseApproval);

/** The ids of those that were denied together, or null. */
export const parseDenied = (value: unknown): readonly string[] | null =>
  allOf(propertyOf(value, "denied"), (one) => (typeof one === "string" ? one : null));

/** All appeals of a list, or null where one of them isn't whole. */
export const parseAppeals = (value: unknown): readonly WireAppeal[] | null =>
  allOf(propertyOf(value, "appeals"), (one) =>
    textsIn(one, ["session_id", "principal", "call_id", "name", "text", "at"]),
  );

/** A standing approval, or null. */
export function parseStanding(value: unknown): WireStanding | null {
  const texts = textsIn(value, ["id", "words", "tool", "session_id", "principal", "given_by", "expires_at"]);
  const [count, used] = [propertyOf(value, "count"), propertyOf(value, "used")];
  if (texts === null || typeof count !== "number" || typeof used !== "number") return null;
  return { ...texts, count, used };
}

/** All standing approvals of a list, or null where one of them isn't whole. */
export const parseStandings = (value: unknown): readonly WireStanding[] | null =>
  allOf(propertyOf(value, "standing_approvals"), parseStanding);

function textsIn<Key extends string>(value: unknown, keys: readonly Key[]): Record<Key, string> | null {
  const texts = {} as Record<Key, string>;
  for (const key of keys) {
    const text = textIn(value, key);
    if (text === null) return null;
    texts[key] = text;
  }
  return texts;
}

function allOf<Item>(value: unknown, parse: (item: unknown) => Item | null): readonly Item[] | null {
  if (!Array.isArray(value)) return null;
  const items = value.flatMap((item) => parse(item) ?? []);
  return items.length === value.length ? items : null;
}
