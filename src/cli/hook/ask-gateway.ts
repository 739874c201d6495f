/**
 * Asks the gateway on a store, over its socket. HTTP is written by hand here: loading Node's own client would cost
 * more than the question. Whoever could put another socket in its place could replace the store as well.
 */
import { connect, type Socket } from "node:net";
import type { HookSettings } from "../../hooks/claude-code/hook-settings.ts";
import { atSocket, HOOK_PATH, hookSocketOf } from "./hook-socket.ts";

/** What came of it. */
export type Asked =
  | { readonly kind: "answer"; readonly text: string }
  /** Nobody listens there, so nobody has heard it. */
  | { readonly kind: "nobody" }
  | { readonly kind: "failed"; readonly why: string };

/** Puts an event to the gateway. Never rejects; it may take for ever. */
export function askGateway(settings: HookSettings, event: string): Promise<Asked> {
  return new Promise((resolve) => {
    const socket = open(hookSocketOf(settings.store));
    if (socket === null) {
      resolve({ kind: "nobody" });
      return;
    }
    const chunks: Buffer[] = [];
    let isConnected = false;
    socket.on("connect", () => {
      isConnected = true;
      socket.write(toRequest(settings, event));
    });
    socket.on("data", (chunk) => chunks.push(chunk));
    // What was heard may have been admitted: it is not asked a second time.
    socket.on("error", (cause: NodeJS.ErrnoException) => {
      const isNobody = !isConnected && NOBODY.has(cause.code ?? "");
      resolve(isNobody ? { kind: "nobody" } : { kind: "failed", why: GONE });
    });
    socket.on("end", () => resolve(readAnswer(Buffer.concat(chunks).toString("utf8"))));
    socket.on("close", () => resolve({ kind: "failed", why: GONE }));
  });
}

/** No socket, one that a gateway left behind, or no folder for one. */
const NOBODY: ReadonlySet<string> = new Set(["ENOENT", "ECONNREFUSED", "ENOTDIR"]);
const GONE = "The gateway went away in the middle of it. Start the gateway again, then call again.";
const NO_GATEWAY =
  "What answers at the gateway's socket is no gateway of this version. Start the gateway again.";

function open(path: string): Socket | null {
  try {
    return atSocket(path, (name) => connect(name));
  } catch {
    return null;
  }
}

function toRequest({ store: _, ...settings }: HookSettings, event: string): Buffer {
  const body = Buffer.from(event);
  const asked = JSON.stringify(settings);
  const head = [
    `POST ${HOOK_PATH} HTTP/1.1`,
    "host: sluicegate",
    "connection: close",
    "content-type: application/json",
    `content-length: ${body.length}`,
    `sluicegate-hook: ${encodeURIComponent(asked)}`,
  ];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), body]);
}

function readAnswer(text: string): Asked {
  const end = text.indexOf("\r\n\r\n");
  const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(text) ?? [];
  const length = /\r\ncontent-length: (\d+)\r\n/i.exec(text.slice(0, end + 2))?.[1];
  const body = text.slice(end + 4);
  if (end < 0 || status === undefined || length === undefined) return { kind: "failed", why: GONE };
  if (Buffer.byteLength(body) !== Number(length)) return { kind: "failed", why: GONE };
  return status === "200" && body.startsWith("{")
    ? { kind: "answer", text: body }
    : { kind: "failed", why: NO_GATEWAY };
}
