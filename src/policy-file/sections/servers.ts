/** MCP servers: how each is reached, its tools, and the labels of what comes without a call. */
import { dirname, resolve } from "node:path";
import { z } from "zod";
import { isServerId, matchesWildcard, parseToolId, type ServerDeclaration } from "../../core/index.ts";
import { isLoopback } from "../document/loopback.ts";
import { quote } from "../document/quote.ts";
import type { Report } from "../document/report.ts";
import { child, entriesOf, entryOf, isText, type MapTree, type Tree } from "../document/tree.ts";
import type { Declared, Loaded } from "./declared.ts";
import { checkSourceAndSink, sink, source, toSourceAndSink } from "./labels.ts";
import { byName, described, flag, map, name, names, text, texts } from "./shape.ts";
import { type Making, mapValues, toolsSchema, toToolDeclarations } from "./tools.ts";

const oauthSchema = map("OAuth", {
  for: z
    .enum(["gateway", "principal"], { error: "`gateway` or `principal`" })
    .meta({ description: "Whose tokens calls are made with: one for all, or each principal's own." }),
  issuer: described(
    name,
    "The authorization server, by its issuer. By default the one that the server names.",
  ),
  client_id: described(
    name,
    "The client that the gateway is there. By default it describes or registers itself.",
  ),
  client_secret: described(name, "That client's secret, from a variable. Needs `issuer`."),
  scopes: described(names, "The scopes to ask for. By default those that the server asks for."),
  exchange: described(
    flag,
    "Whether principals that come with a JWT may have it exchanged for a token (RFC 8693). Needs `issuer` and `client_id`.",
  ),
}).meta({ id: "oauth", description: "How the gateway signs in to a server." });

const serverSchema = map(
  "A server",
  {
    command: described(
      name,
      "The program that is the server, spoken to over its input and output. Instead of `url`.",
    ),
    args: described(z.array(text, { error: "a list of texts" }), "The program's arguments."),
    env: described(texts, "Variables of the program's environment."),
    cwd: described(
      name,
      "The program's working directory, relative to the policy file; by default where that lies.",
    ),
    url: described(name, "Where the server answers MCP over HTTP. Instead of `command`."),
    headers: described(texts, "Headers sent with each request to `url`, such as `authorization`."),
    oauth: described(
      oauthSchema,
      "The server at `url` asks for OAuth: the gateway, or each principal, signs in to it.",
    ),
    source: described(
      source,
      "The label of what comes without a call: resources, prompts, notices. By default that of its tools together.",
    ),
    sink: described(sink, "What may be sent to the server without a call."),
    tools: described(
      toolsSchema,
      "The server's tools by their own names; `*` in a name stands for any characters.",
    ),
  },
  { error: "a map with `command` or `url`" },
).meta({
  id: "server",
  description: "An MCP server that offers tools.",
  oneOf: [{ required: ["command"] }, { required: ["url"] }],
});

export const serverKeys = {
  servers: described(
    byName(serverSchema, "a map of servers by name"),
    "The MCP servers behind the gateway, by name. A name holds no `__`.",
  ),
};

type ServerDocument = z.infer<typeof serverSchema>;
type ServersDocument = Readonly<Record<string, ServerDocument>>;

/** A program that is spoken to over its input and output. */
export interface StdioTransport {
  readonly kind: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  /** Variables that the policy gives it; what else it inherits is for who starts it to say. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute. */
  readonly cwd: string;
}

/** A server that answers MCP over HTTP. */
export interface HttpTransport {
  readonly kind: "http";
  /** An `http:` or `https:` address. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** How a server's tokens are asked for. May hold a secret. */
interface OAuthConfig {
  readonly for: "gateway" | "principal";
  /** The only issuer that counts; null: the one that the server names. */
  readonly issuer: string | null;
  readonly clientId: string | null;
  readonly clientSecret: string | null;
  readonly scopes: readonly string[] | null;
  /** Whether a principal's JWT is exchanged for a token, with no browser. */
  readonly exchange: boolean;
}

/** An upstream MCP server. May hold secrets, which variables filled in. */
export interface ServerConfig {
  readonly id: string;
  readonly transport: StdioTransport | HttpTransport;
  /** Given where the server asks for OAuth; then it is one over HTTP. */
  readonly oauth?: OAuthConfig;
}

export const ID_FIX =
  "An id has up to 64 letters, digits, `.`, `-` and single `_`, and begins with a letter or a digit.";
const KEYS_OF = { command: ["args", "env", "cwd"], url: ["headers", "oauth"] } as const;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7E\x80-\xFF]*$/;
const VARIABLE_NAME = /^[^=]+$/;

export function checkServers(declared: Declared, report: Report): void {
  for (const { key, at, value } of declared.servers) {
    if (!isServerId(key)) report.add(at, `A server can't be called ${quote(key)}.`, ID_FIX);
    checkSourceAndSink(value, declared, report);
    if (value.kind !== "map") continue;
    checkTransport(value, report);
    checkUrl(child(value, "url"), report);
    checkHeaders(child(value, "headers"), report);
    checkOAuth(value, report);
    for (const variable of entriesOf(child(value, "env"))) {
      if (!VARIABLE_NAME.test(variable.key)) {
        report.add(variable.at, `A variable can't be called ${quote(variable.key)}.`, "Leave out the `=`.");
      }
    }
  }
}

function checkTransport(server: MapTree, report: Report): void {
  const [first, second] = entriesOf(server).filter(({ key }) => key === "command" || key === "url");
  if (first === undefined) {
    report.add(
      server.at,
      "The server has neither `command` nor `url`.",
      "Say which program to start, or where the server answers.",
    );
  } else if (second !== undefined) {
    report.add(second.at, "The server has both `command` and `url`.", "Keep the one by which it is reached.");
  } else {
    const other = first.key === "url" ? "command" : "url";
    for (const key of KEYS_OF[other]) {
      const misplaced = entryOf(server, key);
      if (misplaced)
        report.add(
          misplaced.at,
          `${quote(key)} is for a server with \`${other}\`, and this one has \`${first.key}\`.`,
        );
    }
  }
}

// THREAT: a variable may fill in a secret, so an address is not quoted.
function checkUrl(tree: Tree | undefined, report: Report): void {
  if (!isText(tree) || tree.value === "") return;
  const url = URL.parse(tree.value);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    report.add(tree.at, "`url` is not an address that begins with `http://` or `https://`.");
  } else if (url.username !== "" || url.password !== "") {
    report.add(tree.at, "`url` holds a user name or a password.", "Send them in `headers`, from a variable.");
  }
}

/** THREAT: a server names its authorization server, which would be sent the client's secret. */
function checkOAuth(server: MapTree, report: Report): void {
  const oauth = child(server, "oauth");
  if (oauth?.kind !== "map") return;
  for (const { key, at } of entriesOf(child(server, "headers")))
    if (key.toLowerCase() === "authorization")
      report.add(at, "The server has `oauth` and a header `authorization`.", "Keep one of them.");
  const url = child(server, "url");
  if (isText(url) && !isSafeAddress(url.value))
    report.add(url.at, "A server with `oauth` is reached over `https`; `http` only on this machine.");
  const issuer = child(oauth, "issuer");
  if (isText(issuer) && !isSafeAddress(issuer.value))
    report.add(issuer.at, "`issuer` is not an address that begins with `https://`.");
  for (const key of ["client_secret", "exchange"]) checkClientOf(oauth, key, report);
  const whose = child(oauth, "for");
  const exchange = entryOf(oauth, "exchange");
  if (exchange !== undefined && isText(whose) && whose.value === "gateway")
    report.add(exchange.at, "`exchange` is for each principal's own token, and this server has one for all.");
}

function checkClientOf(oauth: MapTree, key: string, report: Report): void {
  const entry = entryOf(oauth, key);
  if (entry === undefined) return;
  for (const needed of ["client_id", "issuer"])
    if (entryOf(oauth, needed) === undefined)
      report.add(entry.at, `${quote(key)} needs ${quote(needed)}: it is for that one authorization server.`);
}

function isSafeAddress(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
}

export function checkHeaders(headers: Tree | undefined, report: Report): void {
  for (const { key, at, value } of entriesOf(headers)) {
    if (!HEADER_NAME.test(key)) report.add(at, `A header can't be called ${quote(key)}.`);
    if (isText(value) && !HEADER_VALUE.test(value.value)) {
      report.add(
        value.at,
        `The value of the header ${quote(key)} holds a character that headers can't carry.`,
        "Look for a line break or a letter outside Latin-1.",
      );
    }
  }
}

/** Servers of which no tool is declared, so that agents get none. */
export function warnAboutServers({ declared, policy }: Loaded, report: Report): void {
  if (policy.unclassified !== "withhold") return;
  for (const { key, at } of declared.servers) {
    const isCovered = declared.tools.some(({ id, server }) => {
      if (server !== null || id === "*") return server === null || server === key;
      const parts = parseToolId(id);
      return parts.server !== null && matchesWildcard(parts.server, key);
    });
    if (!isCovered)
      report.add(
        at,
        `No tool of the server ${quote(key)} is declared, so agents get none of them.`,
        "Declare those that agents may use under its `tools`.",
      );
  }
}

/** How the servers are reached. `file` is the policy file, absolute; paths are relative to it. */
export const toServers = (servers: ServersDocument, file: string): ReadonlyMap<string, ServerConfig> =>
  new Map(
    Object.entries(servers).map(([id, server]) => [
      id,
      Object.freeze({
        id,
        transport: Object.freeze(toTransport(server, file)),
        ...(server.oauth && { oauth: toOAuth(server.oauth) }),
      }),
    ]),
  );

const toOAuth = (oauth: NonNullable<ServerDocument["oauth"]>): OAuthConfig =>
  Object.freeze({
    for: oauth.for,
    issuer: oauth.issuer ?? null,
    clientId: oauth.client_id ?? null,
    clientSecret: oauth.client_secret ?? null,
    exchange: oauth.exchange ?? false,
    scopes: oauth.scopes ? Object.freeze([...oauth.scopes]) : null,
  });

function toTransport(server: ServerDocument, file: string): StdioTransport | HttpTransport {
  const { command, args = [], env = {}, cwd = ".", url = "", headers = {} } = server;
  // INVARIANT: a checked document has exactly one of `command` and `url`.
  if (command === undefined) return { kind: "http", url, headers: Object.freeze({ ...headers }) };
  return {
    kind: "stdio",
    command,
    args: Object.freeze([...args]),
    env: Object.freeze({ ...env }),
    cwd: resolve(dirname(file), cwd),
  };
}

export const toServerDeclarations = (
  servers: ServersDocument,
  making: Making,
): Readonly<Record<string, ServerDeclaration>> =>
  mapValues(servers, ({ tools, ...server }) => ({
    ...toSourceAndSink(server),
    ...(tools && { tools: toToolDeclarations(tools, making) }),
  }));
