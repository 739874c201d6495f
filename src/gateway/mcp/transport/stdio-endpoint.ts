/** MCP over stdio, for agents that start their servers: one client, one session, for the lifetime of the process. */
import { type Readable, Transform, type Writable } from "node:stream";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { isJsonObject } from "../../../json/json-object.ts";
import { parseStrictJson } from "../../../json/strict-json.ts";
import { createLineReader } from "../../../providers/mcp/index.ts";
import type { Session } from "../../../runtime/index.ts";
import { createLiveServer, type McpService } from "../session-server.ts";
import { refuseWords } from "./words-meta.ts";

export interface StdioOptions {
  readonly input?: Readable;
  readonly output?: Writable;
  readonly onFault: (cause: unknown) => void;
}

/** Serves a session on stdio. Resolves when the client has gone. */
export async function serveSessionOnStdio(
  service: McpService,
  session: Session,
  options: StdioOptions,
): Promise<void> {
  const { input = process.stdin, output = process.stdout, onFault } = options;
  const strict = input.pipe(createStrictLines(service.limits.bodyBytes, output));
  const transport = new StdioServerTransport(strict, output, { maxBufferSize: service.limits.bodyBytes * 2 });
  const handle = serveStdio(() => createLiveServer(service, session, onFault).server, {
    transport,
    onerror: onFault,
  });
  const gone = Promise.withResolvers<void>();
  for (const event of ["end", "close", "error"]) input.once(event, () => gone.resolve());
  strict.once("error", () => gone.resolve());
  output.once("error", () => gone.resolve());
  await gone.promise;
  await handle.close();
}

/** Passes on lines that every parser reads in the same way; other lines are answered with an error. */
function createStrictLines(mostBytes: number, output: Writable): Transform {
  const answer = (error: object, id: unknown): void => {
    output.write(`${JSON.stringify({ jsonrpc: "2.0", error, id })}\n`);
  };
  const refuse = (message: string): void => answer({ code: -32700, message }, null);
  const strict = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      read(chunk);
      done();
    },
  });
  const read = createLineReader(mostBytes, {
    line: (bytes) => {
      try {
        const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
        if (text.trim() === "") return;
        const message = parseStrictJson(text);
        const refusal = refuseWords(message);
        if (refusal === null) strict.push(`${text}\n`);
        else answer(refusal, isJsonObject(message) ? (message.id ?? null) : null);
      } catch (cause) {
        refuse(
          `The line can't be used. ${cause instanceof Error && "why" in cause ? cause.why : "It is not valid UTF-8."}`,
        );
      }
    },
    excess: () => {},
    excessEnd: () => refuse(`The line has more than ${mostBytes} bytes.`),
  });
  return strict;
}
