/**
 * The user's words, as a host gives them with a request, in `_meta`. They are taken out of the request before anything
 * else reads it, and never go to a server.
 */
import { SluicegateError } from "../../../errors/index.ts";
import { isJsonObject } from "../../../json/json-object.ts";
import type { Session } from "../../../runtime/index.ts";
import type { Caller } from "../../http/authority.ts";
import { MAX_TEXT_SAID } from "../../rest/schemas.ts";
import { describeError } from "../request-context.ts";

/** Where a request has them. */
const WORDS_META = "dev.sluicegate/words";

/** Whose request it is, and for which session. */
export interface McpAccess {
  readonly session: Session;
  /** Whether the request names it: the session of all others is the principal's own. */
  readonly isNamed: boolean;
  readonly caller: Caller;
}

/**
 * Adds the words in a request or a batch to the session's, and returns the request without them; the same object where
 * it has none. Words that the session has already cost nothing, so a host may send them with each request.
 * @throws SluicegateError `forbidden` where they don't come with the operator's token, or another's that may administer; `invalid-request` where they are
 * no text, or for no named session; what `Session.say` throws.
 */
export async function sayWordsOf(body: unknown, { session, isNamed, caller }: McpAccess): Promise<unknown> {
  const given = (Array.isArray(body) ? body : [body]).flatMap(wordsIn);
  if (given.length === 0) return body;
  // THREAT: whoever holds a session's token may be the agent, or what has read the agent's configuration; and an MCP
  // client that has a principal's token may be the agent as well.
  if (caller.kind !== "principal" || !caller.rights.has("administer")) throw notTheHost();
  if (!isNamed) throw unnamedSession();
  const words = given.map(toText);
  for (const text of words) await session.say(text);
  return Array.isArray(body) ? body.map(withoutWords) : withoutWords(body);
}

/** The error for a message with words on stdio, where nothing tells a host from an agent; null if it has none. */
export function refuseWords(message: unknown): { readonly code: number; readonly message: string } | null {
  if ((Array.isArray(message) ? message : [message]).flatMap(wordsIn).length === 0) return null;
  const error = notTheHost();
  return { code: error.mapping.jsonRpc, message: describeError(error) };
}

function metaOf(message: unknown): Readonly<Record<string, unknown>> | null {
  const params = isJsonObject(message) ? message.params : null;
  return isJsonObject(params) && isJsonObject(params._meta) ? params._meta : null;
}

function wordsIn(message: unknown): readonly unknown[] {
  const meta = metaOf(message);
  return meta !== null && Object.hasOwn(meta, WORDS_META) ? [meta[WORDS_META]] : [];
}

function withoutWords(message: unknown): unknown {
  const meta = metaOf(message);
  if (meta === null || !isJsonObject(message) || !isJsonObject(message.params)) return message;
  const { [WORDS_META]: _, ...rest } = meta;
  return { ...message, params: { ...message.params, _meta: rest } };
}

function toText(given: unknown): string {
  if (typeof given === "string" && given !== "" && given.length <= MAX_TEXT_SAID) return given;
  throw new SluicegateError("invalid-request", "The user's words can't be used.", {
    why: `\`_meta["${WORDS_META}"]\` is a text of 1 to ${MAX_TEXT_SAID} characters.`,
    fix: "Send what the user wrote, as it was written.",
  });
}

const notTheHost = (): SluicegateError =>
  new SluicegateError("forbidden", "This client can't give the user's words.", {
    why: `\`_meta["${WORDS_META}"]\` counts with the operator's token alone: an agent would say what it likes.`,
    fix: "Send the request without it. The host that the user talks to gives the words, over HTTP and with the operator's token.",
  });

const unnamedSession = (): SluicegateError =>
  new SluicegateError("invalid-request", "The user's words are for no session.", {
    why: "Requests that name no session share one, so these words would also endorse the calls of other conversations.",
    fix: "Name the session: by the address `/s/{session_id}/mcp`, or in the header `Sluicegate-Session`.",
  });
