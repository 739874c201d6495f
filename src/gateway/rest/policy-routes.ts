/** The routes of the policy in force. Read only: policies live in files. */
import { flowsOf } from "../console-data/policy-flows.ts";
import * as schemas from "./policy-schemas.ts";
import { defineOperatorRoute, type Route } from "./route.ts";
import { toWireFlows, toWirePolicy } from "./wire-policy.ts";

const policy = defineOperatorRoute(
  {
    method: "GET",
    path: "/v1/policy",
    summary: "The policy in force: levels, servers, tools, roles, rules",
    answers: { 200: { description: "The policy", schema: schemas.policy } },
  },
  async ({ service: { gate, catalog } }) => ({
    status: 200,
    body: toWirePolicy(gate.policy, catalog.providers),
  }),
);

const flows = defineOperatorRoute(
  {
    method: "GET",
    path: "/v1/policy/flows",
    summary: "Which sources' data may go to which sinks",
    answers: { 200: { description: "Sources against sinks", schema: schemas.flows } },
  },
  async ({ service: { gate } }) => ({ status: 200, body: toWireFlows(await flowsOf(gate.policy)) }),
);

export const POLICY_ROUTES: readonly Route[] = Object.freeze([policy, flows]);
