import { describe, expect, it } from "vitest";
import { createLabel, createLattice, DEFAULT_LATTICE, topLabel } from "../../core/index.ts";
import { createGate, createMemoryStore, definePolicy } from "../../index.ts";
import { extractIfcHint } from "./ifc-hint.ts";

const said = (ifc: unknown, lattice = DEFAULT_LATTICE) =>
  extractIfcHint(lattice, { content: [], _meta: { ifc } }).label;

describe("a label that a server puts on its result", () => {
  it.each<[unknown, string, string]>([
    [{ integrity: "trusted", confidentiality: "public" }, "public", "trusted"],
    [{ integrity: "untrusted", confidentiality: "public" }, "public", "untrusted"],
    [{ integrity: "trusted", confidentiality: "private" }, "internal", "trusted"],
    [{ integrity: "untrusted", confidentiality: "private" }, "internal", "untrusted"],
    [{ integrity: "untrusted", confidentiality: ["public"] }, "public", "untrusted"],
    [{ integrity: "low", confidentiality: ["ada", "bob"] }, "internal", "untrusted"],
    [{ integrity: "high", confidentiality: ["public", "ada"] }, "internal", "trusted"],
    [{ integrity: "trusted", confidentiality: "user_identity" }, "secret", "trusted"],
    [{ confidentiality: "private" }, "internal", "trusted"],
    [{ integrity: "untrusted" }, "public", "untrusted"],
    [{}, "public", "trusted"],
  ])("is read as ours: %j (X12-hints)", (ifc, level, trust) => {
    expect(said(ifc)).toEqual(createLabel(level, [], trust));
  });

  it.each<[unknown, string, string]>([
    [{ integrity: "excellent", confidentiality: "public" }, "public", "untrusted"],
    [{ integrity: null, confidentiality: "public" }, "public", "untrusted"],
    [{ integrity: "trusted", confidentiality: "PUBLIC" }, "*", "trusted"],
    [{ integrity: "trusted", confidentiality: [] }, "*", "trusted"],
    [{ integrity: "trusted", confidentiality: [1] }, "*", "trusted"],
    [{ integrity: "trusted", confidentiality: null }, "*", "trusted"],
    [{ integrity: "trusted", confidentiality: "constructor" }, "*", "trusted"],
  ])("is the worst of its axis where it isn't understood: %j (X12-hints)", (ifc, level, trust) => {
    expect(said(ifc)).toEqual(createLabel(level, level === "*" ? ["*"] : [], trust));
  });

  it.each([
    null,
    "private",
    7,
    [],
    true,
    { Confidentiality: "private" },
    { readers: ["ada"] },
  ])("is the worst of all where it is none: %j (X12-hints)", (ifc) => {
    expect(said(ifc)).toEqual(topLabel(DEFAULT_LATTICE));
  });

  it("means the top where a policy has no level that isn't for everybody (X12-hints)", () => {
    const one = createLattice({ levels: ["all"], trust: ["any"] });
    expect(said({ integrity: "untrusted", confidentiality: "private" }, one)).toEqual(
      createLabel("*", [], "any"),
    );
  });

  it("is taken from whatever in the result has a `_meta` by MCP, and from nowhere else (X12-hints)", () => {
    const _meta = { ifc: { confidentiality: "private" }, mine: 1 };
    const rest = { mine: 1 };
    expect(extractIfcHint(DEFAULT_LATTICE, { content: [{ type: "text", text: "x", _meta }] })).toEqual({
      rest: { content: [{ type: "text", text: "x", _meta: rest }] },
      label: createLabel("internal", [], "trusted"),
    });
    const places = [
      { content: [{ type: "resource", resource: { uri: "a:b", _meta } }] },
      { contents: [{ uri: "a:b", _meta }] },
      { messages: [{ role: "user", content: { type: "text", _meta } }] },
      { messages: [{ role: "user", content: { type: "resource", resource: { uri: "a:b", _meta } } }] },
      { messages: [{ role: "user", content: [{ type: "text", text: "x", _meta }] }] },
      {
        messages: [{ role: "user", content: [{ type: "tool_result", content: [{ type: "text", _meta }] }] }],
      },
      { completion: { values: [], _meta } },
      { prompts: [{ name: "p", arguments: [{ name: "a", _meta }] }] },
      { resources: [{ uri: "a:b", _meta }], resourceTemplates: [] },
    ];
    for (const result of places) {
      const taken = extractIfcHint(DEFAULT_LATTICE, result);
      expect(taken.label?.level).toBe("internal");
      expect(JSON.stringify(taken.rest)).not.toContain("ifc");
    }
    const forged = { content: [{ type: "text", _meta: { "dev.sluicegate/label": { level: "public" } } }] };
    expect(extractIfcHint(DEFAULT_LATTICE, forged)).toEqual({
      rest: { content: [{ type: "text" }] },
      label: null,
    });
    const data = { content: [{ type: "text", text: "x" }], structuredContent: { _meta } };
    expect(extractIfcHint(DEFAULT_LATTICE, data)).toEqual({ rest: data, label: null });
    expect(extractIfcHint(DEFAULT_LATTICE, data).rest).toBe(data);
  });
});

describe("a session that gets such a result", () => {
  const policy = definePolicy({
    tools: {
      read: { permissions: ["read"] },
      read_web: { permissions: ["read"], source: { trust: "untrusted" } },
      post: { permissions: ["connect"] },
    },
  });
  const open = () => createGate({ policy, store: createMemoryStore() }).open();
  const giving = (ifc: unknown) => () => ({ content: [], _meta: { ifc } });

  it("is raised before the result is released, and its sinks are shut (X12-hints)", async () => {
    const session = await open();
    await session.call({ tool: "read" }, giving({ integrity: "untrusted", confidentiality: "private" }));
    expect(session.label).toEqual(createLabel("internal", [], "untrusted"));
    expect((await session.call({ tool: "post" }, () => null)).effect).toBe("deny");
    const raised = (await session.journal()).find(({ kind }) => kind === "label-raised");
    expect(raised?.data).toMatchObject({
      tool: "read",
      findings: [{ kind: "upstream-label", place: "_meta.ifc" }],
    });
  });

  it("is never lowered by it, and nothing is recorded where it holds as much (X12-hints)", async () => {
    const session = await open();
    await session.addDataset("crm", "confidential");
    const before = session.label;
    await session.call({ tool: "read" }, giving({ integrity: "trusted", confidentiality: "public" }));
    await session.call({ tool: "read_web" }, giving({ integrity: "untrusted", confidentiality: "private" }));
    expect(session.label).toEqual({ ...before, trust: "untrusted" });
    const raises = (await session.journal()).filter(({ kind }) => kind === "label-raised");
    expect(raises).toHaveLength(1);
  });
});
