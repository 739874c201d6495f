/** Freezes over REST: what an operator stops and releases. */
import { z } from "zod";
import type { Freeze } from "../../runtime/index.ts";
import { nameOf } from "../http/authority.ts";
import { defineOperatorRoute, type Route } from "./route.ts";

const name = z.string().min(1).max(300);
const target = {
  principal: name.nullable(),
  session: name.nullable(),
  server: name.nullable(),
  tool: name.nullable(),
};

export const freeze = z
  .strictObject({
    id: z.string(),
    ...target,
    by: z.string(),
    why: z.string().nullable(),
    at: z.string(),
  })
  .meta({ id: "Freeze", description: "Stops the one that is named; everything where none is." });

export const freezes = z.strictObject({ freezes: z.array(freeze) }).meta({ id: "Freezes" });

const freezeBody = z
  .strictObject({
    principal: name.exactOptional(),
    session: name.exactOptional(),
    server: name.exactOptional(),
    tool: name.exactOptional(),
    why: z.string().min(1).max(500).exactOptional(),
  })
  .meta({ id: "FreezeRequest", description: "One of them, or none for everything." });

export const toWireFreeze = ({ id, by, why, at, ...named }: Freeze): z.output<typeof freeze> => ({
  id,
  principal: named.principal ?? null,
  session: named.session ?? null,
  server: named.server ?? null,
  tool: named.tool ?? null,
  by,
  why,
  at,
});

const list = defineOperatorRoute(
  {
    method: "GET",
    path: "/v1/freezes",
    summary: "The freezes in force",
    answers: { 200: { description: "Oldest first", schema: freezes } },
  },
  async ({ service }) => ({
    status: 200,
    body: { freezes: (await service.gate.freezes()).map(toWireFreeze) },
  }),
);

const set = defineOperatorRoute(
  {
    method: "POST",
    path: "/v1/freeze",
    summary: "Stop everything, or all calls of one principal, session, server or tool",
    body: freezeBody,
    answers: { 200: { description: "The freeze that is in force", schema: freeze } },
  },
  async ({ service, caller, body }) => ({
    status: 200,
    body: toWireFreeze(await service.gate.freeze({ ...body, by: nameOf(caller) })),
  }),
);

const lift = defineOperatorRoute(
  {
    method: "DELETE",
    path: "/v1/freeze/{freeze}",
    summary: "End a freeze",
    answers: { 200: { description: "The one that has ended", schema: freeze } },
  },
  async ({ service, caller, params }) => ({
    status: 200,
    body: toWireFreeze(await service.gate.unfreeze(params.freeze ?? "", nameOf(caller))),
  }),
);

export const FREEZE_ROUTES: readonly Route[] = Object.freeze([list, set, lift]);
