/** The routes of one session: open it, plan and call in it, read it. */
import { z } from "zod";
import { isMethodId } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import { report_impossible, type Session, toTimestamp } from "../../runtime/index.ts";
import { notCallable } from "../../runtime/internal.ts";
import { nameOf } from "../http/authority.ts";
import { accessOf, mayForAll } from "../http/rights.ts";
import { assertAtMost, assertPlanFits } from "../limits.ts";
import type { Service } from "../service.ts";
import {
  defineOperatorRoute,
  defineSessionRoute,
  type Route,
  type RouteAnswer,
  wholeNumber,
} from "./route.ts";
import * as schemas from "./schemas.ts";
import { answer as answerDecision } from "./session-schemas.ts";
import {
  fromWirePlan,
  fromWireReport,
  fromWireToolPolicy,
  toWireAnswerDecision,
  toWireCall,
  toWireDecision,
  toWireJournal,
  toWireManifest,
  toWirePlan,
  toWirePlanDecision,
  toWireState,
} from "./wire.ts";

/** The answer for an opened session: its manifest, and its token. */
const toOpened = ({ authority }: Service, session: Session): RouteAnswer => ({
  status: 201,
  body: { ...toWireManifest(session), session_token: authority.sessionToken(session.id) },
});

const open = defineOperatorRoute(
  {
    method: "POST",
    path: "/v1/session",
    summary: "Open a clean session; answers its manifest and the token that may use it",
    body: schemas.openBody,
    answers: { 201: { description: "The session", schema: schemas.opened } },
  },
  async ({ service, caller, body }) => {
    const { role, task, tools } = body;
    const principal = body.principal ?? nameOf(caller);
    if (principal !== nameOf(caller) && !mayForAll(caller, accessOf("POST /v1/session")))
      throw notForOthers();
    const session = await service.gate.open({
      principal,
      ...(role !== undefined && { role }),
      ...(task !== undefined && { task }),
      ...(tools && { tools }),
    });
    return toOpened(service, session);
  },
);

const state = defineSessionRoute(
  {
    method: "GET",
    path: "/v1/session/{id}",
    summary: "What a session holds now",
    answers: { 200: { description: "The state", schema: schemas.sessionState } },
  },
  async ({ service }, session) => ({
    status: 200,
    body: await toWireState(session, toTimestamp(service.clock.now())),
  }),
);

const reset = defineSessionRoute(
  {
    method: "POST",
    path: "/v1/session/{id}/reset",
    summary: "Close a session for good and open a clean one for the same principal and role",
    body: z.strictObject({}),
    answers: { 201: { description: "The new session", schema: schemas.opened } },
  },
  async ({ service }, session) => toOpened(service, await service.gate.reset(session.id)),
);

const fork = defineSessionRoute(
  {
    method: "POST",
    path: "/v1/session/{id}/fork",
    summary: "Open a session for the same principal that starts with this one's label and has no more tools",
    body: schemas.forkBody,
    answers: { 201: { description: "The fork", schema: schemas.opened } },
  },
  async ({ service, caller, body: { tool_policy: given } }, session) => {
    const toolPolicy = given && fromWireToolPolicy(given);
    // THREAT: the holder of a session's token could read in one and send in the other, so both share one
    // label.
    const sharesLabel = caller.kind === "session";
    return toOpened(service, await session.fork({ sharesLabel, ...(toolPolicy && { toolPolicy }) }));
  },
);

const words = defineSessionRoute(
  {
    method: "POST",
    path: "/v1/session/{id}/words",
    summary: "Add what the user said; what it names may be used by calls that follow. Not for agents",
    body: schemas.wordsBody,
    answers: { 200: { description: "The session's state after it", schema: schemas.sessionState } },
  },
  async ({ service, body }, session) => {
    await session.say(body.text);
    return { status: 200, body: await toWireState(session, toTimestamp(service.clock.now())) };
  },
);

const manifest = defineSessionRoute(
  {
    method: "GET",
    path: "/v1/session/{id}/manifest",
    summary: "What each tool is, and what calling it will block, as of now",
    answers: { 200: { description: "The manifest", schema: schemas.manifest } },
  },
  async (_, session) => ({ status: 200, body: toWireManifest(session) }),
);

const answer = defineSessionRoute(
  {
    method: "GET",
    path: "/v1/session/{id}/answer",
    summary: "Whether the session's final answer may be given, by its role's clearance; it changes nothing",
    answers: { 200: { description: "The decision", schema: answerDecision } },
  },
  async (_, session) => ({ status: 200, body: toWireAnswerDecision(session.mayAnswer(), session.label) }),
);

const validatePlan = defineSessionRoute(
  {
    method: "POST",
    path: "/v1/session/{id}/validate-plan",
    summary: "Check a planned sequence of calls; it authorises nothing",
    body: schemas.planBody,
    answers: { 200: { description: "The check", schema: schemas.planAnswer } },
  },
  async ({ service, body }, session) => {
    const planned = fromWirePlan(body.planned_calls);
    assertPlanFits(service.limits, planned);
    const check = await session.examinePlan(planned);
    return { status: 200, body: toWirePlan(check, session) };
  },
);

const plan = defineSessionRoute(
  {
    method: "POST",
    path: "/v1/session/{id}/plan",
    summary: "Ask once for a whole plan; approved, each of its calls may run once, as it was shown",
    body: schemas.planBody,
    answers: { 200: { description: "The plan's decision", schema: schemas.planDecision } },
  },
  async ({ service, body }, session) => {
    const planned = fromWirePlan(body.planned_calls);
    assertPlanFits(service.limits, planned);
    return { status: 200, body: toWirePlanDecision(await session.plan(planned), session) };
  },
);

const decide = defineSessionRoute(
  {
    method: "POST",
    path: "/v1/session/{id}/decide",
    summary: "Decide calls that the agent runs itself; an allowed one is admitted and raises the session",
    body: schemas.decideBody,
    answers: {
      200: {
        description: "The decision, or for a batch the decisions in order",
        schema: z.union([schemas.decision, z.strictObject({ decisions: z.array(schemas.decision) })]),
      },
    },
  },
  async ({ service, body, signal }, session) => {
    const calls = "calls" in body ? body.calls : [{ tool: body.tool, arguments: body.arguments }];
    assertAtMost(calls.length, service.limits.batchCalls, "calls of the batch");
    for (const { tool } of calls) if (isMethodId(tool)) throw notCallable(tool);
    const waitSeconds = "calls" in body ? 0 : body.wait;
    const decisions = (await session.decide(calls, { waitSeconds, signal })).map(toWireDecision);
    return { status: 200, body: "calls" in body ? { decisions } : decisions[0] };
  },
);

const report = defineSessionRoute(
  {
    method: "POST",
    path: "/v1/session/{id}/report",
    summary: "Tell how a call ended that the agent ran itself; a label that was found only raises",
    body: schemas.reportBody,
    answers: { 200: { description: "The session's state after it", schema: schemas.sessionState } },
  },
  async ({ service, body }, session) => {
    await session.report(fromWireReport(body));
    return { status: 200, body: await toWireState(session, toTimestamp(service.clock.now())) };
  },
);

const impossible = defineSessionRoute(
  {
    method: "POST",
    path: "/v1/session/{id}/report-impossible",
    summary: "Say that the task can't be done; what waits for a person in this session is cancelled",
    body: schemas.impossibleBody,
    answers: { 200: { description: "It is recorded", schema: schemas.acknowledged } },
  },
  async ({ body }, session) => ({ status: 200, body: await report_impossible(session, body) }),
);

const appeal = defineSessionRoute(
  {
    method: "POST",
    path: "/v1/session/{id}/appeal",
    summary: "Say in one sentence why a refused call should run; a person sees it, and it grants nothing",
    body: schemas.appealBody,
    answers: { 200: { description: "It is recorded", schema: schemas.appealAnswer } },
  },
  async ({ body: { call_id, text } }, session) => {
    await session.appeal({ callId: call_id, text });
    return { status: 200, body: { acknowledged: true, call_id } };
  },
);

const callTool = defineSessionRoute(
  {
    method: "POST",
    path: "/v1/session/{id}/call",
    summary: "Decide a call and, where it is allowed, run it at its server",
    body: schemas.heldCall,
    answers: {
      200: { description: "The decision, and the result where it ran", schema: schemas.callAnswer },
    },
  },
  async ({ service, body: { wait: waitSeconds, ...call }, signal }, session) => {
    const execution = await service.execute(session, call, { waitSeconds, signal });
    return { status: 200, body: toWireCall(execution) };
  },
);

const journal = defineSessionRoute(
  {
    method: "GET",
    path: "/v1/session/{id}/journal",
    summary: "A session's journal, hash-chained",
    query: z.strictObject({
      after: wholeNumber(0, Number.MAX_SAFE_INTEGER),
      limit: wholeNumber(1000, 1000),
    }),
    answers: { 200: { description: "Entries after `after`, oldest first", schema: schemas.journal } },
  },
  async ({ query }, session) => ({
    status: 200,
    body: toWireJournal(await session.journal(query.after, query.limit), query.after),
  }),
);

const notForOthers = (): SluicegateError =>
  new SluicegateError("forbidden", "This token opens sessions for its own principal alone.", {
    why: "`principal` names somebody else, for whom the right `administer` is needed.",
    fix: "Leave `principal` out.",
  });

export const SESSION_ROUTES: readonly Route[] = Object.freeze([
  open,
  state,
  reset,
  fork,
  words,
  manifest,
  answer,
  validatePlan,
  plan,
  decide,
  report,
  impossible,
  appeal,
  callTool,
  journal,
]);
