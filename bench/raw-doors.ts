/** The echo tool's call as prepared bytes, for each protocol that a program in front of the server speaks. */
import type { Post } from "./load.ts";
import type { Front } from "./paths.ts";
import { OPERATOR_TOKEN } from "./served-gateway.ts";

/** The request of one connection, so that no two that are on their way share a JSON-RPC id. */
export type Door = (connection: number) => Post;

const OLDER = "2025-11-25";
const NEWER = "2026-07-28";
const TEXT = "Q3 figures of the sales team";
const CALL = { name: "echo", arguments: { text: TEXT } };
const ECHOED = `"text":"${TEXT}"`;
const ALLOWED = '"effect":"allow"';
const JSON_RPC = { accept: "application/json, text/event-stream" };

function mcpDoor(url: string, headers: Post["headers"], more: object = {}): Door {
  const message = { jsonrpc: "2.0", method: "tools/call", params: { ...CALL, ...more } };
  return (connection) => ({
    url,
    headers: { ...JSON_RPC, ...headers },
    body: JSON.stringify({ ...message, id: connection + 1 }),
    expects: ECHOED,
  });
}

/** After the handshake of revision 2025-11-25, all in one session. */
export async function openOlderDoor({ mcp, headers }: Front): Promise<Door> {
  const send = async (message: object, more: Post["headers"]): Promise<Response> => {
    const response = await fetch(mcp, {
      method: "POST",
      headers: { ...JSON_RPC, "content-type": "application/json", ...headers, ...more },
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    });
    await response.text();
    if (!response.ok) throw new Error(`The handshake was answered with ${response.status}.`);
    return response;
  };
  const clientInfo = { name: "raw", version: "1.0.0" };
  const params = { protocolVersion: OLDER, capabilities: {}, clientInfo };
  const opened = await send({ id: 0, method: "initialize", params }, {});
  const session = opened.headers.get("mcp-session-id");
  const own = {
    "mcp-protocol-version": OLDER,
    ...(session === null ? {} : { "mcp-session-id": session }),
  };
  await send({ method: "notifications/initialized" }, own);
  return mcpDoor(mcp, { ...headers, ...own });
}

/** Revision 2026-07-28, which has no handshake. */
export const newerDoor = ({ mcp, headers }: Front): Door =>
  mcpDoor(
    mcp,
    { ...headers, "mcp-protocol-version": NEWER, "mcp-method": "tools/call", "mcp-name": CALL.name },
    {
      _meta: {
        "io.modelcontextprotocol/protocolVersion": NEWER,
        "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1.0.0" },
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    },
  );

/** One of REST's two ways to ask, in a session of its own: decided calls stay open and make that session's next dearer. */
export async function openRestDoor(url: string, route: "call" | "decide"): Promise<Door> {
  const response = await fetch(`${url}/v1/session`, {
    method: "POST",
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, "content-type": "application/json" },
    body: "{}",
  });
  const session: { session_id: string; session_token: string } = JSON.parse(await response.text());
  const post: Post = {
    url: `${url}/v1/session/${session.session_id}/${route}`,
    headers: { authorization: `Bearer ${session.session_token}` },
    body: JSON.stringify({ tool: `mcp__bench__${CALL.name}`, arguments: CALL.arguments }),
    expects: route === "call" ? ECHOED : ALLOWED,
  };
  return () => post;
}

/** The limit program, which needs no handshake and no token. */
export function limitDoors({ mcp }: Front): { readonly call: Door; readonly decide: Door } {
  const decide = mcpDoor(`${mcp}/decide`, {});
  return {
    call: mcpDoor(`${mcp}/mcp`, {}),
    decide: (connection) => ({ ...decide(connection), expects: ALLOWED }),
  };
}
