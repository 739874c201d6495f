/** Routes for operators and investigators: all sessions, a session's tools, its timeline. */
import { z } from "zod";
import { toTimestamp } from "../../runtime/index.ts";
import { toolsSeen } from "../console-data/gauge.ts";
import { inTurns } from "../console-data/in-turns.ts";
import { listSessions } from "../console-data/list-sessions.ts";
import type { SessionRecord } from "../console-data/session-record.ts";
import { timelineOf } from "../console-data/timelines.ts";
import { nameOf } from "../http/authority.ts";
import { accessOf, mayForAll } from "../http/rights.ts";
import { NewlyBlocked } from "./newly-blocked.ts";
import { defineOperatorRoute, defineSessionRoute, type Route, wholeNumber } from "./route.ts";
import * as schemas from "./session-schemas.ts";
import { toWireSessionTools, toWireSummary } from "./wire-session.ts";
import { toWireTimeline } from "./wire-timeline.ts";

const flag = z.enum(["true", "false"]).optional();
const toFlag = (given: "true" | "false" | undefined): boolean | undefined =>
  given === undefined ? undefined : given === "true";

const list = defineOperatorRoute(
  {
    method: "GET",
    path: "/v1/sessions",
    summary: "All sessions, the one in which something happened last first",
    query: z.strictObject({
      principal: z.string().max(256).optional().meta({ description: "A part of the principal's name." }),
      role: z.string().max(256).optional(),
      level: z.string().max(256).optional(),
      refused: flag.meta({ description: "Whether a call was denied in it." }),
      waiting: flag.meta({ description: "Whether a call waits in it for a person." }),
      closed: flag,
      limit: wholeNumber(100, 500),
      after: z.string().max(100).optional(),
    }),
    answers: { 200: { description: "The sessions that fit", schema: schemas.sessions } },
  },
  async ({ service, caller, query }) => {
    const { index, gate, clock } = service;
    const owner = mayForAll(caller, accessOf("GET /v1/sessions")) ? undefined : nameOf(caller);
    await index.catchUp();
    const { policy } = gate;
    const now = toTimestamp(clock.now());
    const waitingIn = (record: SessionRecord): number => record.waiting(now, policy.version).length;
    const { limit, after, refused, waiting, closed, ...filters } = query;
    const flags = { refused: toFlag(refused), waiting: toFlag(waiting), closed: toFlag(closed) };
    const page = listSessions(index.newestFirst(), {
      filters: { ...filters, ...flags, owner },
      limit,
      after,
      waitingIn,
    });
    const sessions = await inTurns(page.records, (record) =>
      toWireSummary(policy, record, waitingIn(record)),
    );
    return { status: 200, body: { sessions, total: page.total, next: page.next } };
  },
);

const tools = defineSessionRoute(
  {
    method: "GET",
    path: "/v1/session/{id}/tools",
    summary: "The tools that a session sees, what each is, whether it is blocked and what it would block",
    answers: { 200: { description: "The tools, in the policy's order", schema: schemas.sessionTools } },
  },
  async ({ service: { gate } }, { id, state }) => {
    const body = toWireSessionTools(gate.policy, id, state, toolsSeen(gate.policy, state));
    return { status: 200, body };
  },
);

const timeline = defineSessionRoute(
  {
    method: "GET",
    path: "/v1/session/{id}/timeline",
    summary: "What happened in a session: each call with its verdict, what it raised and what it blocked",
    query: z.strictObject({
      before: wholeNumber(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
      limit: wholeNumber(200, 500),
    }),
    answers: {
      200: { description: "The newest ones before `before`, oldest first", schema: schemas.timeline },
    },
  },
  async ({ service: { gate, clock, appeals }, query }, session) => {
    const page = await timelineOf(gate, session, query);
    const { policy } = gate;
    const shutTools = new NewlyBlocked(policy.lattice, toolsSeen(policy, session.state));
    const telling = { policy, shutTools, now: toTimestamp(clock.now()) };
    const body = toWireTimeline(telling, session.id, page);
    for (const event of body.events)
      if ("appeal" in event && event.appeal)
        event.appeal.text = await appeals.words(session.id, event.appeal.call_id);
    return { status: 200, body };
  },
);

const identity = defineOperatorRoute(
  {
    method: "GET",
    path: "/v1/identity",
    summary: "Who the token stands for, and what they may do",
    answers: { 200: { description: "The principal with its rights", schema: schemas.identity } },
  },
  async ({ caller }) => ({
    status: 200,
    body: { principal: nameOf(caller), rights: caller.kind === "principal" ? [...caller.rights] : [] },
  }),
);

export const OVERVIEW_ROUTES: readonly Route[] = Object.freeze([list, tools, timeline, identity]);
