/** What a client hears of a server's notices, by what the server says of them. */
import { expect, it } from "vitest";
import { createGate, createMemoryStore, definePolicy } from "../../index.ts";
import type { JsonObject, ServerMessage } from "../ports/provider.ts";
import { inspectNotices } from "./client-exchange.ts";

const policy = definePolicy({ servers: { s: { tools: { read: { permissions: ["read"] } } } } });
const LEVEL = "notifications/message";

/** What arrives of notices with these `_meta`, in a session that nothing is inspected for. */
async function heard(metas: readonly JsonObject[], dataset?: string): Promise<readonly JsonObject[]> {
  const session = await createGate({ policy, store: createMemoryStore() }).open();
  if (dataset) await session.addDataset("crm", dataset);
  const passed: ServerMessage[] = [];
  const link = {
    signal: AbortSignal.timeout(10_000),
    capabilities: {},
    progress: false,
    notify: (notice: ServerMessage) => passed.push(notice),
    ask: () => Promise.reject(new Error("Nothing is asked here.")),
  };
  const notices = inspectNotices(session, "mcp__s__read", link);
  for (const [data, _meta] of metas.entries())
    notices.link.notify({ method: LEVEL, params: { level: "info", data, _meta } });
  await notices.settled();
  return passed.map(({ params }) => params);
}

it("drops a notice of which its server says more than the session holds (X12-hints)", async () => {
  const isPrivate = { ifc: { integrity: "trusted", confidentiality: "private" } };
  expect(await heard([{ mine: 1 }, isPrivate, { ifc: 7 }])).toEqual([
    { level: "info", data: 0, _meta: { mine: 1 } },
  ]);
  expect(await heard([isPrivate], "confidential")).toEqual([{ level: "info", data: 0 }]);
});

it("takes away what a server says in the gateway's name", async () => {
  expect(await heard([{ "dev.sluicegate/label": { level: "public" } }])).toEqual([
    { level: "info", data: 0 },
  ]);
});
