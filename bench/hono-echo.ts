/** The least that hono can do with a JSON body, on the server that the gateway listens with. Prints its address. */
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { Hono } from "hono";

const app = new Hono();
app.post("/echo", async (context) => context.json(await context.req.json()));
serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, ({ port }: AddressInfo) => {
  process.stdout.write(`http://127.0.0.1:${port}/echo\n`);
});
