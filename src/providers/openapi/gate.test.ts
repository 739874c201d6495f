/** An API behind a whole gate: labels rise before anything of it comes back, and clearances hold. */
import { afterEach, describe, expect, it } from "vitest";
import { definePolicy, parseToolId, withOffered } from "../../core/index.ts";
import { createGate, createMemoryStore, type Session } from "../../index.ts";
import type { JsonObject, ToolProvider, ToolResult } from "../../runtime/index.ts";
import type { ApiOperationOptions } from "./api-tool.ts";
import {
  closeAll,
  documentOf,
  INTERNAL,
  openApi,
  operationOf,
  PUBLIC,
  startWitness,
  textOf,
} from "./openapi.test-kit.ts";

afterEach(closeAll);

const DOCUMENT = documentOf({
  "/tickets/{id}": {
    get: operationOf([{ name: "id", in: "path", required: true, schema: { type: "string" } }], {
      operationId: "getTicket",
    }),
  },
  "/search": {
    get: operationOf([{ name: "q", in: "query", schema: { type: "string" } }], { operationId: "search" }),
  },
});

const READ = { method: "get", label: INTERNAL, fields: null } as const;
const TICKETS: ApiOperationOptions[] = [
  { ...READ, name: "getTicket", path: "/tickets/{id}" },
  { ...READ, name: "ticketState", path: "/tickets/{id}", label: PUBLIC, fields: ["state"] },
];
const WEB: ApiOperationOptions[] = [{ ...READ, name: "search", path: "/search", label: PUBLIC }];

const internal = { level: "internal" };
const reads = { permissions: ["read", "connect"] } as const;
const POLICY = definePolicy(
  {
    servers: {
      tickets: {
        tools: {
          getTicket: { ...reads, source: internal, sourceBound: "most", sink: [internal] },
          ticketState: { ...reads, source: internal, sourceBound: "most", sink: [internal] },
        },
      },
      web: { tools: { search: { ...reads, source: { level: "public" }, sink: [{ level: "public" }] } } },
    },
  },
  { version: "test" },
);

/** A session whose calls run at two APIs. */
async function openOffice(answer: Parameters<typeof startWitness>[0]) {
  const [tickets, web] = [await startWitness(answer), await startWitness()];
  const apis = new Map<string, ToolProvider>([
    ["tickets", await openApi(DOCUMENT, { id: "tickets", baseUrl: tickets.url, operations: TICKETS })],
    ["web", await openApi(DOCUMENT, { id: "web", baseUrl: web.url, operations: WEB })],
  ]);
  const gate = createGate({
    policy: [...apis].reduce((policy, [id, { tools }]) => withOffered(policy, id, [...tools.keys()]), POLICY),
    store: createMemoryStore(),
    facts: async ({ tool, arguments: args = {} }) => {
      const { server, tool: name } = parseToolId(tool);
      const examined = await apis.get(server ?? "")?.examine?.(name, args);
      return examined ? { examined } : {};
    },
  });
  const session = await gate.open();
  return { session, apis, tickets, web };
}

const run = (session: Session, apis: ReadonlyMap<string, ToolProvider>, tool: string, args: JsonObject) =>
  session.call({ tool, arguments: args }, async (given, { examined }): Promise<ToolResult | Error> => {
    const { server, tool: name } = parseToolId(tool);
    const provider = apis.get(server ?? "");
    if (provider === undefined) throw new Error("There is no such API.");
    // What a tool throws is seen by the agent as well.
    return provider.run(name, given, examined ? { examined } : {}).catch((error: Error) => error);
  });

describe("an API behind a gate", () => {
  it("raises the session before it answers, may be read again, and shuts one that is public (A6, A7)", async () => {
    let labelAtAnswer = "";
    const { session, apis, web } = await openOffice((_, __, response) => {
      labelAtAnswer = session.label.level;
      response.writeHead(200, { "content-type": "application/json" }).end('{"id":7,"state":"open"}');
    });
    const search = () => run(session, apis, "mcp__web__search", { q: "open" });
    expect((await search()).effect).toBe("allow");
    const first = await run(session, apis, "mcp__tickets__getTicket", { id: "7" });
    expect(first).toMatchObject({ effect: "allow", raises: { level: "internal" } });
    expect(labelAtAnswer).toBe("internal");
    const again = await run(session, apis, "mcp__tickets__getTicket", { id: "8" });
    expect(again).toMatchObject({ effect: "allow", result: { structuredContent: { id: 7, state: "open" } } });
    const refused = await search();
    expect([refused.effect, refused.reasons.map(({ code }) => code)]).toEqual(["deny", ["flow-blocked"]]);
    expect(web.arrived.length).toBe(1);
  });

  it.each<[string, Parameters<typeof startWitness>[0]]>([
    [
      "an error of the API",
      (_, __, response) =>
        void response.writeHead(500, { "content-type": "text/plain" }).end("the customer is Zoë"),
    ],
    ["a connection that breaks", (_, request) => void request.socket.destroy()],
  ])("raises the session by what fails as well: %s (A6)", async (_, answer) => {
    const { session, apis, web } = await openOffice(answer);
    const outcome = await run(session, apis, "mcp__tickets__getTicket", { id: "7" });
    expect(outcome).toMatchObject({ effect: "allow", raises: { level: "internal" } });
    expect((await run(session, apis, "mcp__web__search", {})).effect).toBe("deny");
    expect(web.arrived).toEqual([]);
  });

  it("brings in what an operation lets through: of one with fields no more than these, whatever the API answers", async () => {
    const { session, apis } = await openOffice(({ url }, _, response) => {
      const status = url.endsWith("0") ? 404 : 200;
      response
        .writeHead(status, { "content-type": "application/json" })
        .end('{"state":"open","customer":"Zoë"}');
    });
    const state = async (id: string) => {
      const outcome = await run(session, apis, "mcp__tickets__ticketState", { id });
      return outcome.effect === "allow" ? [outcome.raises, outcome.result as ToolResult] : [outcome.effect];
    };
    expect(await state("7")).toMatchObject([null, { structuredContent: { state: "open" } }]);
    const [raises, failed] = await state("0");
    expect([raises, JSON.stringify(failed).includes("Zoë"), session.label.level]).toEqual([
      null,
      false,
      "public",
    ]);
    expect(textOf(failed as ToolResult)).toContain("404 (Not Found)");
    expect((await run(session, apis, "mcp__web__search", {})).effect).toBe("allow");
  });

  it("is asked nothing by a call that isn't as declared, which says so and brings nothing in", async () => {
    const { session, apis, tickets } = await openOffice(undefined);
    const outcome = await run(session, apis, "mcp__tickets__getTicket", { id: "../admin" });
    expect(outcome.effect === "allow" && textOf(outcome.result as ToolResult)).toContain("dot segment");
    expect([outcome.effect === "allow" && outcome.raises, tickets.arrived]).toEqual([null, []]);
  });
});
