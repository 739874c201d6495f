/** One page of the matching sessions, the most recently changed first. */
import { SluicegateError } from "../../errors/index.ts";
import type { SessionRecord } from "./session-record.ts";

export interface SessionFilters {
  /** Only the sessions of this principal. */
  readonly owner?: string | undefined;
  /** A part of the principal's name, ignoring case. */
  readonly principal?: string | undefined;
  readonly role?: string | undefined;
  /** The level of its label. */
  readonly level?: string | undefined;
  /** Whether it has a denied call. */
  readonly refused?: boolean | undefined;
  /** Whether it has a pending approval. */
  readonly waiting?: boolean | undefined;
  readonly closed?: boolean | undefined;
}

export interface SessionPageOptions {
  readonly filters: SessionFilters;
  readonly limit: number;
  /** `next` of an earlier page. */
  readonly after?: string | undefined;
  /** The number of pending approvals of a session. */
  readonly waitingIn: (record: SessionRecord) => number;
}

export interface SessionPage {
  readonly records: readonly SessionRecord[];
  /** How many sessions match. */
  readonly total: number;
  /** Null if there are no more. */
  readonly next: string | null;
}

/**
 * A page of `sessions`, which are in the order of their last entries. A cursor is the position of such an entry: a
 * session that changes while somebody pages through moves to the first page, and none is shown twice.
 * @throws SluicegateError `invalid-request` for an invalid cursor
 */
export function listSessions(sessions: readonly SessionRecord[], options: SessionPageOptions): SessionPage {
  const { limit, after } = options;
  const before = after === undefined ? Number.POSITIVE_INFINITY : fromCursor(after);
  const fitting = sessions.filter((record) => fits(record, options));
  const rest = fitting.filter(({ position }) => position < before);
  const records = rest.slice(0, limit);
  const last = records.at(-1);
  return {
    records,
    total: fitting.length,
    next: last && rest.length > records.length ? toCursor(last.position) : null,
  };
}

function fits(record: SessionRecord, { filters, waitingIn }: SessionPageOptions): boolean {
  const { owner, principal, role, level, refused, waiting, closed } = filters;
  const { state } = record;
  return (
    (owner === undefined || state.principal === owner) &&
    (principal === undefined || state.principal.toLowerCase().includes(principal.toLowerCase())) &&
    (role === undefined || state.role === role) &&
    (level === undefined || state.label.level === level) &&
    (refused === undefined || record.refused > 0 === refused) &&
    (waiting === undefined || waitingIn(record) > 0 === waiting) &&
    (closed === undefined || state.closed === closed)
  );
}

const toCursor = (position: number): string => Buffer.from(`before ${position}`).toString("base64url");

function fromCursor(cursor: string): number {
  const position = /^before (\d{1,15})$/.exec(Buffer.from(cursor, "base64url").toString())?.[1];
  if (position !== undefined) return Number(position);
  throw new SluicegateError("invalid-request", "The list can't go on there.", {
    why: "`after` must be what an earlier answer gave as `next`.",
    fix: "Leave it out to begin with the first sessions.",
  });
}
