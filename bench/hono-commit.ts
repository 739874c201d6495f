/**
 * The least that hono can do for a durable decision, on the server that the gateway listens with: parse a JSON body,
 * commit one hash-chained row, answer. `node hono-commit.ts DATABASE` prints its address.
 */
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { openChainWriter } from "./group-commit.ts";

const writer = openChainWriter(process.argv[2] ?? "");
const app = new Hono();
app.post("/decide", async (context) => {
  const asked: unknown = await context.req.json();
  await writer.append("s", JSON.stringify(asked));
  return context.json({ effect: "allow" });
});
serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, ({ port }: AddressInfo) => {
  process.stdout.write(`http://127.0.0.1:${port}/decide\n`);
});
