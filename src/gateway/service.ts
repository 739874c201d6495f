/** What the gateway's interfaces share: the gate, call execution, authentication, and limits. */
import type { Call } from "../core/index.ts";
import { SluicegateError } from "../errors/index.ts";
import type { SignIns } from "../providers/mcp/index.ts";
import { type Appeals, type Clock, type Gate, type Session, unknownSession } from "../runtime/index.ts";
import type { ExecuteOptions, Execution, OtherPolicy } from "../runtime/internal.ts";
import { isTurnOver, nextTurnOf } from "../threads/index.ts";
import type { SessionIndex } from "./console-data/session-index.ts";
import type { AnswerLinks } from "./http/answer-page.ts";
import { type Authority, type Caller, toOwner } from "./http/authority.ts";
import { type Access, mayForAll, mayForOwn } from "./http/rights.ts";
import type { GatewayLimits } from "./limits.ts";
import type { StoreHealth } from "./state/store-health.ts";
import type { Reloaded, ReloadOptions } from "./tools/reload-policy.ts";
import type { ToolRegistry } from "./tools/tool-registry.ts";

export interface Service {
  readonly gate: Gate;
  readonly catalog: ToolRegistry;
  readonly authority: Authority;
  readonly limits: GatewayLimits;
  readonly clock: Clock;
  readonly version: string;
  /** For the console; no decision depends on it. */
  readonly index: SessionIndex;
  readonly storeHealth: Pick<StoreHealth, "look">;
  readonly appeals: Appeals;
  /** By server, for those that use OAuth. */
  readonly signIns: ReadonlyMap<string, SignIns>;
  /**
   * Reads the policy file again and puts it in force. @throws SluicegateError `reload-refused`, and as reading it
   * does
   */
  readonly reload: (options: ReloadOptions) => Promise<Reloaded>;
  /** The policy by which another gateway on the store decides; null if none is known to. */
  readonly otherPolicy: () => OtherPolicy | null;
  readonly execute: Execute;
  /** The links of approvers; null if none are sent. */
  readonly links: AnswerLinks | null;
}

/** Decides a call and, if it is allowed, runs it at its server. */
export type Execute = (session: Session, call: Call, options: ExecuteOptions) => Promise<Execution>;

/** Measures calls: traces and metrics. */
export interface Telemetry {
  /** Runs a request with this `traceparent` of its HTTP headers. */
  within<Result>(traceparent: string | null, run: () => Result): Result;
  /** `execute`, measured. */
  measured(execute: Execute): Execute;
  /** Sends what is left. Never rejects. */
  close(): Promise<void>;
}

/** The parts of a request that name its session. */
export interface Named {
  readonly path?: string | undefined;
  readonly header?: string | undefined;
}

/**
 * The session of a request: named in the path, in the `Sluicegate-Session` header or by its token; otherwise its
 * principal's sticky one, never a clean one.
 * @throws SluicegateError `session-mismatch` if path and header differ; `session-not-found` for an unknown session, a
 *   malformed id and somebody else's session alike.
 */
export async function resolveSession(
  service: Service,
  caller: Caller,
  named: Named & { readonly access: Access },
): Promise<Session> {
  const session = await findSession(service, caller, named);
  // Many requests may have waited for one refresh, each with much to do. The operator's don't wait behind a session's.
  if (isTurnOver()) await nextTurnOf(caller.kind === "session" ? session : toOwner(caller));
  return session;
}

async function findSession(
  service: Service,
  caller: Caller,
  { path, header, access }: Named & { readonly access: Access },
): Promise<Session> {
  if (path !== undefined && header !== undefined && path !== header) {
    throw new SluicegateError("session-mismatch", "The request names two sessions.", {
      why: "Its path and its `Sluicegate-Session` header differ.",
      fix: "Name one session, in one place.",
    });
  }
  const id = path ?? header;
  if (caller.kind === "session") {
    if (id !== undefined && id !== caller.session) throw unknownSession();
    return found(await service.gate.session(caller.session));
  }
  if (id === undefined) return service.gate.sticky(caller.name);
  const session = found(/^sess_[0-9a-f]{32}$/.test(id) ? await service.gate.session(id) : null);
  const isOwn = session.principal === caller.name && mayForOwn(caller, access);
  if (!isOwn && !mayForAll(caller, access)) throw unknownSession();
  return session;
}

function found(session: Session | null): Session {
  if (session === null) throw unknownSession();
  return session;
}
