/** `sluicegate serve`: the gateway on a port of this machine. */
import type { Policy } from "../core/index.ts";
import { type GatewayLimits, listen, tokenFileOf } from "../gateway/index.ts";
import { type Running, runGateway, untilSignal } from "./run-gateway.ts";

export interface ServeOptions {
  readonly config: string;
  readonly port: number;
  readonly store?: string | undefined;
  readonly allowHost?: readonly string[];
  readonly limits?: Partial<GatewayLimits>;
  readonly json: boolean;
  readonly quiet: boolean;
}

/** Serves until a signal comes. */
export async function serve(options: ServeOptions): Promise<void> {
  const log = (line: string): void => {
    if (!options.quiet) process.stderr.write(`${line}\n`);
  };
  const ended = untilSignal();
  const running = await runGateway({
    config: options.config,
    store: options.store,
    log,
    ...(options.limits && { limits: options.limits }),
  });
  const { gateway } = running;
  const doors = await listen(gateway, {
    port: options.port,
    ...(options.allowHost && { allowHosts: options.allowHost }),
  });
  await Promise.race([gateway.catalog.settled, ended]);
  const agent = await gateway.gate.open({ principal: "operator" });
  const token = gateway.service.authority.sessionToken(agent.id);
  const mcp = `${doors.url}/s/${agent.id}/mcp`;
  if (options.json)
    process.stdout.write(
      `${JSON.stringify({ url: doors.url, mcp, session_id: agent.id, session_token: token })}\n`,
    );
  else process.stdout.write(welcome(running, doors.url, mcp, token, agent.id));
  const signal = await ended;
  log(`${signal}: closing`);
  await doors.close();
  await gateway.close();
}

function welcome(running: Running, url: string, mcp: string, token: string, session: string): string {
  const { gateway, config, storeFile, freshToken } = running;
  const servers = gateway.catalog.providers.map(({ id, status, tools, problem }) =>
    status === "ready" ? `  ${id}: ${tools.size} tools` : `  ${id}: not running (${problem ?? status})`,
  );
  const snippet = JSON.stringify({
    mcpServers: { sluicegate: { type: "http", url: mcp, headers: { Authorization: `Bearer ${token}` } } },
  });
  const operator = freshToken
    ? `The operator's token, shown this once (kept in ${tokenFileOf(storeFile)}):\n  ${freshToken}`
    : `The operator's token: ${process.env.SLUICEGATE_TOKEN === undefined ? `in ${tokenFileOf(storeFile)}` : "from SLUICEGATE_TOKEN"}`;
  return `
Sluicegate is listening on ${url}
  policy   ${config.file}
  store    ${storeFile}
  REST     ${url}/v1/session   (described in ${url}/openapi.json)
  MCP      ${mcp}

Servers behind it:
${servers.join("\n") || "  none"}

${operator}

For an agent's MCP configuration (its token may use one session and nothing else):
  ${snippet}

Try it first. Read mail, then try to search the web:
  export GATE=${url}/v1/session/${session} AUTH="Authorization: Bearer ${token}"
${firstCalls(gateway.gate.policy)}
Press Ctrl+C to stop.
`;
}

/** What to try with this policy: a call that raises the session, one that it then blocks, and the plan check. */
function firstCalls(policy: Policy): string {
  const post = (path: string, body: unknown): string =>
    `  curl -s "$GATE/${path}" -H "$AUTH" -H "Content-Type: application/json" -d '${JSON.stringify(body)}'`;
  if (!policy.names.resolve("search_email").id || !policy.names.resolve("web_search").id) {
    return '  curl -s "$GATE/manifest" -H "$AUTH"\n';
  }
  return [
    post("validate-plan", { planned_calls: ["search_email", "web_search", "github_create_pr"] }),
    post("call", { tool: "search_email", arguments: { query: "Q3" } }),
    post("call", { tool: "web_search", arguments: { query: "market" } }),
    "",
  ].join("\n");
}
