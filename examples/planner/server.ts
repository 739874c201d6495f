/**
 * A server that shares one planner: one session for each conversation, its turns in order, other conversations at the
 * same time. Checks itself; run it with Node 24.
 */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { createGate, loadPolicy, type ToolVisibilityPolicy } from "sluicegate";
import { createPlanner } from "sluicegate/agents";
import { scriptedModel, tools } from "./shop.ts";

const model = scriptedModel({
  "What do customers write?": [["search_email", { query: "order" }]],
  "And elsewhere?": [["web_search", { query: "broken parcels" }]],
});

/** What a user's role may see; it could ask a directory. */
const byRole: ToolVisibilityPolicy<{ role: "clerk" | "visitor" }> = {
  visibleTools: (all, { role }) => (role === "clerk" ? all : all.filter(({ name }) => name === "web_search")),
};

const gate = createGate({ policy: await loadPolicy(`${import.meta.dirname}/sluicegate.yaml`) });
const planner = createPlanner({ model, tools, instructions: "You help in a shop." });

interface Turn {
  readonly session: string;
  readonly user: string;
  readonly role: "clerk" | "visitor";
  readonly prompt: string;
}

async function handle({ session: id, user, role, prompt }: Turn) {
  const session = await gate.session(id);
  if (session === null) return { status: "unknown" };
  const run = { session, principal: user, prompt, visibility: byRole, context: { role } };
  const { status, text, steps } = await planner.run(run);
  return { status, text, calls: steps.flatMap(({ calls }) => calls.map(({ outcome }) => outcome)) };
}

const server = createServer(async (request, response) => {
  response.end(JSON.stringify(await handle((await json(request)) as Turn)));
});
await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
const { port } = server.address() as AddressInfo;
const send = async (turn: Turn): Promise<Awaited<ReturnType<typeof handle>>> =>
  JSON.parse(
    await (await fetch(`http://127.0.0.1:${port}`, { method: "POST", body: JSON.stringify(turn) })).text(),
  );

// Two people, three turns, all at once: Ada's come one after the other, and only hers hold mail.
const [ada, linus] = [await gate.open({ principal: "ada" }), await gate.open({ principal: "linus" })];
const clerk = { session: ada.id, user: "ada", role: "clerk" } as const;
const visitor = { session: linus.id, user: "linus", role: "visitor" } as const;
const answers = await Promise.all([
  send({ ...clerk, prompt: "What do customers write?" }),
  send({ ...clerk, prompt: "And elsewhere?" }),
  send({ ...visitor, prompt: "And elsewhere?" }),
]);

assert.deepEqual(
  answers.map(({ status, calls }) => [status, calls]),
  [
    ["done", ["ran"]],
    ["done", ["refused"]],
    ["done", ["ran"]],
  ],
);
assert.match(answers[1].text ?? "", /is blocked in this session/);
assert.deepEqual([ada.label.level, linus.label.level], ["internal", "public"]);
server.close();
await gate.close();
console.log("ok");
