/** The tools that reach outside: web search, chat, and a forge. Each talks HTTP to the world that it is given. */
import { type CallToolResult, McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";
import { toExcerpt } from "./excerpt.ts";
import { htmlAddress, htmlTitle, htmlToText } from "./html.ts";
import { toErrorResult, toMessage } from "./tool-error.ts";

const searchInput = z.object({
  query: z.string().min(1).describe("What to search the web for; the search engine sees it"),
});

const searchOutput = z.object({
  results: z.array(z.object({ title: z.string(), address: z.string(), snippet: z.string() })),
});

const messageInput = z.object({
  channel: z.string().min(1).describe("Channel, with or without #, such as `#general`"),
  text: z.string().min(1).describe("The message, as everybody in the channel will read it"),
});

const pullRequestInput = z.object({
  repository: z.string().min(1).describe("Owner and name, such as `acme/brook-firmware`"),
  title: z.string().min(1).describe("One line that says what changes"),
  body: z.string().describe("What changes, why, and how it was tested, in Markdown"),
  branch: z.string().min(1).describe("The branch that holds the change, such as `fix/cold-battery`"),
});

const pullRequestOutput = z.object({ number: z.number().int(), address: z.string() });

// THREAT: what the world answers is its own choice; it is checked before it is used, and its pages stay untrusted text.
const indexAnswer = z.object({ results: z.array(z.object({ path: z.string().startsWith("/") })) });
const problemAnswer = z.object({ why: z.string(), fix: z.string() });

/** `world` is the address of the loopback HTTP server, without a slash at its end. */
export function createOutsideServer(world: string): McpServer {
  const server = new McpServer({ name: "outside", version: "1.0.0" });
  const sends = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true };
  server.registerTool(
    "web_search",
    {
      title: "Search the web",
      description:
        "Searches public web pages (news, markets, software libraries); returns title, address and a snippet of each.",
      inputSchema: searchInput,
      outputSchema: searchOutput,
      annotations: { readOnlyHint: true, openWorldHint: true },
    },
    ({ query }) => attempt("The web search failed.", () => searchWeb(world, query)),
  );
  server.registerTool(
    "slack_post",
    {
      title: "Post to chat",
      description: "Posts a message to a chat channel. Some channels are shared with customers and partners.",
      inputSchema: messageInput,
      annotations: sends,
    },
    (input) => attempt("The message was not posted.", () => postMessage(world, input)),
  );
  server.registerTool(
    "github_create_pr",
    {
      title: "Open a pull request",
      description:
        "Opens a pull request from a pushed branch in one of the company's repositories; returns its number.",
      inputSchema: pullRequestInput,
      outputSchema: pullRequestOutput,
      annotations: sends,
    },
    (input) => attempt("The pull request was not opened.", () => createPullRequest(world, input)),
  );
  return server;
}

async function searchWeb(world: string, query: string): Promise<CallToolResult> {
  const answer = await request(`${world}/search?q=${encodeURIComponent(query)}`);
  const { results: hits } = indexAnswer.parse(await answer.json());
  const results = await Promise.all(hits.map((hit) => readPage(`${world}${hit.path}`, query)));
  const text =
    results.length === 0
      ? `No page matches \`${query}\`. Try fewer or other words.`
      : results.map((page) => `${page.title}\n${page.address}\n${page.snippet}`).join("\n\n");
  return { content: [{ type: "text", text }], structuredContent: { results } };
}

async function readPage(address: string, query: string) {
  const html = await (await request(address)).text();
  const title = htmlTitle(html) ?? address;
  const text = htmlToText(html).replace(`${title}\n`, "");
  return { title, address: htmlAddress(html) ?? address, snippet: toExcerpt(text, query) };
}

async function postMessage(world: string, input: z.infer<typeof messageInput>): Promise<CallToolResult> {
  const channel = input.channel.replace(/^#/, "");
  await post(`${world}/chat/${encodeURIComponent(channel)}`, { text: input.text });
  return { content: [{ type: "text", text: `Posted to #${channel}.` }] };
}

async function createPullRequest(
  world: string,
  input: z.infer<typeof pullRequestInput>,
): Promise<CallToolResult> {
  const { repository, ...pullRequest } = input;
  const answer = await post(`${world}/forge/${encodeURIComponent(repository)}/pulls`, pullRequest);
  const created = pullRequestOutput.parse(await answer.json());
  const text = `Opened pull request #${created.number} in ${repository}: ${created.address}`;
  return { content: [{ type: "text", text }], structuredContent: created };
}

function post(address: string, body: object): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return request(address, { method: "POST", headers, body: JSON.stringify(body) });
}

class RefusedRequest extends Error {
  readonly fix: string;

  constructor(why: string, fix: string) {
    super(why);
    this.fix = fix;
  }
}

/** Fetches; an answer of 400 or more is thrown as a `RefusedRequest`, in the world's own words where it has some. */
async function request(address: string, options: RequestInit = {}): Promise<Response> {
  const answer = await fetch(address, { ...options, signal: AbortSignal.timeout(5000) });
  if (answer.ok) return answer;
  const problem = problemAnswer.safeParse(await answer.json().catch(() => undefined));
  if (problem.success) throw new RefusedRequest(problem.data.why, problem.data.fix);
  throw new RefusedRequest(`The other side answered ${answer.status}.`, "Try again, or do without it.");
}

async function attempt(what: string, run: () => Promise<CallToolResult>): Promise<CallToolResult> {
  try {
    return await run();
  } catch (thrown) {
    if (thrown instanceof RefusedRequest)
      return toErrorResult({ what, why: thrown.message, fix: thrown.fix });
    return toErrorResult({
      what,
      why: `${toMessage(thrown)}.`,
      fix: "Try again; if it stays so, restart the server `outside`.",
    });
  }
}
