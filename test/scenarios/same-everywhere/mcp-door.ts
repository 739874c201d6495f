/** The scenarios as an MCP client of one protocol revision plays them, over Streamable HTTP or stdio. */
import { PassThrough, type Readable, type Writable } from "node:stream";
import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { expect } from "vitest";
import { serveSessionOnStdio } from "../../../src/gateway/index.ts";
import type { RunningGateway } from "../running-gateway.ts";
import { type Answer, type Door, type Json, toldBy, toResult } from "./door.ts";
import { asOperator, openSession } from "./rest-door.ts";

export type Era = "2025-11-25" | "2026-07-28";

export interface McpDoorOptions {
  readonly era: Era;
  readonly over?: "stdio";
}

/** The tools that a gateway adds to every session's. */
const GATEWAYS_OWN = /^(?:sluicegate_|report_impossible$)/;

/** Where a result says what the gate decided. */
const DECISION = "dev.sluicegate/decision";

/** A door for one era; `close` lets its clients go. */
export function createMcpDoor(
  gate: RunningGateway,
  { era, over }: McpDoorOptions,
): Door & { close(): Promise<void> } {
  const clients: Client[] = [];
  const connect = async (id: string, token: string): Promise<Client> => {
    const mode = era === "2025-11-25" ? "legacy" : { pin: era };
    const client = new Client({ name: "scenario", version: "1" }, { versionNegotiation: { mode } });
    clients.push(client);
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    const url = new URL(`${gate.url}/s/${id}/mcp`);
    const stdio = over === "stdio" ? await serveStdio(gate, id) : null;
    await client.connect(stdio ?? new StreamableHTTPClientTransport(url, { requestInit }));
    expect(client.getNegotiatedProtocolVersion()).toBe(era);
    return client;
  };
  return {
    name: over === "stdio" ? `MCP ${era} over stdio` : `MCP ${era}`,
    open: async (options) => {
      const { id, token, opened } = await openSession(gate, options);
      const client = await connect(id, token);
      // What the model is told first are the very words of the session's prompt.
      expect(client.getInstructions()?.startsWith(opened.prompt)).toBe(true);
      const call = async (tool: string, args: Json): Promise<Json> =>
        client.callTool({ name: tool, arguments: args });
      const callOne = async ({ tool, arguments: args = {} }: Json): Promise<Answer> =>
        toAnswer(await call(tool, args));
      return {
        ...asOperator(gate, id),
        manifest: async () => {
          const manifest = toMetaAnswer(await call("sluicegate_manifest", {}));
          const { tools } = await client.listTools();
          const own = tools.map(({ name }) => name).filter((name) => !GATEWAYS_OWN.test(name));
          // A server that never answered has no definitions to list, though the manifest knows its tools.
          // What the label has shut for good has left the list; the manifest says so of it.
          const told = manifest.tools
            .filter(({ consequence }: Json) => !consequence.startsWith("already blocked"))
            .map(({ name }: Json) => name)
            .filter((name: string) => name !== "haunt");
          expect(own.sort()).toEqual(told.sort());
          return manifest;
        },
        plan: async (planned_calls) => toMetaAnswer(await call("sluicegate_check_plan", { planned_calls })),
        requestPlan: async (planned_calls) =>
          toMetaAnswer(await call("sluicegate_check_plan", { planned_calls, ask: true })),
        appeal: async (text) => void toMetaAnswer(await call("sluicegate_appeal", { text })),
        call: callOne,
        decide: async (calls) => {
          const answers: Answer[] = [];
          for (const one of calls) answers.push({ ...(await callOne(one)), result: null });
          return answers;
        },
      };
    },
    close: async () => {
      await Promise.allSettled(clients.map((client) => client.close()));
    },
  };
}

/** As `sluicegate mcp` serves its session, on pipes of this process. */
async function serveStdio({ gateway }: RunningGateway, id: string): Promise<Transport> {
  const session = await gateway.gate.session(id);
  if (session === null) throw new Error(`There is no session ${id}.`);
  const [input, output] = [new PassThrough(), new PassThrough()];
  void serveSessionOnStdio(gateway.service, session, { input, output, onFault: () => {} });
  return createLineTransport(input, output);
}

function createLineTransport(input: Writable, output: Readable): Transport {
  let rest = "";
  const transport: Transport = {
    start: async () => {
      output.setEncoding("utf8").on("data", (chunk: string) => {
        const lines = (rest + chunk).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) transport.onmessage?.(JSON.parse(line));
      });
    },
    send: async (message) => void input.write(`${JSON.stringify(message)}\n`),
    close: async () => {
      input.end();
      transport.onclose?.();
    },
  };
  return transport;
}

const textOf = ({ content }: Json): string => content.map(({ text }: Json) => text).join("\n");

/** What the gateway's own tools answer, which must be the same as text and as structure. */
function toMetaAnswer(answer: Json): Json {
  expect([answer.isError ?? false, JSON.parse(textOf(answer))]).toEqual([false, answer.structuredContent]);
  return answer.structuredContent;
}

/** The result without the words before it that say what a person changed. */
function withoutEdit(answer: Json, decision: Json | null): Json {
  if (!decision?.edited) return answer;
  const [note, ...content] = answer.content;
  expect(note.text).toMatch(/^A person approved this call after changing /);
  return { ...answer, content };
}

/** A call that isn't decided upon in `_meta` was allowed, and has a result. */
function toAnswer(answer: Json): Answer {
  const decision: Json | null = answer._meta?.[DECISION] ?? null;
  const effect = decision?.effect ?? "allow";
  const isTold = decision === null || (effect === "allow" && answer.isError !== true);
  if (isTold) return { decision, effect, sentences: [], result: toResult(withoutEdit(answer, decision)) };
  expect(answer.isError).toBe(true);
  if (effect === "allow") return { decision, effect, sentences: [textOf(answer)], result: null };
  const sentences = toldBy(decision);
  // The text that a model reads are the reasons' sentences; only an approval's id may follow them.
  const [text, told] = [textOf(answer), sentences.join("\n")];
  if (effect === "deny") expect(text).toBe(told);
  else expect([text.startsWith(`${told} `), text.includes(decision.approval.id)]).toEqual([true, true]);
  return { decision, effect, sentences, result: null };
}
