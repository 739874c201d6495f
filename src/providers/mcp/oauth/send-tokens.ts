/** Sends tokens to their server, and to no other. */
import type { StreamableHTTPClientTransportOptions } from "@modelcontextprotocol/client";
import type { BearerTokens } from "./held-tokens.ts";

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Makes the SDK ask for the token before each request, and again after a refusal. */
export function sendTokens(tokens: BearerTokens, fetch: Fetch): StreamableHTTPClientTransportOptions {
  const sent = new WeakMap<Response, string>();
  return {
    authProvider: {
      token: () => tokens.token(),
      // Several requests may be refused at once, some with an older token.
      onUnauthorized: ({ response }) => tokens.renew(sent.get(response) ?? ""),
    },
    onInsufficientScope: "throw",
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      const token = new Headers(init?.headers).get("authorization")?.replace(/^Bearer /, "");
      if (token !== undefined) sent.set(response, token);
      return response;
    },
  };
}

const REDACTED = "[redacted]";

/**
 * Removes tokens from a message, in place. THREAT: a server may repeat a token in a result, an error, a notice or a
 * tool's description, which sessions and models read.
 */
export function strikeOut(message: object, tokens: readonly string[]): void {
  const work: object[] = tokens.length > 0 ? [message] : [];
  for (let part = work.pop(); part !== undefined; part = work.pop()) {
    strikeOutOfMembers(part, tokens);
    for (const value of Object.values(part))
      if (typeof value === "object" && value !== null) work.push(value);
  }
}

function strikeOutOfMembers(part: object, tokens: readonly string[]): void {
  for (const [key, value] of Object.entries(part)) {
    const cleanKey = without(key, tokens);
    const clean = typeof value === "string" ? without(value, tokens) : value;
    if (cleanKey === key && clean === value) continue;
    Reflect.deleteProperty(part, key);
    Reflect.set(part, cleanKey, clean);
  }
}

function without(text: string, tokens: readonly string[]): string {
  let clean = text;
  for (const token of tokens) if (clean.includes(token)) clean = clean.replaceAll(token, REDACTED);
  return clean;
}
