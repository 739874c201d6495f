/**
 * The user's words, which a host sends in `_meta` of a request. They are removed from the request before anything
 * else reads it, and never go to a server.
 */
import { SluicegateError } from "../../../errors/index.ts";
import { isJsonObject } from "../../../json/json-object.ts";
import type { Session } from "../../../runtime/index.ts";
import type { Caller } from "../../http/authority.ts";
import { MAX_TEXT_SAID } from "../../rest/schemas.ts";
import { describeError } from "../request-context.ts";

/** The key of the words in a request. */
const WORDS_META = "dev.sluicegate/words";

/** The caller of a request, and its session. */
export interface McpAccess {
  readonly session: Session;
  /** Whether the request names the session. Otherwise it is the principal's own one. */
  readonly isNamed: boolean;
  readonly caller: Caller;
}

/**
 * Adds the words of a request or a batch to the session's, and returns the request without them; the same object if
 * it has none. Repeated words are ignored, so a host may send them with each request.
 * @throws SluicegateError `forbidden` unless they come with the operator's token, or one that may administer;
 *   `invalid-request` if they are no text, or the request names no session; what `Session.say` throws.
 */
export async function sayWordsOf(body: unknown, { session, isNamed, caller }: McpAccess): Promise<unknown> {
  const given = (Array.isArray(body) ? body : [body]).flatMap(wordsIn);
  if (given.length === 0) return body;
  // THREAT: the holder of a session's token may be the agent, or something that has read its configuration; so may an
  // MCP client with a principal's token.
  if (caller.kind !== "principal" || !caller.rights.has("administer")) throw notTheHost();
  if (!isNamed) throw unnamedSession();
  const words = given.map(toText);
  for (const text of words) await session.say(text);
  return Array.isArray(body) ? body.map(withoutWords) : withoutWords(body);
}

/**
 * The error for a message with words on stdio, where a host can't be distinguished from an agent; null if it has
 * none.
 */
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
