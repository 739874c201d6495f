/**
 * All the internet that the example needs, on loopback: a search engine with
 * its pages, a chat, and a forge. What it was told lands in JSON-lines files
 * (`searches.jsonl`, `chat.jsonl`, `forge.jsonl`), so that one can look up
 * what really left the house.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import * as z from "zod";
import { appendLine, readLines } from "./json-lines.ts";
import { search } from "./search.ts";
import { readWebPages, type WebPage } from "./web-pages.ts";

export interface OutsideWorld {
  /** Such as `http://127.0.0.1:40123`. */
  readonly address: string;
  readonly close: () => void;
}

interface Answer {
  readonly status: number;
  readonly body: string | object;
}

const mostBytes = 1024 * 1024;
const message = z.object({ text: z.string().min(1) });
const pullRequest = z.object({ title: z.string().min(1), body: z.string(), branch: z.string().min(1) });
const recordedPullRequest = z.object({ repository: z.string() });

export async function openOutsideWorld(input: {
  webFolder: string;
  stateFolder: string;
}): Promise<OutsideWorld> {
  const pages = await readWebPages(input.webFolder);
  const server = createServer((request, response) => {
    respond(request, pages, input.stateFolder)
      .catch((thrown) => problem(500, `The outside world failed: ${String(thrown)}.`, "Look at its log."))
      .then((answer) => send(response, answer));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const bound = server.address();
  if (bound === null || typeof bound === "string") throw new Error("The loopback server has no port.");
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { address: `http://127.0.0.1:${bound.port}`, close };
}

async function respond(
  request: IncomingMessage,
  pages: ReadonlyMap<string, WebPage>,
  state: string,
): Promise<Answer> {
  if (Number(request.headers["content-length"] ?? 0) > mostBytes) {
    return problem(413, "It is longer than 1 MiB.", "Send less, or in several pieces.");
  }
  const address = new URL(request.url ?? "/", "http://127.0.0.1");
  const route = `${request.method} ${address.pathname}`;
  if (route === "GET /") return listPages(pages);
  if (route === "GET /search") return searchPages(pages, address.searchParams.get("q") ?? "", state);
  const page = request.method === "GET" ? pages.get(address.pathname) : undefined;
  if (page) return { status: 200, body: page.html };

  const [, channel] = /^POST \/chat\/([^/]+)$/.exec(route) ?? [];
  if (channel !== undefined) return postMessage(decodeURIComponent(channel), await readBody(request), state);
  const [, repository] = /^POST \/forge\/([^/]+)\/pulls$/.exec(route) ?? [];
  if (repository !== undefined)
    return openPullRequest(decodeURIComponent(repository), await readBody(request), state);
  return problem(
    404,
    `There is nothing at \`${address.pathname}\`.`,
    "Begin at `/`, `/search?q=`, `/chat/` or `/forge/`.",
  );
}

function listPages(pages: ReadonlyMap<string, WebPage>): Answer {
  const items = [...pages].map(([path, page]) => `<li><a href="${path}">${page.title}</a></li>`);
  return {
    status: 200,
    body: `<!doctype html><meta charset="utf-8"><title>Pages</title><ul>${items.join("")}</ul>`,
  };
}

function searchPages(pages: ReadonlyMap<string, WebPage>, query: string, state: string): Answer {
  appendLine(join(state, "searches.jsonl"), { at: now(), query });
  const found = search({
    query,
    items: [...pages],
    limit: 5,
    fields: ([, page]) => [
      { text: page.title, weight: 3 },
      { text: page.text, weight: 1 },
    ],
  });
  return { status: 200, body: { results: found.items.map(([path, page]) => ({ title: page.title, path })) } };
}

function postMessage(channel: string, body: unknown, state: string): Answer {
  if (!/^[a-z0-9][a-z0-9_-]{0,79}$/.test(channel)) {
    return problem(
      400,
      "The chat has no such channel.",
      "A channel's name has small letters, digits, `-` and `_`.",
    );
  }
  const parsed = message.safeParse(body);
  if (!parsed.success) return problem(400, "A message needs a `text`.", "Send `{ text }` as JSON.");
  appendLine(join(state, "chat.jsonl"), { at: now(), channel, text: parsed.data.text });
  return { status: 201, body: { channel } };
}

function openPullRequest(repository: string, body: unknown, state: string): Answer {
  if (!/^[\w.-]+\/[\w.-]+$/.test(repository)) {
    return problem(
      404,
      "The forge has no such repository.",
      "Name owner and repository, such as `acme/weir`.",
    );
  }
  const parsed = pullRequest.safeParse(body);
  if (!parsed.success) {
    return problem(400, "A pull request needs `title`, `body` and `branch`.", "Send all three as JSON.");
  }
  const file = join(state, "forge.jsonl");
  const earlier = readLines(file).filter(
    (line) => recordedPullRequest.safeParse(line).data?.repository === repository,
  );
  const number = earlier.length + 1;
  appendLine(file, { at: now(), repository, number, ...parsed.data });
  return { status: 201, body: { number, address: `https://forge.example/${repository}/pulls/${number}` } };
}

/** The request's JSON; nothing where it is no JSON, grows too long, or doesn't say that it is JSON. */
async function readBody(request: IncomingMessage): Promise<unknown> {
  // THREAT: any page in a local browser can post here. A content type that a form can't send makes the browser ask first.
  if (!/^application\/json\b/.test(request.headers["content-type"] ?? "")) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= mostBytes) chunks.push(chunk);
  }
  if (size > mostBytes) return undefined;
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8")) as unknown;
  } catch {
    return undefined;
  }
}

function problem(status: number, why: string, fix: string): Answer {
  return { status, body: { why, fix } };
}

function send(response: ServerResponse, { status, body }: Answer): void {
  const html = typeof body === "string";
  response.writeHead(status, { "content-type": html ? "text/html; charset=utf-8" : "application/json" });
  response.end(html ? body : JSON.stringify(body));
}

function now(): string {
  return new Date().toISOString();
}
