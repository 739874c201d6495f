/** An MCP server over stdio whose results are as large as one may be, in shapes that cost a gateway most. */
import { createInterface } from "node:readline";

const MIB = 1024 * 1024;

const repeated = (count: number, part: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => part(at)).join();

/** What each tool gives, as JSON of structured content. */
const SHAPES: Readonly<Record<string, () => string>> = {
  many_keys: () => `{${repeated(1_000_000, (at) => `"k${at}":1`)}}`,
  nested_lists: () => `{"a":[${repeated(110_000, () => `${"[".repeat(60)}${"]".repeat(60)}`)}]}`,
  many_names: () => `{"rows":[${repeated(17_000, (at) => `{"k${at % 4900}":1}`)}]}`,
  table: () =>
    `{"rows":[${repeated(6_500, (at) => `{"id":${at},"name":"Ada","mail":"ada@example.com","a":1,"b":2.5,"c":true,"d":null,"e":"x","f":"2026-01-01","g":${at}}`)}]}`,
};
const TEXTS: Readonly<Record<string, () => string>> = {
  long_text: () => "Lorem ipsum dolor sit amet.\n".repeat((7.6 * MIB) / 28),
  wide_text: () => "\u6587".repeat((7.9 * MIB) / 3),
  controls: () => "\u0001".repeat((7.9 * MIB) / 6),
  half_characters: () => "\ud83d".repeat((7.9 * MIB) / 6),
  echo: () => "done",
};

const NAMES = [...Object.keys(SHAPES), ...Object.keys(TEXTS), "flood"];
const write = (line: string): boolean => process.stdout.write(`${line}\n`);

function call(name: string): string {
  const shape = SHAPES[name];
  if (shape) return `{"content":[],"structuredContent":${shape()}}`;
  if (name === "flood") {
    const notice = JSON.stringify({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
    process.stdout.write(`${notice}\n`.repeat(50_000));
  }
  return JSON.stringify({ content: [{ type: "text", text: (TEXTS[name] ?? TEXTS.echo)?.() ?? "" }] });
}

function answer(
  method: string,
  params: { readonly name?: string; readonly protocolVersion?: string },
): string {
  if (method === "initialize") {
    const { protocolVersion = "2025-06-18" } = params;
    const serverInfo = { name: "values", version: "1" };
    return JSON.stringify({ protocolVersion, capabilities: { tools: { listChanged: true } }, serverInfo });
  }
  if (method === "tools/list")
    return JSON.stringify({ tools: NAMES.map((name) => ({ name, inputSchema: { type: "object" } })) });
  return method === "tools/call" ? call(params.name ?? "") : "{}";
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) return;
  if (method === "server/discover")
    write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":{"code":-32601,"message":"no such method"}}`);
  else write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${answer(method, params)}}`);
});
