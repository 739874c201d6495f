/** The refused calls of a session that its agent may appeal, and those that it has. */

export interface RefusedCall {
  readonly call: string;
  readonly tool: string;
}

export interface Refusals {
  /** The newest, without those that were appealed. */
  readonly open: readonly RefusedCall[];
  /** The calls that were appealed, oldest first. */
  readonly appealed: readonly string[];
}

/** THREAT: an agent chooses how often it is refused. */
const MAX_OPEN = 16;

export const NO_REFUSALS: Refusals = Object.freeze({
  open: Object.freeze([]),
  appealed: Object.freeze([]),
});

export const addRefused = ({ open, appealed }: Refusals, { call, tool }: RefusedCall): Refusals => ({
  open: [...open.slice(1 - MAX_OPEN), { call, tool }],
  appealed,
});

export const addAppeal = ({ open, appealed }: Refusals, { call }: Pick<RefusedCall, "call">): Refusals => ({
  open: open.filter((one) => one.call !== call),
  appealed: [...appealed, call],
});
