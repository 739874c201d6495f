/** The routes of approvals: what waits for a person, and the person's answer. */
import { z } from "zod";
import { type Answer, OPERATOR } from "../../session/index.ts";
import { defineOperatorRoute, type Route } from "./route.ts";
import * as schemas from "./schemas.ts";
import { toWireAnswer, toWireApproval } from "./wire.ts";

const approvals = defineOperatorRoute(
  {
    method: "GET",
    path: "/v1/approvals",
    summary: "Calls that wait for a person",
    query: z.strictObject({ status: z.literal("pending").default("pending") }),
    answers: { 200: { description: "The queue, oldest first", schema: schemas.approvals } },
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
      answers: {
        200: {
          description: "Whoever answers otherwise from now on gets 409",
          schema: schemas.answeredApproval,
        },
      },
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

export const APPROVAL_ROUTES: readonly Route[] = Object.freeze([approvals, approve, deny]);
