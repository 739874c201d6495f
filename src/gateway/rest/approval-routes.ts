/** The routes of approvals: the pending ones, and answers. */
import { z } from "zod";
import { type Answer, toTimestamp, unknownSession, type WaitingApproval } from "../../runtime/index.ts";
import { inTurns } from "../console-data/in-turns.ts";
import { type Caller, nameOf } from "../http/authority.ts";
import type { Service } from "../service.ts";
import * as schemas from "./approval-schemas.ts";
import { defineOperatorRoute, type Route, wholeNumber } from "./route.ts";
import { toWireAnswer, toWireAppeal, toWireEnded } from "./wire.ts";
import { toWireRecent, toWireWaiting } from "./wire-approval.ts";
import { fromWireStanding, toWireOffer, toWireStanding } from "./wire-standing.ts";

/** The channel in the journal of a program that doesn't name one. */
const OTHER_WAY = "api";

/** Characters of one list. */
const MAX_LIST_LENGTH = 4 * 1024 * 1024;

/** Approvals prepared at once: their entries are written together. */
const AT_ONCE = 20;

/** Only the first of each session; or the others; or all. */
const CHOICES = Object.freeze({
  pending: { firstOnly: true },
  queued: { behindOnly: true },
  all: {},
});

const fold = wholeNumber(0, 1_000_000).meta({
  description:
    "Cut texts of the arguments and the diff to so many characters, and show the first of many values; 0 cuts nothing.",
});

const list = defineOperatorRoute(
  {
    method: "GET",
    path: "/v1/approvals",
    summary:
      "Calls that wait for a person, one of each session unless more are asked for; or those that are over",
    query: z.strictObject({
      status: z.enum(["pending", "queued", "all", "ended"]).default("pending"),
      via: schemas.way.optional(),
      like: z.string().max(100).optional().meta({
        description:
          "Those alone that wait and are like this one, itself among them: all of them count as shown.",
      }),
      fold,
      limit: wholeNumber(500, 500).meta({ description: "At most so many." }),
      offset: wholeNumber(0, 1_000_000).meta({
        description: "Pass over so many: a list holds as many as have room, and the next call asks on.",
      }),
    }),
    answers: {
      200: {
        description:
          "The first of each session with its forks, then the second of each, and so on; of `ended`, the newest first",
        schema: schemas.approvals,
      },
    },
  },
  async ({ service, query: { status, via, like, fold, limit, offset } }) => {
    if (status === "ended") return { status: 200, body: { approvals: await listEnded(service) } };
    const choice = like === undefined ? CHOICES[status] : { like };
    const chosen = await service.gate.pendingApprovals({ ...choice, fold, limit, offset });
    const parts = Array.from({ length: Math.ceil(chosen.length / AT_ONCE) }, (_, at) =>
      chosen.slice(at * AT_ONCE, (at + 1) * AT_ONCE),
    );
    let length = 0;
    const settled = await inTurns(parts, async (part) => {
      if (length > MAX_LIST_LENGTH) return [];
      const presented = await Promise.allSettled(
        part.map((one) => present(service, one, { via, isShown: like !== undefined || one.before === 0 })),
      );
      // The data sets of the session count too.
      length += JSON.stringify(presented).length;
      return presented;
    });
    // A journal that can't be read or written must not hide the approvals of other sessions.
    const approvals = settled.flat().flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    const failed = settled.flat().find((one) => one.status === "rejected");
    if (approvals.length === 0 && failed) throw failed.reason;
    return { status: 200, body: { approvals } };
  },
);

async function listEnded({ index, gate, clock }: Service): Promise<ReturnType<typeof toWireRecent>[]> {
  await index.catchUp();
  const { policy } = gate;
  return index.over(toTimestamp(clock.now()), policy.version).map((one) => toWireRecent(policy, one));
}

const read = defineOperatorRoute(
  {
    method: "GET",
    path: "/v1/approvals/{approval}",
    summary: "One approval as it is shown to a person, or how it ended",
    query: z.strictObject({ via: schemas.way.optional(), fold }),
    answers: {
      200: {
        description: "What waits, or what was decided",
        schema: z.union([schemas.waitingApproval, schemas.endedApproval]),
      },
    },
  },
  async ({ service, query: { via, fold }, params }) => {
    const found = await service.gate.approval(params.approval ?? "", { fold });
    if ("outcome" in found) return { status: 200, body: toWireEnded(found) };
    return { status: 200, body: await present(service, found, { via, isShown: found.before === 0 }) };
  },
);

/** An approval for a person: its details, and the session's present label. */
async function present(
  { gate }: Service,
  approval: WaitingApproval,
  { via = OTHER_WAY, isShown }: { readonly via: string | undefined; readonly isShown: boolean },
): Promise<ReturnType<typeof toWireWaiting>> {
  // Only the next approval of a session counts as shown.
  if (isShown) await gate.recordShown(approval, via);
  const session = await gate.session(approval.session);
  if (session === null) throw unknownSession();
  return toWireWaiting(gate.policy, session.state, approval);
}

const ANSWERED = {
  200: { description: "Whoever answers otherwise from now on gets 409", schema: schemas.answeredApproval },
};

const approve = defineOperatorRoute(
  {
    method: "POST",
    path: "/v1/approvals/{approval}/approve",
    summary: "Say yes to a call that waits: it is admitted once, with other arguments where they are given",
    body: schemas.approveBody,
    answers: ANSWERED,
  },
  async ({ service, caller, body: { arguments: args, standing, ...body }, params }) => {
    const answer = {
      ...toAnswer("approved", caller, body),
      ...(args && { arguments: args }),
      ...(standing && { standing: fromWireStanding(standing) }),
    };
    return answered(service, params, answer);
  },
);

const offer = defineOperatorRoute(
  {
    method: "POST",
    path: "/v1/approvals/{approval}/standing",
    summary: "What a yes to this call and calls like it would say, in words; nothing is given",
    body: schemas.standingRequest,
    answers: { 200: { description: "To be sent with a yes", schema: schemas.standingOffer } },
  },
  async ({ service, body, params }) => ({
    status: 200,
    body: toWireOffer(await service.gate.offerStanding(params.approval ?? "", fromWireStanding(body))),
  }),
);

const deny = defineOperatorRoute(
  {
    method: "POST",
    path: "/v1/approvals/{approval}/deny",
    summary: "Say no to a call that waits",
    body: schemas.answerBody,
    answers: ANSWERED,
  },
  ({ service, caller, body, params }) => answered(service, params, toAnswer("denied", caller, body)),
);

const denyDeparted = defineOperatorRoute(
  {
    method: "POST",
    path: "/v1/approvals/deny-departed",
    summary: "Say no to all calls whose caller has gone, each by itself",
    body: schemas.answerBody,
    answers: { 200: { description: "Which were denied", schema: schemas.deniedApprovals } },
  },
  async ({ service, caller, body }) => {
    const { answer: _, ...given } = toAnswer("denied", caller, body);
    return { status: 200, body: { denied: await service.gate.denyDeparted(given) } };
  },
);

const answered = async (
  { gate }: Service,
  { approval = "" }: Readonly<Record<string, string>>,
  answer: Answer,
) => ({ status: 200 as const, body: toWireAnswer(await gate.answerApproval(approval, answer)) });

const toAnswer = (
  answer: Answer["answer"],
  caller: Caller,
  { why, via }: z.output<typeof schemas.answerBody>,
): Answer => ({
  answer,
  by: nameOf(caller),
  ...(via && { via }),
  ...(why !== undefined && { why }),
});

const listAppeals = defineOperatorRoute(
  {
    method: "GET",
    path: "/v1/appeals",
    summary: "What agents said on refused calls in the last day, newest first, a few of each session",
    answers: { 200: { description: "Appeals grant nothing by themselves", schema: schemas.appeals } },
  },
  async ({ service: { appeals, clock, gate } }) => {
    const newest = await appeals.newest(clock.now());
    return { status: 200, body: { appeals: newest.map((one) => toWireAppeal(gate.policy, one)) } };
  },
);

const listStanding = defineOperatorRoute(
  {
    method: "GET",
    path: "/v1/standing-approvals",
    summary: "Standing approvals that are in force, with their uses",
    answers: { 200: { description: "Oldest first", schema: schemas.standingApprovals } },
  },
  async ({ service }) => {
    const all = await service.gate.standingApprovals();
    return { status: 200, body: { standing_approvals: all.map(toWireStanding) } };
  },
);

const revokeStanding = defineOperatorRoute(
  {
    method: "DELETE",
    path: "/v1/standing-approvals/{standing}",
    summary: "End a standing approval at once",
    answers: { 200: { description: "The one that has ended", schema: schemas.standingApproval } },
  },
  async ({ service, caller, params }) => ({
    status: 200,
    body: toWireStanding(await service.gate.revokeStandingApproval(params.standing ?? "", nameOf(caller))),
  }),
);

export const APPROVAL_ROUTES: readonly Route[] = Object.freeze([
  list,
  read,
  approve,
  offer,
  deny,
  denyDeparted,
  listAppeals,
  listStanding,
  revokeStanding,
]);
