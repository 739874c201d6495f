/** Who may use which route: the table has each one, and holds for each kind of token. */
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestGateway } from "../../../test/fixtures/memory-gateway.ts";
import { definePolicy } from "../../core/index.ts";
import type { IdentitiesConfig, Right } from "../../policy-file/index.ts";
import type { Gateway } from "../gateway.ts";
import { ROUTES } from "../rest/routes.ts";
import { RIGHTS_OF_ROUTES } from "./rights.ts";

const tokenOf = (name: string): string => `${name}-token-of-the-tests`;
const principal = (name: string, ...rights: Right[]) =>
  [
    name,
    { digest: createHash("sha256").update(tokenOf(name)).digest("hex"), isWeak: false, rights },
  ] as const;

const identities: IdentitiesConfig = {
  principals: new Map([
    principal("ada", "use"),
    principal("bob", "use"),
    principal("lou", "look"),
    principal("ann", "approve"),
    principal("adm", "administer"),
  ]),
  issuers: [],
};

let gateway: Gateway;
const sessions = new Map<string, { id: string; token: string }>();

beforeAll(async () => {
  gateway = createTestGateway({
    policy: definePolicy({ tools: { pay: { permissions: ["write"], approval: "always" } } }),
    identities,
    operatorToken: tokenOf("operator"),
    limits: { eventStreams: 2 },
  });
  gateway.allowHosts({ hosts: new Set(["gate.test"]) });
  for (const name of ["operator", "ada", "bob"]) {
    const { body } = await send("POST", "/v1/session", tokenOf(name), {});
    sessions.set(name, { id: body.session_id, token: body.session_token });
  }
});
afterAll(() => gateway.close());

async function send(method: string, path: string, token: string, body?: object) {
  const response = await gateway.fetch(
    new Request(`http://gate.test${path}`, {
      method,
      headers: { host: "gate.test", authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    }),
  );
  const text = response.headers.get("content-type")?.includes("json") ? await response.text() : "{}";
  if (text === "{}") await response.body?.cancel();
  // What came over the wire; each test says what it expects of it.
  return { status: response.status, body: JSON.parse(text) as any };
}

const idOf = (name: string): string => sessions.get(name)?.id ?? "";
const NAMES = Object.keys(RIGHTS_OF_ROUTES);
const split = (route: string): readonly [string, string] => {
  const [method = "", path = ""] = route.startsWith("/") ? ["POST", route] : route.split(" ");
  return [method, path];
};
/** A request of a route for a session; an approval or a standing one of that name there is none. */
const request = (route: string, token: string, session: string) => {
  const [method, path] = split(route);
  // Nothing is frozen for the tests that follow.
  const body = path === "/v1/freeze" ? { tool: "" } : undefined;
  return send(method, path.replace("{id}", session).replace(/\{\w+\}/, "none"), token, body);
};

it("has an entry for each route, and none for another", () => {
  const others = ["GET /v1/events", "GET /openapi.json", "GET /metrics", "/mcp", "/s/{id}/mcp"];
  const served = [...ROUTES.map(({ method, path }) => `${method} ${path}`), ...others];
  expect([...NAMES].sort()).toEqual(served.sort());
});

it.each([
  ["DELETE /v1/standing-approvals/{standing}", "GET /v1/standing-approvals"],
  ["DELETE /v1/freeze/{freeze}", "GET /v1/freezes"],
])("lets whoever may end something see what there is: %s", (end, list) => {
  expect(RIGHTS_OF_ROUTES[list]?.all).toEqual(
    expect.arrayContaining([...(RIGHTS_OF_ROUTES[end]?.all ?? ["?"])]),
  );
});

describe("an agent's token", () => {
  const refused = NAMES.filter((route) => RIGHTS_OF_ROUTES[route]?.session === false);

  it.each(refused)("is refused on %s", async (route) => {
    const { id, token } = sessions.get("ada") ?? { id: "", token: "" };
    expect((await request(route, token, id)).status).toBe(403);
  });

  it("is refused on every route but those of its own session, and is given no other session", () => {
    const others = NAMES.filter((route) => !refused.includes(route) && !/\{id\}|^\/mcp$|openapi/.test(route));
    expect(others).toEqual([]);
  });
});

describe("a principal", () => {
  const NEEDS: readonly (readonly [string, Right])[] = [
    ["lou", "look"],
    ["ann", "approve"],
    ["adm", "administer"],
    ["ada", "use"],
  ];

  it.each(NEEDS)("%s, who may only %s, is refused wherever that isn't enough", async (name, right) => {
    for (const route of NAMES) {
      const access = RIGHTS_OF_ROUTES[route];
      const isEnough = access?.all.includes(right) === true || access?.own === right;
      const { status } = await request(route, tokenOf(name), idOf("ada"));
      expect([route, status === 403]).toEqual([route, !isEnough]);
    }
  });

  it("who only uses sessions is answered alike for another's and for one that isn't there", async () => {
    for (const route of NAMES.filter((one) => one.includes("{id}") && RIGHTS_OF_ROUTES[one]?.own === "use")) {
      const foreign = await request(route, tokenOf("bob"), idOf("ada"));
      const unknown = await request(route, tokenOf("bob"), `sess_${"0".repeat(32)}`);
      expect([route, foreign.status, foreign.body]).toEqual([route, 404, unknown.body]);
    }
  });

  it("opens sessions for itself alone, and for others where it administers", async () => {
    const own = await send("POST", "/v1/session", tokenOf("ada"), { principal: "ada" });
    expect(own.status).toBe(201);
    const state = await send("GET", `/v1/session/${own.body.session_id}`, own.body.session_token);
    expect(state.body.principal).toBe("ada");
    for (const foreign of ["bob", "operator", ""]) {
      const { status } = await send("POST", "/v1/session", tokenOf("ada"), { principal: foreign });
      expect(status).toBe(foreign === "" ? 400 : 403);
    }
    expect((await send("POST", "/v1/session", tokenOf("adm"), { principal: "bob" })).status).toBe(201);
  });

  it("who only uses sessions sees its own in the list, and who may look all of them", async () => {
    const listed = async (name: string) => {
      const { body } = await send("GET", "/v1/sessions", tokenOf(name));
      return new Set(body.sessions.map((one: any) => one.principal));
    };
    expect(await listed("bob")).toEqual(new Set(["bob"]));
    expect(await listed("lou")).toEqual(new Set(["operator", "ada", "adm", "bob"]));
  });

  it("is told who it is", async () => {
    expect((await send("GET", "/v1/identity", tokenOf("ann"))).body).toEqual({
      principal: "ann",
      rights: ["approve"],
    });
    expect((await send("GET", "/v1/identity", tokenOf("operator"))).body).toEqual({
      principal: "operator",
      rights: ["use", "look", "approve", "administer"],
    });
  });

  it("approves under its own name", async () => {
    const { session_id: session } = (await send("POST", "/v1/session", tokenOf("ada"), {})).body;
    const asked = await send("POST", `/v1/session/${session}/decide`, tokenOf("ada"), {
      tool: "pay",
      arguments: {},
    });
    const { id } = asked.body.approval;
    const path = `/v1/approvals/${id}/approve`;
    expect((await send("POST", path, tokenOf("ada"), {})).status).toBe(403);
    expect((await send("POST", path, tokenOf("ann"), {})).body).toMatchObject({ answered_by: "ann" });
    const { body } = await send("GET", `/v1/session/${session}/journal`, tokenOf("ada"));
    expect(body.events.find((one: any) => one.kind === "approval-answered").data.by).toBe("ann");
  });
});

it("refuses tokens that can be guessed, or that two share", () => {
  const start = (principals: IdentitiesConfig["principals"]) => () =>
    createTestGateway({
      identities: { principals, issuers: [] },
      operatorToken: tokenOf("operator"),
    });
  const [, weak] = principal("ada", "use");
  expect(start(new Map([["ada", { ...weak, isWeak: true }]]))).toThrow(/can't be used/);
  expect(start(new Map([principal("ada", "use"), ["bob", weak]]))).toThrow(/can't be used/);
  const [, own] = principal("operator", "use");
  expect(start(new Map([["ada", own]]))).toThrow(/can't be used/);
});

it("whoever looks has a share of event streams, and takes none of the operator's", async () => {
  const streams: Response[] = [];
  const open = async (name: string): Promise<number> => {
    const headers = { host: "gate.test", authorization: `Bearer ${tokenOf(name)}` };
    const response = await gateway.fetch(new Request("http://gate.test/v1/events", { headers }));
    streams.push(response);
    return response.status;
  };
  expect([await open("lou"), await open("lou"), await open("lou")]).toEqual([200, 200, 429]);
  expect([await open("ann"), await open("operator"), await open("operator")]).toEqual([200, 200, 200]);
  await streams[0]?.body?.cancel();
  expect(await open("lou")).toBe(200);
  await Promise.all(streams.slice(1).map(({ body }) => body?.cancel()));
});
