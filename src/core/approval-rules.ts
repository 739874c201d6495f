/** How approvals are answered under a policy: by which ways, and how long they wait. */
import { SluicegateError } from "../errors/index.ts";

/**
 * The ways to answer an approval: the web console, a terminal, or the agent's own client, which may answer without
 * its person.
 */
export const APPROVAL_WAYS = Object.freeze(["console", "terminal", "client"] as const);

/** One of them. */
export type ApprovalWay = (typeof APPROVAL_WAYS)[number];

/** How approvals are answered, as people write it. */
export interface ApprovalsDeclaration {
  /** By default all but `client`. */
  readonly via?: readonly ApprovalWay[];
  /** How long an approval waits for a person, and a yes for its call: from 1 to 604,800; 3,600 by default. */
  readonly expiresSeconds?: number;
  /** How long a call over MCP is held for its approval: from 0 to 3,600; 50 by default. */
  readonly waitSeconds?: number;
}

/** The same with its defaults. */
export interface ApprovalRules {
  readonly via: readonly ApprovalWay[];
  readonly expiresSeconds: number;
  readonly waitSeconds: number;
}

const BY_DEFAULT: readonly ApprovalWay[] = Object.freeze(["console", "terminal"]);

/** @throws SluicegateError `policy-invalid` for a way that there isn't, or a time out of bounds. */
export function toApprovalRules(declared: ApprovalsDeclaration = {}): ApprovalRules {
  const { via = BY_DEFAULT, expiresSeconds = 3600, waitSeconds = 50 } = declared;
  const isWithin = (value: number, least: number, most: number): boolean =>
    Number.isFinite(value) && value >= least && value <= most;
  const isRight =
    via.every((way) => APPROVAL_WAYS.includes(way)) &&
    isWithin(expiresSeconds, 1, 604_800) &&
    isWithin(waitSeconds, 0, 3600);
  if (isRight) return Object.freeze({ via: Object.freeze([...via]), expiresSeconds, waitSeconds });
  throw new SluicegateError("policy-invalid", "The rules for approvals can't be used.", {
    why: "A way to answer is `console`, `terminal` or `client`; an approval expires after 1 to 604,800 seconds, and a call is held for 0 to 3,600.",
    fix: "Mend `approvals` in the policy.",
  });
}
