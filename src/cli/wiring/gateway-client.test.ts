import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";
import { OPERATOR_TOKEN, startGateway } from "../../../test/scenarios/running-gateway.ts";
import { createFolder, POLICY } from "../cli.test-kit.ts";
import { findGateway } from "./gateway-client.ts";

/** A server that is no gateway, and the tokens that it was given. */
async function withStranger(
  answer: RequestListener,
  visit: (url: string) => Promise<void>,
): Promise<string[]> {
  const tokens: string[] = [];
  const server = createServer((request, response) => {
    if (request.headers.authorization !== undefined) tokens.push(request.headers.authorization);
    answer(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await visit(`http://127.0.0.1:${port}`);
  server.closeAllConnections();
  server.close();
  return tokens;
}

const placeWithToken = (folder: string): { readonly config: string } => {
  mkdirSync(join(folder, ".sluicegate"));
  writeFileSync(join(folder, ".sluicegate/token"), `${OPERATOR_TOKEN}\n`);
  return { config: join(folder, "sluicegate.yaml") };
};

it.each<[what: string, answer: RequestListener]>([
  ["answers everything with a page", (_, response) => response.end("<p>ok</p>")],
  ["says ok as no gateway does", (_, response) => response.end('"ok"')],
  ["sends elsewhere", (_, response) => response.writeHead(302, { location: "/ok" }).end()],
  ["fails", (_, response) => response.writeHead(500).end('{"status":"ok"}')],
])("gives no token to what %s", async (_, answer) => {
  using folder = createFolder();
  const place = placeWithToken(folder.path);
  const tokens = await withStranger(answer, async (url) => {
    await expect(findGateway({ ...place, url })).rejects.toThrow("No gateway answers at");
  });
  expect(tokens).toEqual([]);
});

it("finds the gateway at an address, tells its errors, and says when it has gone", async () => {
  const gate = await startGateway({ policy: POLICY });
  const store = join(gate.folder, "sluicegate.db");
  writeFileSync(`${store}.token`, `${OPERATOR_TOKEN}\n`);
  const client = await findGateway({ config: join(gate.folder, "sluicegate.yaml"), store, url: gate.url });
  expect(client?.url).toBe(gate.url);
  const ask = (path: string) => client?.ask(path, (answer) => answer);
  expect(await ask("/v1/approvals")).toEqual({ approvals: [] });
  await expect(ask("/v1/approvals/none")).rejects.toMatchObject({ code: "approval-not-found" });
  await expect(client?.ask("/v1/approvals", () => null)).rejects.toMatchObject({ code: "usage" });
  await gate.stop();
  await expect(ask("/v1/approvals")).rejects.toMatchObject({ code: "not-ready" });
});

it("looks for no gateway where there is no token, and refuses to where one is named", async () => {
  using folder = createFolder();
  const config = join(folder.path, "sluicegate.yaml");
  expect(await findGateway({ config })).toBeNull();
  await expect(findGateway({ config, url: "http://127.0.0.1:1" })).rejects.toMatchObject({
    code: "unauthorized",
  });
});
