/** The two doors through which an agent reaches its tools, MCP and REST; it holds its session's token and no other. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { z } from "zod";
import type { DemoGateway } from "./gateway-process.ts";
import { type OpenedSession, request } from "./operator.ts";

const decision = z.object({
  effect: z.enum(["allow", "ask", "deny"]),
  reasons: z.array(z.object({ code: z.string(), message: z.string() })),
  approval: z.object({ id: z.string() }).nullable(),
});
const content = z.object({
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
  isError: z.boolean().optional(),
});
const plan = z.object({
  valid: z.boolean(),
  violations: z.array(
    z.object({ at_step: z.number(), tool: z.string(), reason: z.string(), suggestion: z.string() }),
  ),
  safe_ordering: z.array(z.string()).nullable(),
});

/** What an agent is told about a call, and what the tool answered where it ran. */
export interface Told {
  readonly effect: "allow" | "ask" | "deny";
  readonly reasons: readonly { readonly code: string; readonly message: string }[];
  readonly approval: { readonly id: string } | null;
  readonly text: string;
  readonly failed: boolean;
}

export type PlanAnswer = z.infer<typeof plan>;

export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export interface AgentDoor {
  call(tool: string, args: Readonly<Record<string, unknown>>): Promise<Told>;
  checkPlan(tools: readonly string[]): Promise<PlanAnswer>;
}

export interface McpDoor extends AgentDoor {
  readonly instructions: string;
  tools(): Promise<readonly OfferedTool[]>;
  close(): Promise<void>;
}

const textOf = (result: z.infer<typeof content>): string =>
  result.content.map(({ text }) => text ?? "").join("\n");

/** Over REST. */
export function restDoor(gateway: DemoGateway, { session_id, session_token }: OpenedSession): AgentDoor {
  const ask = async (path: string, body: unknown): Promise<unknown> => {
    const reply = await request(gateway, session_token, `/v1/session/${session_id}/${path}`, body);
    if (reply.status !== 200)
      throw new Error(`${path} was answered ${reply.status}: ${JSON.stringify(reply.body)}`);
    return reply.body;
  };
  return {
    call: async (tool, args) => {
      const answer = decision
        .extend({ result: content.optional() })
        .parse(await ask("call", { tool, arguments: args }));
      const refusal = answer.reasons.map(({ message }) => message).join("\n");
      const text = answer.result ? textOf(answer.result) : refusal;
      return { ...answer, text, failed: answer.result?.isError ?? answer.result === undefined };
    },
    checkPlan: async (tools) => plan.parse(await ask("validate-plan", { planned_calls: tools })),
  };
}

const DECISION = "dev.sluicegate/decision";

/** Over MCP, with the client that any agent could use. */
export async function mcpDoor(
  gateway: DemoGateway,
  { session_id, session_token }: OpenedSession,
): Promise<McpDoor> {
  const client = new Client(
    { name: "sluicegate-demo", version: "1.0.0" },
    { versionNegotiation: { mode: "auto" } },
  );
  const requestInit = { headers: { authorization: `Bearer ${session_token}` } };
  const address = new URL(`${gateway.url}/s/${session_id}/mcp`);
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit }));
  return {
    instructions: client.getInstructions() ?? "",
    tools: async () =>
      (await client.listTools()).tools.map(({ name, description = "", inputSchema }) => ({
        name,
        description,
        inputSchema,
      })),
    call: async (name, args) => {
      const result = await client.callTool({ name, arguments: { ...args } });
      const told = content.parse(result);
      const refusal = result._meta?.[DECISION];
      const allowed = { effect: "allow", reasons: [], approval: null } as const;
      const decided = refusal === undefined ? allowed : decision.parse(refusal);
      return { ...decided, text: textOf(told), failed: told.isError ?? false };
    },
    checkPlan: async (tools) => {
      const result = await client.callTool({
        name: "sluicegate_check_plan",
        arguments: { planned_calls: [...tools] },
      });
      return plan.parse(result.structuredContent);
    },
    close: () => client.close(),
  };
}
