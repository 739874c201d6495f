/** The gateway under test, and how a fresh session of it is had. */
import { type Access, ERAS, type Era, WireClient } from "./wire.ts";

export interface TargetOptions {
  /** Its MCP endpoint. */
  readonly url: string;
  readonly token?: string | undefined;
  /** The base of its session API (`POST /v1/session`), where it has one. */
  readonly adminUrl?: string | undefined;
  readonly adminToken?: string | undefined;
  /** A header that names the session, for gateways that take one from the client. */
  readonly sessionHeader?: string | undefined;
  /** The program whose hook decides the calls of a coding agent; null where nothing does. */
  readonly agentHook?: string | null;
  /** How many characters it has written to its operator's terminal, where that can be seen. */
  readonly logLength?: () => number;
}

/** A session, and what is needed to attack it. */
export interface OpenSession extends Access {
  readonly id: string;
  readonly token: string;
}

export interface Target {
  readonly url: string;
  /** The eras that it speaks. */
  readonly eras: readonly Era[];
  /** Whether a session is more than a connection: it has an id and a token of its own. */
  readonly hasSessions: boolean;
  readonly operatorToken: string;
  readonly agentHook: string | null | undefined;
  readonly logLength: (() => number) | undefined;
  /** A fresh session, whatever went before. `body` is for `POST /v1/session`. */
  open(body?: object): Promise<OpenSession>;
  /** A request to the session API with somebody's token. */
  api(method: string, path: string, token: string, body?: object): Promise<ApiReply>;
}

export interface ApiReply {
  readonly status: number;
  readonly text: string;
}

/** Finds out which eras a gateway speaks. */
export async function findTarget(options: TargetOptions): Promise<Target> {
  const { url, adminUrl, adminToken = "", agentHook, logLength } = options;
  const base = adminUrl?.replace(/\/+$/, "") ?? null;
  const api = async (method: string, path: string, token: string, body?: object): Promise<ApiReply> => {
    const response = await fetch(`${base}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  };
  const open = async (body: object = {}): Promise<OpenSession> => {
    if (base === null) return openConnection(options);
    const { status, text } = await api("POST", "/v1/session", adminToken, body);
    if (status !== 201) throw new Error(`The gateway opened no session (${status}): ${text}`);
    const { session_id: id, session_token: token } = JSON.parse(text) as Record<string, string>;
    if (id === undefined || token === undefined) throw new Error("The gateway's session has no id or token.");
    return { url: `${base}/s/${id}/mcp`, headers: { authorization: `Bearer ${token}` }, id, token };
  };
  const eras: Era[] = [];
  for (const era of ERAS) if (await speaks(era, await open())) eras.push(era);
  return {
    url,
    eras,
    hasSessions: base !== null,
    operatorToken: adminToken,
    agentHook,
    logLength,
    open,
    api,
  };
}

/** Without a session API a connection stands for a session, or a name in a header that the gateway takes. */
function openConnection({ url, token = "", sessionHeader }: TargetOptions): OpenSession {
  const id = crypto.randomUUID();
  const headers = {
    ...(token !== "" && { authorization: `Bearer ${token}` }),
    ...(sessionHeader !== undefined && { [sessionHeader]: id }),
  };
  return { url, headers, id, token };
}

async function speaks(era: Era, access: Access): Promise<boolean> {
  const client = new WireClient(era, access);
  const greeting = await client.connect();
  const agreed = (greeting?.message?.result as Record<string, unknown> | undefined)?.protocolVersion;
  if (greeting !== null && agreed !== era) return false;
  const { message } = await client.request("tools/list");
  return message?.result !== undefined;
}
