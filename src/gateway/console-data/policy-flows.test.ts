import { describe, expect, it } from "vitest";
import { definePolicy, flowsTo, type PolicyDeclaration, withAllOffered } from "../../core/index.ts";
import { flowsOf } from "./policy-flows.ts";

const matrixOf = async (declaration: PolicyDeclaration) => flowsOf(definePolicy(declaration));

describe("the flows of a policy", () => {
  it("group tools with the same label or the same clearances, and go from the lowest to the highest", async () => {
    const { sources, sinks, cells } = await matrixOf({
      tools: {
        vault: { permissions: ["read"], source: { level: "secret" } },
        people: { permissions: ["read"], source: { level: "internal", categories: ["hr"] } },
        mail: { permissions: ["read"], source: { level: "internal", trust: "untrusted" } },
        docs: { permissions: ["read"], source: { level: "internal" } },
        wiki: { permissions: ["read"], source: { level: "internal" } },
        safe: { permissions: ["write"], sink: [{ level: "secret" }] },
        pr: { permissions: ["connect"], sink: [{ level: "internal" }] },
        payroll: {
          permissions: ["connect"],
          sink: [{ level: "internal", categories: ["hr"] }, { level: "public" }],
        },
        post: { permissions: ["connect"], onViolation: "ask" },
        tweet: { permissions: ["connect"] },
        web: { permissions: ["connect"] },
        note: { permissions: ["read"] },
      },
    });
    expect(sources.map(({ tools }) => tools)).toEqual([["docs", "wiki"], ["mail"], ["people"], ["vault"]]);
    expect(sinks.map(({ tools, releasable }) => [tools.join(), releasable])).toEqual([
      ["tweet,web", false],
      ["post", true],
      ["pr", false],
      ["payroll", false],
      ["safe", false],
    ]);
    expect(cells).toEqual([
      ["may-not", "release", "may", "may", "may"],
      ["may-not", "release", "may", "may", "may"],
      ["may-not", "release", "may-not", "may", "may-not"],
      ["may-not", "release", "may-not", "may-not", "may"],
    ]);
  });

  it("leave out what nobody can have: what is denied, what isn't classified, what has changed", async () => {
    const policy = withAllOffered(
      definePolicy({
        servers: {
          mail: {
            tools: {
              read: { permissions: ["read"], source: { level: "internal" } },
              send: { permissions: ["connect"] },
            },
          },
        },
        tools: { gone: { permissions: ["connect"] }, post: { permissions: ["connect"] } },
        policy: { deniedTools: ["gone"] },
        unclassified: "ask",
      }),
      [{ server: "mail", tools: ["read", "send", "dance"], changed: ["send"] }],
    );
    const { sources, sinks } = await flowsOf(policy);
    expect([...sources, ...sinks].flatMap(({ tools }) => tools)).toEqual(["mcp__mail__read", "post"]);
  });

  it("has a sink that may receive nothing, and none at all, where that is what is declared", async () => {
    const { sinks, cells } = await matrixOf({
      tools: {
        read: { permissions: ["read"], source: {} },
        shut: { permissions: ["write"], sink: [] },
        open: { permissions: ["write"], sink: [{ level: "public" }] },
      },
    });
    expect([sinks.map(({ tools }) => tools), cells]).toEqual([[["shut"], ["open"]], [["may-not", "may"]]]);
    expect(await matrixOf({})).toEqual({ sources: [], sinks: [], cells: [] });
  });

  it("gives others their turn while a great matrix is worked out", { timeout: 30_000 }, async () => {
    const tools = Object.fromEntries(
      Array.from({ length: 600 }, (_, at) =>
        at % 2 === 0
          ? [`t${at}`, { permissions: ["read" as const], source: { categories: [`c${at}`] } }]
          : [
              `t${at}`,
              { permissions: ["write" as const], sink: [{ level: "public", categories: [`c${at - 1}`] }] },
            ],
      ),
    );
    const policy = definePolicy({ tools });
    let turns = 0;
    const count = (): void => {
      turns += 1;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    const { sources, sinks, cells } = await flowsOf(policy);
    clearImmediate(next);
    expect(turns).toBeGreaterThan(2);
    const expected = sources.map(({ label }) =>
      sinks.map(({ clearances: [clearance] }) =>
        clearance && flowsTo(policy.lattice, label, clearance) ? "may" : "may-not",
      ),
    );
    expect(cells).toEqual(expected);
    expect(cells.flat().filter((cell) => cell === "may")).toHaveLength(300);
  });
});
