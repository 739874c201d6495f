/** The REST routes, in the order of the documentation. */
import { z } from "zod";
import { toTimestamp } from "../../session/index.ts";
import { execute } from "../execute.ts";
import { assertAtMost, assertPlanFits } from "../limits.ts";
import { defineOperatorRoute, defineSessionRoute, type Route, wholeNumber } from "./route.ts";
import * as schemas from "./schemas.ts";
import {
  fromWirePlan,
  fromWireReport,
  toWireApproval,
  toWireCall,
  toWireDecision,
  toWireJournal,
  toWireManifest,
  toWirePlan,
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
  async ({ service, body }, session) => {
    const calls = "calls" in body ? body.calls : [body];
    assertAtMost(calls.length, service.limits.batchCalls, "calls of the batch");
    const decisions = (await session.decide(calls)).map(toWireDecision);
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
    body: schemas.call,
    answers: { 200: answer("The decision, and the result where it ran", schemas.callAnswer) },
  },
  async ({ service, body, signal }, session) => {
    const execution = await execute(service.gate, service.catalog, session, body, { signal });
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

const readyz = defineOperatorRoute(
  {
    method: "GET",
    path: "/readyz",
    summary: "Whether each server has answered or was given up for now",
    answers: { 200: answer("Ready", schemas.readiness), 503: answer("Not ready yet", schemas.readiness) },
  },
  async ({ service }) => {
    const servers = service.catalog.providers.map(({ id, status, problem, tools }) => ({
      id,
      status,
      problem,
      tools: tools.size,
    }));
    const ready = servers.every(({ status }) => status !== "starting");
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
  readyz,
]);
