/**
 * From Sluicegate's webhook to a Slack channel: checks the signature, and posts a message with a link for each approver
 * to one of Slack's incoming webhooks (https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks).
 *
 *   GATE_SECRET=… SLACK_URL=https://hooks.slack.com/services/… PORT=7400 node examples/slack/receive.ts
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";

const { GATE_SECRET = "", SLACK_URL = "", PORT = "7400" } = process.env;
const MAX_AGE_SECONDS = 300;
/** A message that comes twice has the same id. */
const posted = new Set<string>();

function isFromGate({ headers }: IncomingMessage, body: string): boolean {
  const [id, time, given] = ["id", "timestamp", "signature"].map((name) =>
    String(headers[`webhook-${name}`]),
  );
  const expected = `v1,${createHmac("sha256", GATE_SECRET).update(`${id}.${time}.${body}`).digest("base64")}`;
  const isFresh = Math.abs(Date.now() / 1000 - Number(time)) <= MAX_AGE_SECONDS;
  const [left, right] = [Buffer.from(given ?? ""), Buffer.from(expected)];
  return isFresh && left.length === right.length && timingSafeEqual(left, right);
}

/** Slack's own signs are escaped: what an agent wrote must make no link and call nobody. */
const plain = (words: string): string =>
  words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

interface Message {
  readonly approval: { readonly id: string; readonly what: string; readonly why: readonly string[] };
  readonly links: readonly { readonly approver: string; readonly url: string }[];
}

async function post({ approval, links }: Message): Promise<void> {
  const lines = [approval.what, ...approval.why].map(plain);
  const answers = links.map(({ approver, url }) => `<${url}|Answer as ${plain(approver)}>`);
  const response = await fetch(SLACK_URL, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ text: [...lines, ...answers].join("\n"), unfurl_links: false }),
  });
  if (!response.ok) throw new Error(`Slack answers ${response.status}.`);
}

const server = createServer(async (request, response) => {
  const body = await text(request);
  if (!isFromGate(request, body)) return void response.writeHead(401).end();
  const id = String(request.headers["webhook-id"]);
  try {
    if (!posted.has(id)) await post(JSON.parse(body));
    posted.add(id);
    response.writeHead(204).end();
  } catch (cause) {
    console.error(cause instanceof Error ? cause.message : cause);
    // The gateway tries again.
    response.writeHead(502).end();
  }
}).listen(Number(PORT), "127.0.0.1", () => {
  const address = server.address();
  console.log(`listening on port ${typeof address === "object" ? address?.port : PORT}`);
});
