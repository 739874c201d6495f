/** Approvals over stdio, where the client starts the gateway, and a person answers from another process. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { BUNDLED_COMMAND, sluicegate } from "../../src/cli/cli.test-kit.ts";
import { BANK_TOOLS, bankPolicy } from "../fixtures/approval-arena.ts";
import { type AgentOptions, type ApprovingAgent, connectAgent, ERAS } from "../fixtures/approving-agent.ts";
import { type RecordingUpstream, startRecordingUpstream } from "../fixtures/upstream-recording.ts";

/** The older SDK has no way to ask for an older revision over stdio. */
const STDIO_ERAS = ERAS.filter((era) => era !== "2025-06-18");
const BY_PERSON = "approvals: { wait: 30 }";

let bank: RecordingUpstream;
let folder: string;
const agents: ApprovingAgent[] = [];
beforeAll(async () => {
  bank = await startRecordingUpstream(BANK_TOOLS);
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sluicegate-"));
});
afterEach(async () => {
  await Promise.allSettled(agents.splice(0).map((agent) => agent.close()));
  rmSync(folder, { recursive: true, force: true });
});
afterAll(() => bank.close());

const arrived = (id: string): number => bank.calls.filter((call) => call.arguments.id === id).length;

async function start(approvals: string, options: Omit<AgentOptions, "place">): Promise<ApprovingAgent> {
  const config = join(folder, "sluicegate.yaml");
  writeFileSync(config, bankPolicy(bank.url, approvals));
  const env = { PATH: process.env.PATH ?? "", HOME: folder };
  const place = { command: BUNDLED_COMMAND, args: ["mcp", "--config", config], env };
  const agent = await connectAgent({ ...options, place });
  agents.push(agent);
  return agent;
}

/** A person's yes from a terminal, over the store that the gateway has open. */
async function approve(approval: string): Promise<void> {
  const { status } = await sluicegate(["approve", approval, "--config", join(folder, "sluicegate.yaml")]);
  expect(status).toBe(0);
}

/** Begins a call, and resolves with what its first sign of progress names. */
async function hold(agent: ApprovingAgent, id: string) {
  const told = Promise.withResolvers<string>();
  const result = agent.call(
    "pay",
    { id },
    {
      onProgress: ({ message = "" }) => told.resolve(/appr_[0-9a-f]{32}/.exec(message)?.[0] ?? ""),
    },
  );
  // A call that ends before is told of where it is awaited.
  result.catch(() => {});
  return { result, approval: await told.promise };
}

it.each(STDIO_ERAS)("%s: asks its client, whose yes runs the call once (D5-mcp)", async (era) => {
  const id = `yes-${era}`;
  const agent = await start("approvals: { via: [client] }", {
    era,
    answer: () => ({ action: "accept", content: { approve: true } }),
  });
  expect((await agent.call("pay", { id })).isError ?? false).toBe(false);
  expect([agent.asked.length, arrived(id)]).toEqual([1, 1]);
});

it.each(
  STDIO_ERAS,
)("%s: is held until a person has answered in a terminal (D5-mcp, D5-terminal)", async (era) => {
  const agent = await start(BY_PERSON, { era });
  const id = `terminal-${era}`;
  const held = await hold(agent, id);
  expect(arrived(id)).toBe(0);
  await approve(held.approval);
  expect((await held.result).isError ?? false).toBe(false);
  expect(arrived(id)).toBe(1);
});

it.each(
  STDIO_ERAS,
)("%s: runs nothing for a client that has ended, also when the yes comes later (D5-mcp)", async (era) => {
  const agent = await start(BY_PERSON, { era });
  const id = `left-${era}`;
  const held = await hold(agent, id);
  await agent.close();
  await expect(held.result).rejects.toThrow();
  await approve(held.approval);
  expect(arrived(id)).toBe(0);
});
