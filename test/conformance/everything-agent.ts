/** A client of one era that can do all that a client may be asked for, and keeps what it was asked and told. */
import { Client, type Transport } from "@modelcontextprotocol/client";

export type Era = "legacy" | "modern";

export interface Agent {
  readonly era: Era;
  readonly client: Client;
  /** The methods that it was asked for, in order. */
  readonly asked: readonly string[];
  /** What was logged to it. */
  readonly logged: readonly unknown[];
  /** The URIs of resources that it was told have changed. */
  readonly updated: readonly string[];
  /** The URIs of its roots; a test may change them. */
  readonly roots: string[];
}

export async function connectAgent(era: Era, transport: Transport): Promise<Agent> {
  const asked: string[] = [];
  const logged: unknown[] = [];
  const updated: string[] = [];
  const roots = ["file:///home/ada/work"];
  const client = new Client(
    { name: "everything-agent", version: "1.0.0" },
    {
      capabilities: { sampling: {}, elicitation: { form: {}, url: {} }, roots: { listChanged: true } },
      versionNegotiation: { mode: era === "legacy" ? "legacy" : "auto" },
    },
  );
  client.setRequestHandler("sampling/createMessage", ({ method }) => {
    asked.push(method);
    return { role: "assistant", model: "test-model", content: { type: "text", text: "sampled here" } };
  });
  client.setRequestHandler("elicitation/create", ({ method, params }) => {
    asked.push(`${method} ${params.mode ?? "form"}`);
    return params.mode === "url" ? { action: "accept" } : { action: "accept", content: { name: "Ada" } };
  });
  client.setRequestHandler("roots/list", ({ method }) => {
    asked.push(method);
    return { roots: roots.map((uri) => ({ uri })) };
  });
  client.setNotificationHandler("notifications/message", ({ params }) => void logged.push(params.data));
  client.setNotificationHandler(
    "notifications/resources/updated",
    ({ params }) => void updated.push(params.uri),
  );
  await client.connect(transport);
  return { era, client, asked, logged, updated, roots };
}
