/**
 * The gateway's door for hooks: a socket beside the store that its owner alone can open, and so without a token. It
 * serves hooks and nothing else.
 */
import { once } from "node:events";
import { lstatSync, realpathSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { connect } from "node:net";
import { SluicegateError } from "../../errors/index.ts";
import { agentEnvironment } from "../../hooks/claude-code/agent-environment.ts";
import { answerEvent } from "../../hooks/claude-code/answer-event.ts";
import type { HookGate } from "../../hooks/claude-code/hook-gate.ts";
import type { HookSettings } from "../../hooks/claude-code/hook-settings.ts";
import { parseJson } from "../../json/parse-json.ts";
import { propertyOf, textIn } from "../../json/plain-data.ts";
import { atSocket, HOOK_PATH, hookSocketOf, MAX_BYTES } from "./hook-socket.ts";
import { MAX_WAIT_SECONDS } from "./read-settings.ts";

export interface HookDoor {
  /** Takes no more hooks; those that wait are told so. */
  close(): Promise<void>;
}

/**
 * Answers hooks at the store's socket from now on. Null where that can't be had: hooks decide by themselves then.
 * `log` is told why.
 */
export async function serveHooks(
  hooks: HookGate,
  storeFile: string,
  log: (line: string) => void,
): Promise<HookDoor | null> {
  const path = hookSocketOf(storeFile);
  if (process.platform === "win32" || storeFile === ":memory:") return null;
  try {
    if (await isServed(path)) {
      log(`Another gateway answers hooks at ${path}.`);
      return null;
    }
    // What a gateway left behind that was killed.
    rmSync(path, { force: true });
    return await openDoor(hooks, storeFile, path);
  } catch (cause) {
    log(`Hooks decide by themselves: ${path} can't be listened at (${codeOf(cause)}).`);
    return null;
  }
}

/** The settings come in a header, with variables of the agent's environment. */
const LIMITS = { headersTimeout: 10_000, requestTimeout: 30_000, maxHeaderSize: 1024 * 1024 };

async function openDoor(hooks: HookGate, storeFile: string, path: string): Promise<HookDoor> {
  const server = createServer(LIMITS, (request, response) => {
    answer(hooks, storeFile, request, response).catch(() => response.destroy());
  });
  const listening = once(server, "listening");
  // THREAT: whoever may open it is told what a policy lets pass; nobody else may, at any moment.
  const mask = process.umask(0o177);
  try {
    atSocket(path, (name) => server.listen(name));
  } finally {
    process.umask(mask);
  }
  await listening;
  const own = lstatSync(path).ino;
  return { close: () => close(server, path, own) };
}

async function close(server: Server, path: string, own: number): Promise<void> {
  const closed = once(server, "close");
  // Removed here: by the name under which it was made, it would be looked for in another folder.
  if (lstatSync(path, { throwIfNoEntry: false })?.ino === own) rmSync(path, { force: true });
  server.close();
  server.closeAllConnections();
  await closed;
}

/** Whether somebody listens there. */
async function isServed(path: string): Promise<boolean> {
  const socket = atSocket(path, (name) => connect(name));
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function answer(
  hooks: HookGate,
  storeFile: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== "POST" || request.url !== HOOK_PATH) return send(response, 404, "{}");
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  const settings = readAsked(request.headers["sluicegate-hook"], storeFile);
  if (settings === null) return send(response, 400, "{}");
  const text = await readText(request);
  if (text === null) return send(response, 413, "{}");
  const open = (): HookGate => {
    if (!isSameFile(settings.config, hooks.file)) throw otherPolicy();
    return hooks;
  };
  send(response, 200, await answerEvent(text, settings, open, gone.signal));
}

function send(response: ServerResponse, status: number, body: string): void {
  const length = Buffer.byteLength(body);
  response.writeHead(status, { "content-type": "application/json", "content-length": length }).end(body);
}

async function readText(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** What the hook was set up with; null for what no hook of this version sends. */
function readAsked(header: unknown, store: string): HookSettings | null {
  const asked = typeof header === "string" ? parse(header) : undefined;
  const [config, unlisted] = [textIn(asked, "config"), textIn(asked, "unlisted")];
  const waitSeconds = propertyOf(asked, "waitSeconds");
  if (config === null || typeof waitSeconds !== "number") return null;
  if (unlisted !== "policy" && unlisted !== "defer" && unlisted !== "pass") return null;
  if (!(waitSeconds >= 0 && waitSeconds <= MAX_WAIT_SECONDS)) return null;
  const environment = propertyOf(asked, "environment");
  if (typeof environment !== "object" || environment === null) return null;
  return {
    config,
    store,
    role: textIn(asked, "role"),
    unlisted,
    waitSeconds,
    environment: agentEnvironment({ ...environment }),
    settings: textIn(asked, "settings"),
  };
}

function parse(header: string): unknown {
  try {
    return parseJson(decodeURIComponent(header));
  } catch {
    return undefined;
  }
}

function isSameFile(one: string, other: string): boolean {
  try {
    return realpathSync(one) === realpathSync(other);
  } catch {
    return false;
  }
}

const otherPolicy = (): SluicegateError =>
  new SluicegateError("usage", "The hook was set up with another policy than the gateway on its store.", {
    why: "What one of them lets pass, the other may not.",
    fix: "Name the same policy for both, or give the hook a store of its own with `--store`.",
  });

const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause ? String(cause.code) : "unknown error";
