/** The REST routes, in the order of the documentation. */
import { z } from "zod";
import { type Answer, OPERATOR, toTimestamp } from "../../session/index.ts";
import { execute } from "../execute.ts";
import { assertAtMost, assertPlanFits } from "../limits.ts";
import { defineOperatorRoute, defineSessionRoute, type Route, wholeNumber } from "./route.ts";
import * as schemas from "./schemas.ts";
import {
  fromWirePlan,
  fromWireReport,
  toWireAnswer,
  toWireApproval,
  toWireCall,
  toWireDecision,
  toWireJournal,
  toWireManifest,
  toWirePlan,
  toWireReview,
  toWireState,
} from "./wire.ts";

const answer = (description: string, schema: z.ZodType) => ({ description, schema });

const open = defineOperatorRoute(
  {
    method: "POST",
    path: "/v1/session",
    summary: "Open a clean session; answers its manifest and the token that may use it",
    body: schemas.openBody,
    answers: { 201: answer("The session", schemas.opened) },
  },
  async ({ service, body }) => {
    const { principal, role, task, tools } = body;
    const session = await service.gate.open({
      ...(principal !== undefined && { principal }),
      ...(role !== undefined && { role }),
      ...(task !== undefined && { task }),
      ...(tools && { tools }),
    });
    const token = { session_token: service.authority.sessionToken(session.id) };
    return { status: 201, body: { ...toWireManifest(session), ...token } };
  },
);

const state = defineSessionRoute(
  {
    method: "GET",
    path: "/v1/session/{id}",
    summary: "What a session holds now",
    answers: { 200: answer("The state", schemas.sessionState) },
  },
  async ({ service }, session) => ({
    status: 200,
    body: toWireState(session, toTimestamp(service.clock.now())),
  }),
);

const reset = defineOperatorRoute(
  {
    method: "POST",
    path: "/v1/session/{id}/reset",
    summary: "Close a session for good and open a clean one for the same principal and role",
    body: z.strictObject({}),
    answers: { 201: answer("The new session", schemas.opened) },
  },
  async ({ service, named }) => {
    const successor = await service.gate.reset((await named()).id);
    const token = { session_token: service.authority.sessionToken(successor.id) };
    return { status: 201, body: { ...toWireManifest(successor), ...token } };
  },
);

const manifest = defineSessionRoute(
  {
    method: "GET",
    path: "/v1/session/{id}/manifest",
    summary: "What each tool is, and what calling it will block, as of now",
    answers: { 200: answer("The manifest", schemas.manifest) },
  },
  async (_, session) => ({ status: 200, body: toWireManifest(session) }),
);

const validatePlan = defineSessionRoute(
  {
    method: "POST",
    path: "/v1/session/{id}/validate-plan",
    summary: "Check a planned sequence of calls; it authorises nothing",
    body: schemas.planBody,
    answers: { 200: answer("The check", schemas.planAnswer) },
  },
  async ({ service, body }, session) => {
    const planned = fromWirePlan(body.planned_calls);
    assertPlanFits(service.limits, planned);
    return { status: 200, body: toWirePlan(session.checkPlan(planned)) };
  },
);

const decide = defineSessionRoute(
  {
    method: "POST",
    path: "/v1/session/{id}/decide",
    summary: "Decide calls that the agent runs itself; an allowed one is admitted and raises the session",
    body: schemas.decideBody,
    answers: {
      200: answer(
        "The decision, or for a batch the decisions in order",
        z.union([schemas.decision, z.strictObject({ decisions: z.array(schemas.decision) })]),
      ),
    },
  },
  async ({ service, body, signal }, session) => {
    const calls = "calls" in body ? body.calls : [body];
    assertAtMost(calls.length, service.limits.batchCalls, "calls of the batch");
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
    answers: { 200: answer("The session's state after it", schemas.sessionState) },
  },
  async ({ service, body }, session) => {
    await session.report(fromWireReport(body));
    return { status: 200, body: toWireState(session, toTimestamp(service.clock.now())) };
  },
);

const callTool = defineSessionRoute(
  {
    method: "POST",
    path: "/v1/session/{id}/call",
    summary: "Decide a call and, where it is allowed, run it at its server",
    body: schemas.heldCall,
    answers: { 200: answer("The decision, and the result where it ran", schemas.callAnswer) },
  },
  async ({ service, body: { wait: waitSeconds, ...call }, signal }, session) => {
    const execution = await execute(service.gate, service.catalog, session, call, { waitSeconds, signal });
    return { status: 200, body: toWireCall(execution) };
  },
);

const journal = defineOperatorRoute(
  {
    method: "GET",
    path: "/v1/session/{id}/journal",
    summary: "A session's journal, hash-chained",
    query: z.strictObject({
      after: wholeNumber(0, Number.MAX_SAFE_INTEGER),
      limit: wholeNumber(1000, 1000),
    }),
    answers: { 200: answer("Entries after `after`, oldest first", schemas.journal) },
  },
  async ({ query, named }) => {
    const session = await named();
    return { status: 200, body: toWireJournal(await session.journal(query.after, query.limit), query.after) };
  },
);

const approvals = defineOperatorRoute(
  {
    method: "GET",
    path: "/v1/approvals",
    summary: "Calls that wait for a person",
    query: z.strictObject({ status: z.literal("pending").default("pending") }),
    answers: { 200: answer("The queue, oldest first", schemas.approvals) },
  },
  async ({ service }) => ({
    status: 200,
    body: { approvals: (await service.gate.pendingApprovals()).map(toWireApproval) },
  }),
);

const answerRoute = (path: string, given: Answer["answer"], summary: string): Route =>
  defineOperatorRoute(
    {
      method: "POST",
      path: `/v1/approvals/{approval}/${path}`,
      summary,
      body: schemas.answerBody,
      answers: { 200: answer("Whoever answers otherwise from now on gets 409", schemas.answeredApproval) },
    },
    async ({ service, body: { why }, params }) => {
      const answered = await service.gate.answerApproval(params.approval ?? "", {
        answer: given,
        by: OPERATOR,
        ...(why !== undefined && { why }),
      });
      return { status: 200, body: toWireAnswer(answered) };
    },
  );

const approve = answerRoute("approve", "approved", "Say yes to a call that waits: it is admitted once");
const deny = answerRoute("deny", "denied", "Say no to a call that waits");

const tools = defineOperatorRoute(
  {
    method: "GET",
    path: "/v1/tools",
    summary: "Whether each tool's definition is the accepted one, and what differs where it isn't",
    answers: {
      200: answer("The tools that servers offer, and accepted ones that none does", schemas.toolReviews),
    },
  },
  async ({ service }) => ({
    status: 200,
    body: { tools: (await service.catalog.review()).map(toWireReview) },
  }),
);

const acceptTool = defineOperatorRoute(
  {
    method: "POST",
    path: "/v1/tools/accept",
    summary: "Accept the definition that was looked at; 409 with the present one where it has changed since",
    body: schemas.acceptBody,
    answers: { 200: answer("The tool; every session has it again", schemas.toolReview) },
  },
  async ({ service, body }) => ({
    status: 200,
    body: toWireReview(await service.catalog.accept(body.tool, body.hash)),
  }),
);

const readyz = defineOperatorRoute(
  {
    method: "GET",
    path: "/readyz",
    summary: "Whether each server has answered or was given up for now, and what they offer is pinned",
    answers: { 200: answer("Ready", schemas.readiness), 503: answer("Not ready yet", schemas.readiness) },
  },
  async ({ service }) => {
    const servers = service.catalog.providers.map(({ id, status, problem, tools }) => ({
      id,
      status,
      problem,
      tools: tools.size,
    }));
    const ready = service.catalog.isSettled && servers.every(({ status }) => status !== "starting");
    return { status: ready ? 200 : 503, body: { ready, servers } };
  },
);

export const ROUTES: readonly Route[] = Object.freeze([
  open,
  state,
  reset,
  manifest,
  validatePlan,
  decide,
  report,
  callTool,
  journal,
  approvals,
  approve,
  deny,
  tools,
  acceptTool,
  readyz,
]);
