/** The REST routes, in the order of the documentation. */
import { z } from "zod";
import type { Service } from "../service.ts";
import { APPROVAL_ROUTES } from "./approval-routes.ts";
import { FREEZE_ROUTES } from "./freeze-routes.ts";
import { OVERVIEW_ROUTES } from "./overview-routes.ts";
import { POLICY_ROUTES, TOOL_ROUTES } from "./policy-routes.ts";
import { defineOperatorRoute, type Route } from "./route.ts";
import { SESSION_ROUTES } from "./session-routes.ts";
import { SIGN_IN_ROUTES } from "./sign-in-routes.ts";

const readiness = z.strictObject({
  ready: z.boolean(),
  draining: z.boolean().meta({ description: "It is stopping: no new calls are taken." }),
  store: z
    .strictObject({ ok: z.boolean(), at: z.string(), problem: z.string().nullable() })
    .nullable()
    .meta({ description: "How the last write to the store went; null where nothing was written yet." }),
  other_policy: z.strictObject({ version: z.string(), since: z.string() }).nullable().meta({
    description: "The policy by which another gateway on the store decides; null if none is known to.",
  }),
  servers: z.array(
    z.strictObject({ id: z.string(), status: z.string(), problem: z.string().nullable(), tools: z.int() }),
  ),
});

const readyz = defineOperatorRoute(
  {
    method: "GET",
    path: "/readyz",
    summary:
      "Whether each server has answered or was given up for now, what they offer is pinned, and the store can be written",
    answers: {
      200: { description: "Ready", schema: readiness },
      503: { description: "Not ready yet, or stopping", schema: readiness },
    },
  },
  async ({ service }) => {
    const body = await readinessOf(service);
    return { status: body.ready ? 200 : 503, body };
  },
);

/** Whether the gateway can decide and run calls now. */
export async function readinessOf(service: Service): Promise<z.output<typeof readiness>> {
  const servers = service.catalog.providers.map(({ id, status, problem, tools }) => ({
    id,
    status,
    problem,
    tools: tools.size,
  }));
  const { isDraining: draining } = service.gate.calls;
  const isSettled = service.catalog.isSettled && servers.every(({ status }) => status !== "starting");
  const lastWrite = await service.storeHealth.look();
  const ready = isSettled && !draining && lastWrite?.ok !== false;
  return { ready, draining, store: lastWrite, other_policy: service.otherPolicy(), servers };
}

export const ROUTES: readonly Route[] = Object.freeze([
  ...SESSION_ROUTES,
  ...OVERVIEW_ROUTES,
  ...APPROVAL_ROUTES,
  ...FREEZE_ROUTES,
  ...TOOL_ROUTES,
  ...SIGN_IN_ROUTES,
  ...POLICY_ROUTES,
  readyz,
]);
