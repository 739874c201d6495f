import { expect, it } from "vitest";
import { definePolicy, type ToolDeclaration } from "../../core/index.ts";
import { disagreements } from "./disagreements.ts";
import type { Proposal } from "./proposal.ts";

const LIKELY: Proposal = {
  permissions: ["connect"],
  source: null,
  sink: null,
  approval: "never",
  onViolation: "ask",
  tags: [],
  confidence: "likely",
  reasons: [],
};

const schema = (properties: object) => ({ name: "send", inputSchema: { type: "object", properties } });

function reasons(declaration: Partial<ToolDeclaration>, properties: object): readonly string[] {
  const send = { permissions: ["connect"], ...declaration } as const;
  const policy = definePolicy({ servers: { mail: { tools: { send } } } });
  const tool = policy.tools.get("mcp__mail__send");
  if (tool === undefined) throw new Error("The tool is missing.");
  return disagreements(tool, schema(properties), LIKELY, policy.lattice);
}

const ARGUMENTS = {
  to: {},
  message: { properties: { body: {} } },
  cc: { items: { properties: { email: {} } } },
};

it("names critical, payload and recipient arguments that the tool doesn't have (X4)", () => {
  const wrong = { to: ["recipient"], critical: ["recipient"], payload: ["message.text"] };
  expect(reasons(wrong, ARGUMENTS)).toEqual([
    "Its `critical` names `recipient`, and its schema has no such argument.",
    "Its `payload` names `message.text`, and its schema has no such argument.",
    "Its `sink.to` names `recipient`, and its schema has no such argument.",
  ]);
});

it("finds nothing in what the tool has, or where its schema names nothing (X4)", () => {
  const right = { to: ["to", "cc[].email"], critical: ["to", "cc[].email"], payload: ["message.body"] };
  expect(reasons(right, ARGUMENTS)).toEqual([]);
  expect(reasons({ critical: ["recipient"] }, {})).toEqual([]);
});
