/** The routes of whoever operates and investigates: all sessions, one session's tools, what happened in it. */
import { z } from "zod";
import { defineOperatorRoute, type Route, wholeNumber } from "./route.ts";
import * as schemas from "./session-schemas.ts";

const flag = z.enum(["true", "false"]).optional();

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
  async () => {
    throw new TypeError("not built yet");
  },
);

const tools = defineOperatorRoute(
  {
    method: "GET",
    path: "/v1/session/{id}/tools",
    summary: "The tools that a session sees, what each is, whether it is blocked and what it would shut",
    answers: { 200: { description: "The tools, in the policy's order", schema: schemas.sessionTools } },
  },
  async () => {
    throw new TypeError("not built yet");
  },
);

const timeline = defineOperatorRoute(
  {
    method: "GET",
    path: "/v1/session/{id}/timeline",
    summary: "What happened in a session: each call with its verdict, what it raised and what it shut",
    query: z.strictObject({
      before: wholeNumber(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
      limit: wholeNumber(200, 500),
    }),
    answers: {
      200: { description: "The newest ones before `before`, oldest first", schema: schemas.timeline },
    },
  },
  async () => {
    throw new TypeError("not built yet");
  },
);

export const OVERVIEW_ROUTES: readonly Route[] = Object.freeze([list, tools, timeline]);
