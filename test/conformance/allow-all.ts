/** A gateway that allows everything in front of one server, so that only the gateway itself makes a difference. */
import { type RunningGateway, startGateway } from "../scenarios/running-gateway.ts";

/** `reached` says how, as the policy file does: `url: "…"` or `command: …, args: […]`. */
export function startAllowAllGateway(reached: string): Promise<RunningGateway> {
  const policy = `
version: 1
servers:
  behind: { ${reached}, source: public, tools: { "*": { permissions: [read, write, connect] } } }
`;
  return startGateway({ policy });
}

export interface GatedSession {
  readonly url: string;
  readonly token: string;
}

export async function openGatedSession(gate: RunningGateway): Promise<GatedSession> {
  const { status, body } = await gate.request("POST", "/v1/session", {});
  if (status >= 300) throw new Error(`No session was opened: ${JSON.stringify(body)}`);
  return { url: `${gate.url}/s/${body.session_id}/mcp`, token: body.session_token };
}
