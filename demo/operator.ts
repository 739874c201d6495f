/** The operator's side, over REST: opens sessions, looks at them, and answers approvals. */
import { z } from "zod";
import type { DemoGateway } from "./gateway-process.ts";

const manifestTool = z.object({ name: z.string(), sensitivity: z.string(), consequence: z.string() });
const label = z.object({ level: z.string(), trust: z.string() });
const opened = z.object({
  session_id: z.string(),
  session_token: z.string(),
  tools: z.array(manifestTool),
  ordering_hint: z.string(),
  prompt: z.string(),
});
const approval = z.object({
  id: z.string(),
  session_id: z.string(),
  principal: z.string(),
  tool: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  reasons: z.array(z.object({ message: z.string() })),
  label,
  expires_at: z.string(),
});
const event = z.object({
  seq: z.number(),
  kind: z.string(),
  prev: z.string(),
  hash: z.string(),
  data: z.looseObject({ tool: z.string().optional(), label: label.optional() }),
});

export type OpenedSession = z.infer<typeof opened>;
export type ManifestTool = z.infer<typeof manifestTool>;
export type Approval = z.infer<typeof approval>;
export type JournalEvent = z.infer<typeof event>;

export interface Operator {
  open(body: { principal: string; task: string; tools: readonly string[] }): Promise<OpenedSession>;
  label(session: string): Promise<z.infer<typeof label>>;
  pending(session: string): Promise<readonly Approval[]>;
  answer(id: string, verb: "approve" | "deny"): Promise<void>;
  journal(session: string): Promise<readonly JournalEvent[]>;
}

export interface Reply {
  readonly status: number;
  readonly body: unknown;
}

/** One request with a token. */
export async function request(
  gateway: Pick<DemoGateway, "url">,
  token: string,
  path: string,
  body?: unknown,
): Promise<Reply> {
  const reply = await fetch(gateway.url + path, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(30_000),
  });
  return { status: reply.status, body: await reply.json() };
}

export function createOperator(gateway: DemoGateway): Operator {
  const ask = async (path: string, body?: unknown): Promise<unknown> => {
    const reply = await request(gateway, gateway.operatorToken, path, body);
    if (reply.status >= 400)
      throw new Error(`${path} was answered ${reply.status}: ${JSON.stringify(reply.body)}`);
    return reply.body;
  };
  return {
    open: async (body) => opened.parse(await ask("/v1/session", body)),
    label: async (session) => z.object({ label }).parse(await ask(`/v1/session/${session}`)).label,
    pending: async (session) => {
      const { approvals } = z.object({ approvals: z.array(approval) }).parse(await ask("/v1/approvals"));
      return approvals.filter((one) => one.session_id === session);
    },
    answer: async (id, verb) => {
      await ask(`/v1/approvals/${id}/${verb}`, {});
    },
    journal: async (session) =>
      z.object({ events: z.array(event) }).parse(await ask(`/v1/session/${session}/journal`)).events,
  };
}
