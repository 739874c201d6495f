/** A real gateway for tests: the office's servers behind it, SQLite under it, a port of this machine before it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { openConnectors, openDetectors } from "../../src/cli/wiring/open-connectors.ts";
import { openSignIns } from "../../src/cli/wiring/open-sign-ins.ts";
import { openWorkspace } from "../../src/cli/wiring/open-workspace.ts";
import { createGateway, type Gateway, type GatewayLimits, listen } from "../../src/gateway/index.ts";
import { loadConfig, parseConfig } from "../../src/policy-file/index.ts";
import { connectServer } from "../../src/providers/mcp/index.ts";
import { createRunOrder, systemClock } from "../../src/runtime/index.ts";
import { openSqliteStore } from "../../src/stores/index.ts";

export const OPERATOR_TOKEN = "operator-token-for-tests";
const KEY = Buffer.alloc(32, 7);
const OFFICE = resolve(import.meta.dirname, "../../examples/office");

/** The seed's five tools on the office's real servers, and some that must not be had. */
export const OFFICE_POLICY = `
version: 1
servers:
  office:
    command: node
    args: [server.ts, office]
    cwd: ${OFFICE}
    tools:
      search_email: { permissions: [read], source: { level: internal, trust: untrusted } }
      search_docs: { permissions: [read], source: internal }
  outside:
    command: node
    args: [server.ts, outside]
    cwd: ${OFFICE}
    env: { OFFICE_STATE: "\${OFFICE_STATE}" }
    tools:
      web_search: { permissions: [connect], source: { level: public, trust: untrusted }, sink: public }
      slack_post: { permissions: [connect], sink: public }
      github_create_pr: { permissions: [write, connect], sink: internal }
tools:
  render_chart: { permissions: [read] }
  wire_transfer: { permissions: [write], approval: always }
roles:
  reader: { tools: [search_email, search_docs, render_chart], permissions: [read] }
`;

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  // What came over the wire; each test says what it expects of it.
  readonly body: any;
}

export interface RunningGateway {
  readonly url: string;
  readonly folder: string;
  readonly storeFile: string;
  readonly gateway: Gateway;
  /** A request with the operator's token, or with another; a body is sent as JSON unless it is text. */
  request(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
  stop(): Promise<void>;
}

export interface StartOptions {
  readonly policy?: string;
  /** A policy file, in place of `policy`: with what it includes. */
  readonly file?: string;
  /** What `${NAME}` stands for. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly folder?: string;
  readonly limits?: Partial<GatewayLimits>;
  readonly consoleFolder?: string;
  readonly basePath?: string;
}

/** Starts a gateway and waits until its servers have answered. */
export async function startGateway({
  policy = OFFICE_POLICY,
  file,
  environment: given = {},
  folder,
  limits,
  consoleFolder,
  basePath = "",
}: StartOptions = {}): Promise<RunningGateway> {
  const home = folder ?? mkdtempSync(join(tmpdir(), "sluicegate-"));
  const environment = { OFFICE_STATE: join(home, "state"), ...given };
  const config = file
    ? await loadConfig(file, { environment })
    : await parseConfig(policy, { file: join(home, "sluicegate.yaml"), environment });
  const storeFile = join(home, "sluicegate.db");
  const store = openSqliteStore(storeFile);
  const policyVersion = (): string => config.policy.version;
  const signIns = openSignIns(
    config,
    { store, clock: systemClock, key: KEY, policyVersion },
    createRunOrder(),
  );
  const upstreams = [...config.servers.values()].map((server) =>
    connectServer(server, signIns.get(server.id)),
  );
  const detectors = await openDetectors(config);
  const gateway = createGateway({
    policy: config.policy,
    identities: config.identities,
    store,
    signIns,
    providers: [
      ...upstreams,
      ...(await openConnectors(config, () => {})),
      ...(await openWorkspace(config, storeFile)),
    ],
    ...(detectors && { inspect: detectors.inspect }),
    operatorToken: OPERATOR_TOKEN,
    key: KEY,
    version: "0.0.0-test",
    ...(limits && { limits }),
    ...(consoleFolder !== undefined && { consoleFolder }),
  });
  const doors = await listen(gateway, { port: 0, basePath });
  await gateway.catalog.settled;
  const request = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ) => {
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    const response = await fetch(doors.url + path, {
      method,
      headers: {
        authorization: `Bearer ${OPERATOR_TOKEN}`,
        ...(text !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(text !== undefined && { body: text }),
    });
    const answer = await response.text();
    const json = response.headers.get("content-type")?.includes("json");
    return { status: response.status, headers: response.headers, body: json ? JSON.parse(answer) : answer };
  };
  let stopped = false;
  return {
    url: doors.url,
    folder: home,
    storeFile,
    gateway,
    request,
    stop: async () => {
      if (stopped) return;
      stopped = true;
      await doors.close();
      await gateway.close();
      await detectors?.close();
      if (folder === undefined) rmSync(home, { recursive: true, force: true });
    },
  };
}
