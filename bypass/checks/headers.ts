/** Headers that say something else than the body, or that no honest client would send. */
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { type Agent, type Arena, mark } from "../arena.ts";
import { bypassed, type Check, HELD, notApplicable, type Outcome } from "../check.ts";
import type { Era } from "../wire.ts";

type Headers = Readonly<Record<string, string>>;

interface Disguise {
  readonly what: string;
  /** The headers beside a call of one tool that are meant for the other. */
  headers(real: string, other: string): Headers;
}

const NEWER: readonly Era[] = ["2026-07-28"];

const LIES: readonly Disguise[] = [
  { what: "`Mcp-Method: tools/list`", headers: (name) => ({ "mcp-method": "tools/list", "mcp-name": name }) },
  { what: "another tool's `Mcp-Name`", headers: (_, other) => ({ "mcp-name": other }) },
  { what: "two methods in `Mcp-Method`", headers: () => ({ "mcp-method": "tools/list, tools/call" }) },
  { what: "two names in `Mcp-Name`", headers: (name, other) => ({ "mcp-name": `${other}, ${name}` }) },
  { what: "an older `MCP-Protocol-Version`", headers: () => ({ "mcp-protocol-version": "2025-11-25" }) },
  { what: "an unknown `MCP-Protocol-Version`", headers: () => ({ "mcp-protocol-version": "2999-01-01" }) },
];

/** A call whose headers lie must not run, whatever the session holds. */
async function runLies({ open, openRaised, world }: Arena): Promise<Outcome> {
  const raised = await openRaised();
  const [read, send] = [raised.nameOf("notes", "read_notes"), raised.nameOf("post", "send_message")];
  for (const { what, headers } of LIES) {
    const [kept, text, page] = [mark(), mark(), mark()];
    await raised.call("post", "send_message", { text: kept }, { headers: headers(send, read) });
    if (world.left(kept)) return bypassed(`\`${kept}\` reached \`post\` from a raised session with ${what}`);
    await (await open()).call("post", "send_message", { text }, { headers: headers(send, read) });
    if (world.left(text)) return bypassed(`\`${text}\` reached \`post\` with ${what}`);
    const clean = await open();
    await clean.call("notes", "read_notes", { page }, { headers: headers(read, send) });
    if (clean.wasGiven(page)) return bypassed(`\`${clean.canary(page)}\` was given with ${what}`);
  }
  return HELD;
}

/** What a page of another site could make a browser send without asking first. */
const FORMS: readonly string[] = [
  "text/plain",
  "text/plain;charset=UTF-8, application/json",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
];

async function runForms({ open, world }: Arena): Promise<Outcome> {
  for (const type of FORMS) {
    const text = mark();
    await (await open()).call("post", "send_message", { text }, { headers: { "content-type": type } });
    if (world.left(text)) return bypassed(`\`${text}\` reached \`post\` as \`${type}\``);
  }
  return HELD;
}

async function runOrigins({ open, world }: Arena): Promise<Outcome> {
  for (const origin of ["http://evil.example", "null", "http://127.0.0.1.evil.example"]) {
    const text = mark();
    await (await open()).call("post", "send_message", { text }, { headers: { origin } });
    if (world.left(text)) return bypassed(`\`${text}\` reached \`post\` from the origin \`${origin}\``);
  }
  const [agent, text] = [await open(), mark()];
  await postAs(agent, "evil.example", bodyOf(agent, text));
  return world.left(text) ? bypassed(`\`${text}\` reached \`post\` with \`Host: evil.example\``) : HELD;
}

const bodyOf = (agent: Agent, text: string): string =>
  JSON.stringify({
    jsonrpc: "2.0",
    id: 901,
    method: "tools/call",
    params: agent.client.withEnvelope({
      name: agent.nameOf("post", "send_message"),
      arguments: { text },
    }),
  });

/** `fetch` sets the host by itself. */
function postAs(agent: Agent, host: string, body: string): Promise<void> {
  return new Promise((resolve) => {
    const headers = { ...plainHeaders(agent), host };
    const request = httpRequest(agent.session.url, { method: "POST", headers }, (response) => {
      response.resume().on("close", resolve);
    });
    request.on("error", () => resolve()).setTimeout(5_000, () => request.destroy());
    request.end(body);
  });
}

const plainHeaders = (agent: Agent): Record<string, string> => {
  const { client, session } = agent;
  return {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": client.era,
    ...(client.connection !== null && { "mcp-session-id": client.connection }),
    ...client.standardHeaders("tools/call", { name: agent.nameOf("post", "send_message") }),
    ...session.headers,
  };
};

/** A second request, without a token, in what one side takes for the body of the first. */
async function runSmuggled({ open, world, target }: Arena): Promise<Outcome> {
  const agent = await open();
  if (agent.session.token === "")
    return notApplicable("the gateway asks for no token, so nothing need be hidden");
  const { host, pathname } = new URL(agent.session.url);
  for (const framing of ["Transfer-Encoding: chunked", "Transfer-Encoding: xchunked", "Content-Length: 4"]) {
    const text = mark();
    const body = bodyOf(agent, text);
    const { authorization: _, ...headers } = plainHeaders(agent);
    const inner = `${head(pathname, { ...headers, host, "content-length": `${body.length}` })}${body}`;
    const first = { ...plainHeaders(agent), host, "content-length": String(inner.length + 5) };
    const outer = head(pathname, first).replace("\r\n\r\n", `\r\n${framing}\r\n\r\n`);
    await exchange(target.url, `${outer}0\r\n\r\n${inner}`);
    if (world.left(text)) return bypassed(`\`${text}\` reached \`post\` inside another request (${framing})`);
  }
  return HELD;
}

const head = (path: string, headers: Headers): string =>
  `POST ${path} HTTP/1.1\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\r\n")}\r\n\r\n`;

/** Writes bytes and reads until the other side has no more to say. */
function exchange(url: string, bytes: string): Promise<void> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => socket.end(bytes));
    socket.setTimeout(3_000, () => socket.destroy());
    socket
      .on("data", () => {})
      .on("error", () => {})
      .on("close", () => resolve());
  });
}

/** A stream that a lying header asks for must subscribe to nothing. */
async function runListenLies({ open, world, names }: Arena): Promise<Outcome> {
  for (const headers of [{ "mcp-method": "tools/list" }, { "mcp-protocol-version": "2025-11-25" }]) {
    const [{ client }, text] = [await open(), mark()];
    const stop = new AbortController();
    const notifications = { resourceSubscriptions: [names.uri("outbox", text)] };
    const { reply } = client.start(
      "subscriptions/listen",
      { notifications },
      { headers, signal: stop.signal },
    );
    const hasLeft = await world.post.received.until(text, 500);
    stop.abort();
    await reply;
    if (hasLeft) return bypassed(`\`${text}\` reached \`post\` with ${JSON.stringify(headers)}`);
  }
  return HELD;
}

/** The header must name what the method takes, not a decoy beside it. */
async function runDecoyName({ open, world, names }: Arena): Promise<Outcome> {
  const [{ client }, text] = [await open(), mark()];
  const name = `decoy${mark()}`;
  await client.request(
    "resources/read",
    { uri: names.uri("outbox", text), name },
    { headers: { "mcp-name": name } },
  );
  return world.left(text) ? bypassed(`\`${text}\` reached \`post\` under the name of a decoy`) : HELD;
}

/** Headers that repeat an argument count for each call of a batch. */
async function runBatchParameters({ open, world, names }: Arena): Promise<Outcome> {
  const tool = names.tool("drawer", "tag_drawer");
  if (tool === undefined) return notApplicable("the gateway shows no tools of `drawer`");
  const { client } = await open();
  client.connection = null;
  await client.connect("2025-03-26");
  const [page, plain] = [mark(), mark()];
  const call = (id: number, value: string): object => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name: tool, arguments: { page: value } },
  });
  const version = { "mcp-protocol-version": "2025-03-26" };
  await client.raw(JSON.stringify([call(61, plain)]), { headers: version });
  if (!world.drawer.received.holds(plain)) return notApplicable("the gateway takes no batches");
  const headers = { ...version, "mcp-param-page": "another" };
  await client.raw(JSON.stringify([call(62, page)]), { headers });
  return world.drawer.received.holds(page)
    ? bypassed(`\`${page}\` reached \`drawer\` while \`Mcp-Param-Page\` named another`)
    : HELD;
}

/** A body that is declared as something else than it is, so that two readers differ. */
const runDeclared =
  (declared: readonly Headers[]) =>
  async ({ open, world }: Arena): Promise<Outcome> => {
    for (const headers of declared) {
      const text = mark();
      await (await open()).call("post", "send_message", { text }, { headers });
      if (world.left(text)) return bypassed(`\`${text}\` reached \`post\` with ${JSON.stringify(headers)}`);
    }
    return HELD;
  };

const CHARSETS = ["utf-16", "utf-7", "shift_jis"].map((charset) => ({
  "content-type": `application/json; charset=${charset}`,
}));
const CODINGS = ["gzip", "br", "deflate"].map((coding) => ({ "content-encoding": coding }));

export const HEADER_CHECKS: readonly Check[] = [
  {
    id: "header-mismatch",
    must: "refuse a request whose headers say something else than its body",
    attack: "calls with `Mcp-Method`, `Mcp-Name` and `MCP-Protocol-Version` that name something else",
    eras: NEWER,
    run: runLies,
  },
  {
    id: "header-content-type",
    must: "run nothing that a web page may send without asking first",
    attack: "sends a call as plain text and as a form",
    run: runForms,
  },
  {
    id: "header-origin",
    must: "run nothing that comes from another origin or is meant for another host",
    attack: "sends a call with a foreign `Origin` and with a foreign `Host`",
    run: runOrigins,
  },
  {
    id: "header-smuggled",
    must: "read a request's length in one way only",
    attack: "hides a call without a token in the body of a request, with two lengths",
    run: runSmuggled,
  },
  {
    id: "header-listen",
    must: "refuse a stream whose headers lie before it subscribes to anything",
    attack: "listens for changes of a resource of the sink, with headers that name something else",
    eras: NEWER,
    run: runListenLies,
  },
  {
    id: "header-decoy",
    must: "compare `Mcp-Name` with what the method names",
    attack: "reads a resource of the sink with a decoy `name` beside it, which the header repeats",
    run: runDecoyName,
  },
  {
    id: "header-batch",
    must: "check the headers that repeat an argument for each call of a batch",
    attack: "sends a batch whose `Mcp-Param-Page` says something else than the call",
    eras: ["2025-11-25"],
    run: runBatchParameters,
  },
  {
    id: "header-charset",
    must: "refuse a body that is declared in another charset than UTF-8",
    attack: "sends a call as UTF-16, UTF-7 and Shift JIS by its header",
    run: runDeclared(CHARSETS),
  },
  {
    id: "header-encoding",
    must: "refuse a body that is declared as compressed",
    attack: "sends a plain call as gzip, Brotli and deflate by its header",
    run: runDeclared(CODINGS),
  },
];
