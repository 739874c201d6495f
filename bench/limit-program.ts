/**
 * The least that a durable gateway can do, as a limit for ours: `node:http`, one JSON parse, canonical arguments and
 * a keyed digest of them, one durable row of a hash chain, the arguments' bytes on to a stdio server, and its
 * result's bytes back. It decides nothing and checks nobody. `POST /decide` ends at the durable row.
 * `node limit-program.ts DATABASE COMMAND ARGS…` prints its address once it listens.
 */
import { spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { openChainWriter } from "./group-commit.ts";

interface Call {
  readonly id: unknown;
  readonly params: { readonly name: string; readonly arguments: unknown };
}

const SESSION = "sess_00000000000000000000000000000000";
const KEY = Buffer.alloc(32, 0x1f);
const [database = "", command = "", ...args] = process.argv.slice(2);
const writer = openChainWriter(database);
const server = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const waiting = new Map<number, (result: string) => void>();
let lastId = 0;

/** The server's answers, in the one form that `JSON.stringify` gives the echo server's. */
const ANSWER = /^\{"result":(.*),"jsonrpc":"2\.0","id":(\d+)\}$/;
createInterface({ input: server.stdout }).on("line", (line) => {
  const [, result, id] = ANSWER.exec(line) ?? [];
  if (result === undefined) throw new Error(`Expected an answer of the echo server, not ${line}`);
  waiting.get(Number(id))?.(result);
  waiting.delete(Number(id));
});

/** Sends a request whose parameters are JSON already; gives the result's JSON. */
function request(method: string, params: string): Promise<string> {
  lastId += 1;
  server.stdin.write(`{"jsonrpc":"2.0","id":${lastId},"method":"${method}","params":${params}}\n`);
  return new Promise((resolve) => waiting.set(lastId, resolve));
}

/** JSON with sorted keys. */
function canonical(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const members = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(",")}}`;
}

async function answer(path: string | undefined, body: string): Promise<string> {
  const { id, params }: Call = JSON.parse(body);
  const sent = canonical(params.arguments);
  const digest = createHmac("sha256", KEY).update(sent).digest("hex");
  const name = JSON.stringify(params.name);
  const row = `{"kind":"call-admitted","at":"${new Date().toISOString()}","tool":${name},"digest":"${digest}"}`;
  await writer.append(SESSION, row);
  if (path === "/decide") return '{"effect":"allow"}';
  const result = await request("tools/call", `{"name":${name},"arguments":${sent}}`);
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
}

function send(response: ServerResponse, status: number, body: string): void {
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  response.writeHead(status, headers).end(body);
}

const clientInfo = { name: "limit", version: "1.0.0" };
await request("initialize", JSON.stringify({ protocolVersion: "2025-11-25", capabilities: {}, clientInfo }));
server.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');

const http = createServer((incoming, response) => {
  const chunks: Buffer[] = [];
  incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
  incoming.on("end", () => {
    answer(incoming.url, Buffer.concat(chunks).toString()).then(
      (body) => send(response, 200, body),
      (error: unknown) => send(response, 500, String(error)),
    );
  });
});
http.listen(0, "127.0.0.1");
await once(http, "listening");
const address: string | AddressInfo | null = http.address();
const port = typeof address === "object" ? address?.port : undefined;
process.stdout.write(`http://127.0.0.1:${port}\n`);
