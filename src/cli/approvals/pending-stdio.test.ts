/** An agent that started the gateway itself, over stdio, and a person at a terminal: they meet in the store. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, it } from "vitest";
import { redefine } from "../../../test/fixtures/upstream-redefining.ts";
import { BUNDLED_COMMAND, createFolder, ROOT, sluicegate } from "../cli.test-kit.ts";

it("answers a call of an agent that started the gateway itself, which then runs once (D5-terminal)", async () => {
  using folder = createFolder();
  const definitions = join(folder.path, "definitions.json");
  redefine(definitions, [{ name: "send", description: "Sends.", inputSchema: { type: "object" } }]);
  writeFileSync(
    join(folder.path, "sluicegate.yaml"),
    `version: 1
servers:
  mail:
    command: node
    args: ["${join(ROOT, "test/fixtures/upstream-redefining.ts")}", "${definitions}"]
    tools:
      send: { permissions: [connect], sink: public, approval: always }
`,
  );
  const ask = (...args: readonly string[]) => sluicegate(args, { cwd: folder.path });
  const waiting = async () =>
    ((await ask("pending", "--json")).json() as { approvals: { id: string }[] }).approvals;
  const agent = new Client({ name: "agent", version: "1.0.0" });
  const args = ["mcp", "--config", join(folder.path, "sluicegate.yaml")];
  await agent.connect(new StdioClientTransport({ command: BUNDLED_COMMAND, args, stderr: "ignore" }));
  try {
    const first = agent.callTool({ name: "send", arguments: { to: "bo" } }, { timeout: 60_000 });
    await expect.poll(async () => (await waiting()).length, { timeout: 20_000 }).toBe(1);
    const [one] = await waiting();
    expect((await ask("approve", one?.id ?? "")).status).toBe(0);
    expect((await first).isError ?? false).toBe(false);
    const kinds = async () => {
      const record = (await ask("journal", "export")).out.trim().split("\n");
      return record.map((line) => JSON.parse(line).kind).filter((kind) => /^(?:call|approval)-/.test(kind));
    };
    // That it has finished is written after the answer.
    await expect
      .poll(kinds)
      .toEqual([
        "approval-requested",
        "approval-shown",
        "approval-answered",
        "call-admitted",
        "call-finished",
      ]);
    expect((await ask("journal", "verify")).status).toBe(0);
  } finally {
    await agent.close();
  }
});
