/** Forks that a session's own token opens: one agent holds both, so that both have one label. */
import type { Agent, Arena } from "./arena.ts";

/** A fork of the agent's session, or null where the gateway opens none. */
export async function forkOf(
  { target, again }: Arena,
  { session }: Agent,
  toolPolicy?: object,
): Promise<Agent | null> {
  const body = toolPolicy === undefined ? {} : { tool_policy: toolPolicy };
  const { status, text } = await target.api("POST", `/v1/session/${session.id}/fork`, session.token, body);
  if (status !== 201) return null;
  const { session_id: id, session_token: token } = JSON.parse(text) as Record<string, string>;
  if (id === undefined || token === undefined) return null;
  const url = session.url.replace(session.id, id);
  return again({ url, headers: { authorization: `Bearer ${token}` }, id, token });
}
