/** Who is told when a webhook is down and many calls wait. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, expect, it } from "vitest";
import { definePolicy } from "../core/index.ts";
import { SluicegateError } from "../errors/index.ts";
import { createGate } from "../runtime/index.ts";
import { createMemoryStore } from "../stores/index.ts";
import { AnswerLinks } from "./http/answer-page.ts";
import { Notifier } from "./notifier.ts";

const told: string[] = [];
let status = 503;
const receiver = createServer((request, response) => {
  if (status === 204) told.push(String(request.headers["webhook-id"]));
  response.writeHead(status).end();
});
await once(receiver.listen(0, "127.0.0.1"), "listening");
afterAll(() => receiver.close());

it("are those of every session, once the webhook answers again, however many one of them made wait (X28)", async () => {
  const policy = definePolicy({ tools: { pay: { permissions: ["write"], approval: "always" } } });
  const gate = createGate({ policy, store: createMemoryStore() });
  const { port } = receiver.address() as AddressInfo;
  const url = new URL(`http://127.0.0.1:${port}/`);
  const webhook = { name: "hook", url, secret: "s".repeat(32), approvers: [], hasArguments: false };
  const notifier = new Notifier({
    gate,
    config: { webhooks: [webhook], address: url },
    links: new AnswerLinks(new Uint8Array(32)),
    onFault: () => {},
    maxOpen: 2,
  });
  const [flood, other] = await Promise.all([gate.open(), gate.open()]);
  const ask = async (session: typeof flood, amount: number): Promise<string> =>
    (await session.decide([{ tool: "pay", arguments: { amount } }]))[0]?.approval?.id ?? "";
  const ids = [await ask(flood, 1), await ask(flood, 2), await ask(flood, 3), await ask(other, 4)];
  status = 204;
  await expect.poll(() => [...told].sort()).toEqual([...ids].sort());
  notifier.close();
});

it("are sent though the store failed while the webhook was down (X28)", async () => {
  const policy = definePolicy({ tools: { pay: { permissions: ["write"], approval: "always" } } });
  const gate = createGate({ policy, store: createMemoryStore() });
  const { port } = receiver.address() as AddressInfo;
  const url = new URL(`http://127.0.0.1:${port}/`);
  const webhook = { name: "hook", url, secret: "s".repeat(32), approvers: [], hasArguments: false };
  let looks = 0;
  const approval: typeof gate.approval = async (id) => {
    looks += 1;
    if (looks > 1) return gate.approval(id);
    throw new SluicegateError("store-failed", "The store can't be read.", {
      why: "It is away.",
      fix: "Wait.",
    });
  };
  const notifier = new Notifier({
    gate: new Proxy(gate, {
      get: (target, key) => {
        const value: unknown = key === "approval" ? approval : Reflect.get(target, key);
        return typeof value === "function" ? value.bind(target) : value;
      },
    }),
    config: { webhooks: [webhook], address: url },
    links: new AnswerLinks(new Uint8Array(32)),
    onFault: () => {},
  });
  const [asked] = await (await gate.open()).decide([{ tool: "pay" }]);
  await expect.poll(() => told).toContain(asked?.approval?.id);
  notifier.close();
});
