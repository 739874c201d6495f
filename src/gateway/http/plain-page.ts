/** Pages without scripts, for people who follow a link. */
import { SluicegateError } from "../../errors/index.ts";

/** A request for one of these pages. */
export interface PageRequest {
  readonly request: Request;
  /** The path for routing. */
  readonly path: string;
  /** The gateway's address as this browser uses it. */
  readonly address: string;
}

/**
 * The page loads and runs nothing, and sends no referrer to other sites, since addresses contain codes. Its own forms
 * need one: without, a browser sends `Origin: null` with them, which is refused.
 */
export const PAGE_HEADERS = {
  "content-security-policy": "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
};

/** `body` is HTML. */
export const page = (status: number, title: string, body: string): Response =>
  new Response(
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title} – Sluicegate</title><h1>${title}</h1>${body}</html>`,
    { status, headers: { ...PAGE_HEADERS, "content-type": "text/html; charset=utf-8" } },
  );

/** Shows an error as a page instead of JSON. */
export async function answerWithPage(failed: string, answer: () => Promise<Response>): Promise<Response> {
  try {
    return await answer();
  } catch (cause) {
    if (!SluicegateError.isInstance(cause)) throw cause;
    const lines = [cause.message, cause.why, cause.fix].map((line) => `<p>${escapeHtml(line)}</p>`);
    return page(cause.mapping.http, failed, lines.join(""));
  }
}

export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"'`]/g, (character) => `&#${character.codePointAt(0)};`);
