/** The programs between a client and the echo server, and the paths of an SDK's client through each and through none. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Client as NewClient, StreamableHTTPClientTransport as NewHttp } from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ROOT } from "./machine.ts";
import { asTransport } from "./sdk-transport.ts";
import { asPublished, type Command, ON_THE_SOURCES, startServe } from "./served-gateway.ts";
import { type StartedProgram, startProgram } from "./started-program.ts";

/** A client that is connected to the echo server by some path. */
export interface Caller {
  call(text: string): Promise<void>;
  close(): Promise<void>;
}

export interface RunningPath extends Caller {
  /** What stands between; null where nothing does. */
  readonly program: StartedProgram | null;
  /** A caller of the newer protocol revision on the same program, where the path has one. */
  newer?(): Promise<Caller>;
}

export interface Path {
  readonly name: string;
  /** Starts what stands between and connects a client; the first call has been answered when it resolves. */
  start(): Promise<RunningPath>;
}

/** A program in front of an echo server of its own, and how a client reaches it. */
export interface Front {
  readonly program: StartedProgram;
  /** The address of its MCP endpoint. */
  readonly mcp: string;
  readonly headers: Readonly<Record<string, string>>;
}

const ECHO = [process.execPath, join(import.meta.dirname, "echo-server.ts")] as const;
const POLICY = `
version: 1
servers:
  bench:
    command: ${JSON.stringify(ECHO[0])}
    args: [${JSON.stringify(ECHO[1])}]
    cwd: ${JSON.stringify(ROOT)}
    tools:
      echo: { permissions: [read], source: internal }
`;

/** The gateway as it runs in a checkout, whose types are taken off as it starts. */
const SOURCES = "sluicegate on the sources";

/** All paths. A gateway keeps its store in a folder of its own under `scratch`; `start` is the published start file. */
export function createPaths(scratch: string, start: string): readonly Path[] {
  let starts = 0;
  const gateway = async (command: Command): Promise<RunningPath> => {
    const front = await startGateway(command, join(scratch, `gateway-${starts++}`));
    return { ...(await overHttp(front)), newer: () => newerOverHttp(front) };
  };
  return [
    { name: "sluicegate", start: () => gateway(asPublished(start)) },
    { name: SOURCES, start: () => gateway(ON_THE_SOURCES) },
    { name: "mcp-proxy", start: async () => overHttp(await startMcpProxy()) },
    { name: "pass-through", start: async () => overHttp(await startPassThrough()) },
    { name: "stdio", start: startDirect },
  ];
}

/** `more` is added to the policy. */
export async function startGateway(
  command: Command,
  stem: string,
  more = "",
): Promise<Front & { readonly url: string }> {
  const { program, url, mcp, token } = await startServe(command, stem, POLICY + more);
  return { program, url, mcp, headers: { authorization: `Bearer ${token}` } };
}

export async function startMcpProxy(): Promise<Front> {
  const port = await freePort();
  const proxy = join(ROOT, "node_modules/mcp-proxy/dist/bin/mcp-proxy.mjs");
  const args = ["--port", `${port}`, "--host", "127.0.0.1", "--server", "stream", "--", ...ECHO];
  const program = startProgram(process.execPath, [proxy, ...args]);
  const mcp = `http://127.0.0.1:${port}/mcp`;
  await untilListening(mcp);
  return { program, mcp, headers: {} };
}

export async function startPassThrough(): Promise<Front> {
  const program = startProgram(process.execPath, [join(import.meta.dirname, "pass-through.ts"), ...ECHO]);
  return { program, mcp: await program.prints(/http\S+(?=\n)/), headers: {} };
}

/** The least that a durable gateway can do. It has no sessions and no handshake, so only raw requests reach it. */
export async function startLimit(database: string): Promise<Front> {
  const limit = join(import.meta.dirname, "limit-program.ts");
  const program = startProgram(process.execPath, [limit, database, ...ECHO]);
  return { program, mcp: await program.prints(/http\S+(?=\n)/), headers: {} };
}

async function startDirect(): Promise<RunningPath> {
  const client = newClient();
  const [command, ...args] = ECHO;
  await client.connect(asTransport(new StdioClientTransport({ command, args, cwd: ROOT })));
  return { program: null, ...(await warmed(callerOf(client))) };
}

const newClient = (): Client => new Client({ name: "bench", version: "1.0.0" });

async function overHttp({ program, mcp, headers }: Front): Promise<RunningPath> {
  const client = newClient();
  const transport = new StreamableHTTPClientTransport(new URL(mcp), { requestInit: { headers } });
  await client.connect(asTransport(transport));
  const caller = await warmed(callerOf(client));
  const close = async (): Promise<void> => {
    await caller.close();
    await program.stop();
  };
  return { program, call: caller.call, close };
}

async function newerOverHttp({ mcp, headers }: Front): Promise<Caller> {
  const options = { versionNegotiation: { mode: "auto" } } as const;
  const client = new NewClient({ name: "bench", version: "1.0.0" }, options);
  await client.connect(new NewHttp(new URL(mcp), { requestInit: { headers } }));
  if (client.getNegotiatedProtocolVersion() !== "2026-07-28") throw new Error("It isn't the newer revision.");
  return warmed(callerOf(client));
}

interface AnyClient {
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<{ [part: string]: unknown }>;
  close(): Promise<void>;
}

function callerOf(client: AnyClient): Caller {
  return {
    call: async (text) => {
      const { content } = await client.callTool({ name: "echo", arguments: { text } });
      const [block] = Array.isArray(content) ? content : [];
      if (block?.text !== text) throw new Error("The echo is another one.");
    },
    close: () => client.close(),
  };
}

async function warmed(caller: Caller): Promise<Caller> {
  await caller.call("first");
  return caller;
}

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address: string | AddressInfo | null = server.address();
      server.close(() => resolve(typeof address === "object" ? (address?.port ?? 0) : 0));
    });
  });
}

/** mcp-proxy says nothing on standard output, so it is asked until it answers. */
async function untilListening(url: string): Promise<void> {
  for (let attempt = 0; attempt < 6000; attempt += 1) {
    try {
      await (await fetch(url, { method: "OPTIONS" })).arrayBuffer();
      return;
    } catch {
      await pause(5);
    }
  }
  throw new Error("mcp-proxy doesn't listen.");
}
