/** Which right each route needs. A route without an entry is for nobody. */
import { SluicegateError } from "../../errors/index.ts";
import type { Right } from "../../policy-file/index.ts";
import type { Caller } from "./authority.ts";

/** Who may use a route. */
export interface Access {
  /** Whether the token of that session is enough. */
  readonly session: boolean;
  /** What a principal needs for its own sessions, and for the route at all if it has none of `all`. */
  readonly own: Right | null;
  /** Any one of these is enough for every session. */
  readonly all: readonly Right[];
}

const forAll = (...all: readonly Right[]): Access => ({ session: false, own: null, all });

/** Routes that use a session. */
const USE: Access = { session: true, own: "use", all: ["administer"] };
/** Routes that read a session's state; its agent may use them. */
const READ: Access = { session: true, own: "use", all: ["look", "administer"] };
/** Routes that read what happened in a session; its agent may not use them. */
const REVIEW: Access = { session: false, own: "use", all: ["look", "administer"] };
/** Routes that speak for the user; an agent may not use them. */
const HOST: Access = { session: false, own: "use", all: ["administer"] };
const ANYBODY = forAll("use", "look", "approve", "administer");
const APPROVALS = forAll("approve", "look");
const NOBODY = forAll();

export const RIGHTS_OF_ROUTES: Readonly<Record<string, Access>> = Object.freeze({
  "POST /v1/session": HOST,
  "GET /v1/session/{id}": READ,
  "POST /v1/session/{id}/reset": forAll("administer"),
  "POST /v1/session/{id}/fork": USE,
  "POST /v1/session/{id}/words": HOST,
  "GET /v1/session/{id}/manifest": READ,
  "GET /v1/session/{id}/answer": READ,
  "POST /v1/session/{id}/validate-plan": USE,
  "POST /v1/session/{id}/plan": USE,
  "POST /v1/session/{id}/decide": USE,
  "POST /v1/session/{id}/report": USE,
  "POST /v1/session/{id}/report-impossible": USE,
  "POST /v1/session/{id}/appeal": USE,
  "POST /v1/session/{id}/call": USE,
  "GET /v1/session/{id}/journal": REVIEW,
  "GET /v1/session/{id}/tools": REVIEW,
  "GET /v1/session/{id}/timeline": REVIEW,
  "GET /v1/sessions": REVIEW,
  "GET /v1/approvals": APPROVALS,
  "GET /v1/approvals/{approval}": APPROVALS,
  "POST /v1/approvals/{approval}/approve": forAll("approve"),
  "POST /v1/approvals/{approval}/deny": forAll("approve"),
  "POST /v1/approvals/{approval}/standing": forAll("approve"),
  "POST /v1/approvals/deny-departed": forAll("approve"),
  "GET /v1/appeals": APPROVALS,
  "GET /v1/standing-approvals": forAll("approve", "look", "administer"),
  "DELETE /v1/standing-approvals/{standing}": forAll("approve", "administer"),
  "GET /v1/freezes": forAll("look", "administer"),
  "POST /v1/freeze": forAll("administer"),
  "DELETE /v1/freeze/{freeze}": forAll("administer"),
  "GET /v1/tools": forAll("look", "administer"),
  "POST /v1/tools/accept": forAll("administer"),
  "GET /v1/sign-ins": forAll("use", "look", "administer"),
  "POST /v1/servers/{server}/sign-in": forAll("use", "administer"),
  "POST /v1/servers/{server}/sign-in/answer": forAll("use", "administer"),
  "POST /v1/servers/{server}/sign-in/exchange": forAll("use", "administer"),
  "DELETE /v1/servers/{server}/sign-in": forAll("use", "administer"),
  "GET /v1/policy": forAll("look", "approve", "administer"),
  "POST /v1/policy/reload": forAll("administer"),
  "GET /v1/policy/flows": forAll("look", "approve", "administer"),
  "GET /v1/identity": ANYBODY,
  "GET /v1/events": APPROVALS,
  "GET /openapi.json": { ...ANYBODY, session: true },
  "GET /readyz": forAll("look", "administer"),
  "GET /metrics": forAll("look", "administer"),
  "/mcp": USE,
  "/s/{id}/mcp": USE,
});

/** By `METHOD /path`, as in the route. */
export const accessOf = (route: string): Access =>
  Object.hasOwn(RIGHTS_OF_ROUTES, route) ? (RIGHTS_OF_ROUTES[route] ?? NOBODY) : NOBODY;

/** @throws SluicegateError `forbidden` if the caller may not use the route for any session. */
export function assertMay(caller: Caller, access: Access): void {
  if (caller.kind === "session") {
    if (!access.session) throw notForSessions();
  } else if (!mayForAll(caller, access) && !mayForOwn(caller, access)) {
    throw rightMissing(access);
  }
}

/** Whether a caller may use a route for all sessions. */
export const mayForAll = (caller: Caller, { all }: Access): boolean =>
  caller.kind === "principal" && all.some((right) => caller.rights.has(right));

/** Whether a caller may use a route for its own sessions. */
export const mayForOwn = (caller: Caller, { own }: Access): boolean =>
  caller.kind === "principal" && own !== null && caller.rights.has(own);

const notForSessions = (): SluicegateError =>
  new SluicegateError("forbidden", "A session's token can't do this.", {
    why: "It may use its own session and nothing else: no opening, resetting, approving, and no journals.",
    fix: "Use the operator's token, or that of a principal who may.",
  });

function rightMissing({ own, all }: Access): SluicegateError {
  const needed = [...new Set(own === null ? all : [own, ...all])].map((right) => `\`${right}\``).join(" or ");
  return new SluicegateError("forbidden", "This token can't do this.", {
    why:
      needed === ""
        ? "The route is for nobody."
        : `It needs the right ${needed}, which its principal doesn't have.`,
    fix: "Ask whoever has it, or the operator, who grants rights under `identities` in the policy.",
  });
}
