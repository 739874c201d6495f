/** How approvals are answered under a policy: through which channels, and how long they wait. */
import { flag, listOf, numberFrom, oneOf, record, type Shape } from "./shape.ts";

/**
 * The ways to answer an approval: the web console, a terminal, or the agent's own client, which may answer without
 * its person.
 */
export const APPROVAL_CHANNELS = Object.freeze(["console", "terminal", "client"] as const);

/** One of them. */
export type ApprovalChannel = (typeof APPROVAL_CHANNELS)[number];

/** How approvals are answered, as people write it. */
export interface ApprovalsDeclaration {
  /** By default all but `client`. */
  readonly via?: readonly ApprovalChannel[];
  /** Seconds that an approval stays pending, and once granted, usable: from 1 to 604,800; 3,600 by default. */
  readonly expiresSeconds?: number;
  /** Seconds that a call over MCP is held for its approval: from 0 to 3,600; 50 by default. */
  readonly waitSeconds?: number;
  /** How many different people must say yes to a call, from 1 to 20, where its tool or a rule asks for no more; 1 by default. */
  readonly approvers?: number;
  /** Whether a principal may say yes to calls of its own sessions; it may by default. */
  readonly own?: boolean;
}

/** The most people that may be asked for. */
export const MAX_APPROVERS = 20;

export const APPROVALS_SHAPE: Shape = record<ApprovalsDeclaration>({
  via: listOf(oneOf(...APPROVAL_CHANNELS)),
  expiresSeconds: numberFrom(1, 604_800),
  waitSeconds: numberFrom(0, 3600),
  approvers: numberFrom(1, MAX_APPROVERS),
  own: flag,
});

/** The same with its defaults. */
export interface ApprovalRules {
  readonly via: readonly ApprovalChannel[];
  readonly expiresSeconds: number;
  readonly waitSeconds: number;
  readonly approvers: number;
  readonly own: boolean;
}

const BY_DEFAULT: readonly ApprovalChannel[] = Object.freeze(["console", "terminal"]);

/** The rules of a declaration, which has the shape of one. */
export function toApprovalRules(declared: ApprovalsDeclaration = {}): ApprovalRules {
  const { via = BY_DEFAULT, expiresSeconds = 3600, waitSeconds = 50, approvers = 1, own = true } = declared;
  return Object.freeze({ via: Object.freeze([...via]), expiresSeconds, waitSeconds, approvers, own });
}
