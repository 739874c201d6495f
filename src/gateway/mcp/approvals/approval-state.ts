/**
 * The signed state of a client of revision 2026-07-28, which it returns with its answer: the approval that it was
 * asked about. Nothing is kept in memory, so it works after a restart, and at every gateway with the same key.
 * THREAT: the client stores the state and can send anything. The state is bound to the session, to the exact request,
 * and to the time in which the approval can be answered. It approves nothing by itself, and its approval can be
 * answered once.
 */
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto";
import { type Clock, canonicalJson } from "../../../runtime/index.ts";
import { unknownState } from "./pending-calls.ts";

/** The request that a state belongs to. */
export interface StateBinding {
  readonly session: string;
  /** The exact request. */
  readonly request: string;
}

const PREFIX = "approval.";
const STATE = /^approval\.(appr_[0-9a-f]{32})\.(\d{1,15})\.([0-9a-f]{64})$/;

/** Whether it is a state of this kind, not one of a call that continues in memory. */
export const isApprovalState = (state: string | undefined): state is string =>
  state?.startsWith(PREFIX) ?? false;

export class ApprovalStates {
  readonly #key: KeyObject;
  readonly #clock: Clock;

  /** @param key the gateway's; the signing key is derived from it */
  constructor(key: Uint8Array, clock: Clock) {
    this.#key = createSecretKey(createHmac("sha256", key).update("mcp-approval-state").digest());
    this.#clock = clock;
  }

  /** @param expiresAt how long the approval can be answered (RFC 3339) */
  seal(approval: string, expiresAt: string, binding: StateBinding): string {
    const expires = String(Date.parse(expiresAt));
    return `${PREFIX}${approval}.${expires}.${this.#sign(approval, expires, binding)}`;
  }

  /** The approval that a state names. @throws SluicegateError `invalid-request` for an invalid state. */
  open(state: string, binding: StateBinding): string {
    const [, approval, expires, signature] = STATE.exec(state) ?? [];
    if (approval === undefined || expires === undefined || signature === undefined) throw unknownState();
    const expected = Buffer.from(this.#sign(approval, expires, binding));
    if (!timingSafeEqual(expected, Buffer.from(signature))) throw unknownState();
    if (Number(expires) <= this.#clock.now().getTime()) throw unknownState();
    return approval;
  }

  #sign(approval: string, expires: string, { session, request }: StateBinding): string {
    return createHmac("sha256", this.#key)
      .update(canonicalJson([approval, expires, session, request]))
      .digest("hex");
  }
}
