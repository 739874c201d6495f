/**
 * Routes of the policy in force, which can be read and reloaded; and of tools' definitions, which can be compared and
 * accepted.
 */
import { flowsOf } from "../console-data/policy-flows.ts";
import * as policySchemas from "./policy-schemas.ts";
import { defineOperatorRoute, type Route } from "./route.ts";
import * as schemas from "./schemas.ts";
import { toWireReview } from "./wire.ts";
import { toWireFlows, toWirePolicy } from "./wire-policy.ts";

const policy = defineOperatorRoute(
  {
    method: "GET",
    path: "/v1/policy",
    summary: "The policy in force: levels, servers, tools, roles, rules",
    answers: { 200: { description: "The policy", schema: policySchemas.policy } },
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
    answers: { 200: { description: "Sources against sinks", schema: policySchemas.flows } },
  },
  async ({ service: { gate } }) => ({ status: 200, body: toWireFlows(await flowsOf(gate.policy)) }),
);

const reload = defineOperatorRoute(
  {
    method: "POST",
    path: "/v1/policy/reload",
    summary:
      "Read the policy file again and put it in force; what it may allow beyond the one before is told",
    body: policySchemas.reloadBody,
    answers: { 200: { description: "The policy that is in force now", schema: policySchemas.reloaded } },
  },
  async ({ service, body }) => {
    const { version, isChanged, widens } = await service.reload({
      allowsWidening: body.allow_widening ?? false,
    });
    return { status: 200, body: { version, changed: isChanged, widens: [...widens] } };
  },
);

export const POLICY_ROUTES: readonly Route[] = Object.freeze([policy, flows, reload]);

const tools = defineOperatorRoute(
  {
    method: "GET",
    path: "/v1/tools",
    summary: "Whether each tool's definition is the accepted one, and what differs where it isn't",
    answers: {
      200: {
        description: "The tools that servers offer, and accepted ones that none does",
        schema: schemas.toolReviews,
      },
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
    answers: { 200: { description: "The tool; every session has it again", schema: schemas.toolReview } },
  },
  async ({ service, body }) => ({
    status: 200,
    body: toWireReview(await service.catalog.accept(body.tool, body.hash)),
  }),
);

export const TOOL_ROUTES: readonly Route[] = Object.freeze([tools, acceptTool]);
