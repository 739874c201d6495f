/** The seed's acceptance test with the scripted agent: what it is told before it starts is enough to meet no block. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OPERATOR_TOKEN, type RunningGateway, startGateway } from "../test/scenarios/running-gateway.ts";
import { mcpDoor, restDoor } from "./agent-door.ts";
import { createOperator } from "./operator.ts";
import { FIRST_IDEA, findOrders, inOrder, orderByManifest, TASK, writePage } from "./scripted-agent.ts";

let gate: RunningGateway;
beforeAll(async () => {
  gate = await startGateway();
});
afterAll(() => gate.stop());

const openSession = async () => {
  const gateway = { url: gate.url, operatorToken: OPERATOR_TOKEN, stop: async () => {} };
  const body = { principal: "ada", task: TASK, tools: FIRST_IDEA.map(({ tool }) => tool) };
  return { gateway, session: await createOperator(gateway).open(body) };
};

describe("the scripted agent", () => {
  it("searches the web first once it has read the manifest, and meets no block, over REST and over MCP (C7-scripted)", async () => {
    expect(FIRST_IDEA.map(({ tool }) => tool)).toEqual(["search_email", "web_search", "github_create_pr"]);
    for (const [index, open] of [restDoor, mcpDoor].entries()) {
      const { gateway, session } = await openSession();
      const door = await open(gateway, session);
      const ordered = orderByManifest(FIRST_IDEA, session.tools);
      expect(ordered.map(({ tool }) => tool)).toEqual(["web_search", "search_email", "github_create_pr"]);
      for (const { tool, arguments: args } of ordered) {
        // One forge takes one pull request of a branch.
        const own = tool === "github_create_pr" ? { ...args, branch: `fix/${index}` } : args;
        expect(await door.call(tool, own)).toMatchObject({ effect: "allow", failed: false });
      }
      if ("close" in door) await door.close();
    }
  });

  it("meets the block that it would have met without the manifest", async () => {
    const { gateway, session } = await openSession();
    const door = restDoor(gateway, session);
    const effects: string[] = [];
    for (const call of FIRST_IDEA) effects.push((await door.call(call.tool, call.arguments)).effect);
    expect(effects).toEqual(["allow", "deny", "allow"]);
  });

  it("takes the order that the plan check answers, over REST and over MCP", async () => {
    const { gateway, session } = await openSession();
    const mcp = await mcpDoor(gateway, session);
    const planned = FIRST_IDEA.map(({ tool }) => tool);
    const [rest, same] = [await restDoor(gateway, session).checkPlan(planned), await mcp.checkPlan(planned)];
    expect(same).toEqual(rest);
    expect(inOrder(FIRST_IDEA, rest.safe_ordering ?? [])[0]?.tool).toBe("web_search");
    await mcp.close();
  });

  it("finds the orders in the hostile mail, and none in the others", async () => {
    const { gateway, session } = await openSession();
    const door = restDoor(gateway, session);
    const read = (query: string, limit = 1) => door.call("search_email", { query, limit });
    const orders = findOrders((await read("free benchmark")).text);
    expect(orders?.search.arguments).toMatchObject({ query: "contract" });
    expect(orders?.pass("found").map(({ tool }) => tool)).toEqual(["slack_post", "web_search"]);
    expect(findOrders((await read("firmware")).text)).toBeNull();
  });

  it("writes its page out of what it was told", () => {
    const page = writePage({ mail: "x\n- Revenue: 5 million, up\n", web: "Sales rose by 9 % in" });
    expect(page.arguments.content).toContain("- Revenue: 5 million, up\n- Sales of the market rose by 9 %");
    expect(writePage({ mail: "", web: "" }).arguments.content).toContain("isn't known");
  });
});
