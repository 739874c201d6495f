/**
 * A real gateway with the console before it and witnesses behind it: servers that count how often a tool ran. It can
 * be stopped and started again on the same port and store, while pages are open.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CONSOLE_FOLDER } from "../../src/cli/built-console.ts";
import { openWorkspace } from "../../src/cli/wiring/open-workspace.ts";
import { createGateway, type Gateway, type Listening, listen } from "../../src/gateway/index.ts";
import { parseConfig } from "../../src/policy-file/index.ts";
import { connectUpstream } from "../../src/providers/mcp/upstream.ts";
import { openSqliteStore } from "../../src/stores/index.ts";
import { type RecordedCall, startRecordingUpstream } from "../fixtures/upstream-recording.ts";

/** As long as those that `sluicegate serve` makes. */
export const OPERATOR_TOKEN = "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0";
/** The key of the journal's digests in these tests. */
export const DIGEST_KEY = Buffer.alloc(32, 7);
const OFFICE_TOOLS = ["search_email", "search_docs", "read_customers"];
const OUTSIDE_TOOLS = ["web_search", "slack_post", "github_create_pr", "send_mail"];

/** Where the servers of a policy answer. */
export interface ServerAddresses {
  readonly office: string;
  readonly outside: string;
}

/** Tools that ask for every reason that there is, and the seed's five. */
export const consolePolicy = ({ office, outside }: ServerAddresses): string => `
version: 1
workspace: { root: . }
servers:
  office:
    url: "${office}"
    tools:
      search_email: { permissions: [read], source: { level: internal, trust: untrusted }, tags: [mail] }
      search_docs: { permissions: [read], source: internal }
      read_customers: { permissions: [read], source: confidential }
  outside:
    url: "${outside}"
    tools:
      web_search: { permissions: [connect], source: { level: public, trust: untrusted }, sink: public }
      slack_post: { permissions: [connect], sink: public, on_violation: ask }
      github_create_pr: { permissions: [write, connect], sink: internal }
      send_mail: { permissions: [connect], sink: internal, approval: always }
tools:
  render_chart: { permissions: [read] }
  wire_transfer: { permissions: [write], approval: "args.amount > 1000" }
roles:
  analyst: { tools: [search_email, search_docs, web_search, render_chart], permissions: [read, connect] }
  clerk: { tools: [send_mail, wire_transfer, search_email] }
`;

export interface OpenedSession {
  readonly session_id: string;
  readonly session_token: string;
}

export interface ConsoleGateway {
  readonly url: string;
  readonly folder: string;
  readonly storeFile: string;
  /** Calls that reached a server, in their order. */
  readonly ran: readonly RecordedCall[];
  /** A request with the operator's token; answers the body. */
  request(method: string, path: string, body?: unknown): Promise<any>;
  open(options?: object): Promise<OpenedSession>;
  /** A call as an agent makes it; with `wait`, held so many seconds for a person. */
  call(session: OpenedSession, tool: string, args?: object, wait?: number): Promise<any>;
  /** The decision on a call that the agent runs itself. */
  decide(session: OpenedSession, tool: string, args?: object, wait?: number): Promise<any>;
  stop(): Promise<void>;
  start(): Promise<void>;
  remove(): Promise<void>;
}

export interface ConsoleGatewayOptions {
  readonly policy?: (servers: ServerAddresses) => string;
  /** Given a folder that holds what is to be there before it starts. */
  readonly prepare?: (folder: string) => void | Promise<void>;
  readonly basePath?: string;
  readonly allowHosts?: readonly string[];
}

/** Starts it with a store of its own; resolves when its servers have answered. */
export async function startConsoleGateway({
  policy = consolePolicy,
  prepare = () => {},
  basePath = "",
  allowHosts = [],
}: ConsoleGatewayOptions = {}): Promise<ConsoleGateway> {
  const folder = makeFolder();
  await prepare(folder);
  const storeFile = join(folder, "sluicegate.db");
  const office = await startRecordingUpstream(OFFICE_TOOLS);
  const outside = await startRecordingUpstream(OUTSIDE_TOOLS);
  const text = policy({ office: office.url, outside: outside.url });
  writeFileSync(join(folder, "sluicegate.yaml"), text);
  let running: { readonly gateway: Gateway; readonly doors: Listening } | null = null;
  let port = 0;
  const start = async (): Promise<void> => {
    const gateway = await createOn(folder, storeFile, text);
    const doors = await listen(gateway, { port, basePath, allowHosts });
    await gateway.catalog.settled;
    port = Number(new URL(doors.url).port);
    running = { gateway, doors };
  };
  const stop = async (): Promise<void> => {
    const ending = running;
    running = null;
    await ending?.doors.close();
    await ending?.gateway.close();
  };
  await start();
  const url = `http://127.0.0.1:${port}`;
  const request = (method: string, path: string, body?: unknown): Promise<any> =>
    send(url + path, OPERATOR_TOKEN, method, body);
  const callBy =
    (verb: string) =>
    (session: OpenedSession, tool: string, args: object = {}, wait?: number): Promise<any> => {
      const body = { tool, arguments: args, ...(wait !== undefined && { wait }) };
      const answer = send(
        `${url}/v1/session/${session.session_id}/${verb}`,
        session.session_token,
        "POST",
        body,
      );
      // One that is held may be given up by a test that has failed already.
      answer.catch(() => {});
      return answer;
    };
  return {
    url,
    folder,
    storeFile,
    get ran() {
      return [...office.calls, ...outside.calls];
    },
    request,
    open: (options = {}) => request("POST", "/v1/session", options),
    call: callBy("call"),
    decide: callBy("decide"),
    start,
    stop,
    remove: async () => {
      await stop();
      await Promise.all([office.close(), outside.close()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A folder as a project has it: a repository with a file, and what the gateway keeps left out of it. */
function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "sluicegate-console-"));
  execFileSync("git", ["-C", folder, "init", "-q"]);
  writeFileSync(join(folder, ".gitignore"), "sluicegate.db*\n");
  writeFileSync(join(folder, "price.ts"), "export const rate = 0.19;\nexport const currency = 'EUR';\n");
  return folder;
}

async function createOn(folder: string, storeFile: string, policy: string): Promise<Gateway> {
  const config = await parseConfig(policy, { file: join(folder, "sluicegate.yaml"), environment: {} });
  return createGateway({
    policy: config.policy,
    identities: config.identities,
    store: openSqliteStore(storeFile),
    providers: [
      ...[...config.servers.values()].map((server) => connectUpstream(server, {})),
      ...(await openWorkspace(config, storeFile)),
    ],
    operatorToken: OPERATOR_TOKEN,
    key: DIGEST_KEY,
    version: "0.0.0-test",
    // An argument of 5 MB is one of the things to be shown.
    limits: { bodyBytes: 16 * 1024 * 1024 },
    consoleFolder: CONSOLE_FOLDER,
  });
}

async function send(address: string, token: string, method: string, body: unknown): Promise<any> {
  const reply = await fetch(address, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const answer = await reply.json();
  if (!reply.ok) throw new Error(`${address} was answered ${reply.status}: ${JSON.stringify(answer)}`);
  return answer;
}
