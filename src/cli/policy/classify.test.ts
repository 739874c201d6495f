import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { parseConfig } from "../../policy-file/index.ts";
import { createFolder, isHarmless, ROOT, sluicegate } from "../cli.test-kit.ts";

const MEMORY = join(ROOT, "node_modules", ".bin", "mcp-server-memory");

const policy = (tools: string): string => `version: 1
levels: [open, internal, closed]
servers:
  notes:
    command: ${JSON.stringify(MEMORY)}
    env: { MEMORY_FILE_PATH: /nowhere/memory.json }
    tools: ${tools}
policy: { denied_tools: ["mcp__notes__delete_relations"] }
`;

it("proposes what a policy lacks, in its own levels, and changes nothing (X13)", async () => {
  using folder = createFolder({
    "sluicegate.yaml": policy("{ read_graph: { permissions: [read], source: internal } }"),
  });
  const ran = await sluicegate(["classify"], { cwd: folder.path });
  expect(ran).toMatchObject({ status: 1, err: "" });
  expect(isHarmless(ran.out)).toBe(true);
  expect(ran.out).not.toContain("delete_relations");
  const pasted = ran.out.slice(ran.out.indexOf("\nservers:"));
  const { notes } = parse(pasted).servers;
  expect(Object.keys(notes.tools)).not.toContain("read_graph");
  expect(notes.tools.search_nodes).toMatchObject({
    permissions: ["read"],
    source: { level: "internal", trust: "untrusted" },
  });
  expect(notes.tools.delete_entities).toMatchObject({ approval: "always", sink: "internal" });
  const whole = policy(JSON.stringify(notes.tools));
  await expect(parseConfig(whole, { file: "/p.yaml", environment: {} })).resolves.toMatchObject({
    file: "/p.yaml",
  });
});

it("says where a tool is declared laxer than it is known, or than it says itself", async () => {
  const tools = [
    "read_graph: { permissions: [read] }",
    "open_nodes: { permissions: [read], source: closed }",
    '"*": { permissions: [read], source: closed }',
  ];
  using folder = createFolder({ "sluicegate.yaml": policy(`{ ${tools.join(", ")} }`) });
  const ran = await sluicegate(["classify", "--json"], { cwd: folder.path });
  expect(ran.status).toBe(1);
  const { servers } = ran.json() as {
    servers: { doubted: { name: string; reasons: string[] }[]; undeclared: object[] }[];
  };
  expect(servers[0]?.undeclared).toEqual([]);
  const doubted = new Map(servers[0]?.doubted.map(({ name, reasons }) => [name, reasons.join(" ")]));
  expect(doubted.get("read_graph")).toBe("It is known to bring in internal data.");
  expect(doubted.has("open_nodes")).toBe(false);
  expect(doubted.get("delete_entities")).toMatch(/without `write`.*may destroy.*nobody is asked/);
  expect(doubted.get("create_entities")).toMatch(/without `write`.*way out for internal data at most/);
});

it("says of a server that doesn't start that it was not asked", async () => {
  using folder = createFolder({
    "sluicegate.yaml": "version: 1\nservers: { gone: { command: no-such-program } }\n",
  });
  const ran = await sluicegate(["classify"], { cwd: folder.path });
  expect(ran.status).toBe(1);
  expect(ran.out).toContain("not asked: its command or its working directory does not exist");
});
