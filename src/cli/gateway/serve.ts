/** `sluicegate serve`: the gateway on a port of this machine. */
import type { Command } from "commander";
import type { Policy } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import type { Gateway } from "../../gateway/index.ts";
import { DEFAULT_LIMITS, type GatewayLimits } from "../../gateway/limits.ts";
import { tokenFileOf } from "../../gateway/state/secrets.ts";
import { checkConsole, HOW_TO_BUILD } from "../built-console.ts";
import { describeCommand, isNpmStart, OTHER_PORT } from "../terminal/command-help.ts";
import { createLog, type Log, type LogFormat, logFormatOption, untilSignal } from "../terminal/lasting.ts";
import { printError, printJson, printLine, printTable, styled } from "../terminal/terminal.ts";
import { closeWith, type Running, runGateway } from "../wiring/run-gateway.ts";
import { STORE_OPTION } from "../wiring/store-file.ts";

interface ServeOptions {
  readonly config: string;
  readonly port: string;
  readonly host: string;
  readonly store?: string;
  readonly verbose?: true;
  readonly logFormat: LogFormat;
  readonly allowHost: readonly string[];
  readonly basePath?: string;
  readonly limit: readonly string[];
  readonly drainSeconds: string;
  readonly json?: true;
}

/** What is needed to come in: the console's address for people, for an agent its session's address and token. */
interface Entrance {
  readonly url: string;
  /** Null where it isn't built. */
  readonly console: string | null;
  readonly mcp: string;
  readonly session: string;
  readonly token: string;
}

const LIMIT_NAMES = Object.keys(DEFAULT_LIMITS).map((name) =>
  name.replaceAll(/[A-Z]/g, (char) => `-${char.toLowerCase()}`),
);
const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value];

export function setUp(command: Command): void {
  describeCommand(command, {
    does: "Runs the gateway, on this machine's loopback unless another address is given: the policy's MCP servers behind it, REST, MCP and the web console before it. Prints what a person and an agent need to connect.",
    examples: [
      "sluicegate serve",
      "sluicegate serve --config examples/office/sluicegate.yaml --port 7311",
      "SLUICEGATE_TOKEN=$(openssl rand -hex 32) sluicegate serve --store sqlite:/var/lib/sluicegate.db",
      "sluicegate serve --limit requests-per-second=500",
    ],
    exits: {
      0: "a signal ended it",
      2: "wrong usage, a policy or a store that can't be used, or a port that is taken",
    },
    json: "print { url, console, mcp, session_id, session_token } as one JSON document once it listens",
  })
    .option("--config <file>", "the policy file", "sluicegate.yaml")
    .option("--port <number>", "the port; 0 takes a free one", "7311")
    .option(
      "--host <address>",
      "the address to listen on; `0.0.0.0` for all needs `--allow-host`",
      "127.0.0.1",
    )
    .option("--store <store>", STORE_OPTION)
    .option(
      "--allow-host <host>",
      "a further name that the gateway is reached by, as it stands in `Host`: `name:port`, or `name` alone where the port is 443 or 80; may be repeated",
      collect,
      [],
    )
    .option(
      "--base-path <path>",
      "what its addresses begin with behind a proxy, such as `/sluicegate`; the proxy may take that away or leave it",
    )
    .option("--limit <name=number>", `may be repeated; one of ${LIMIT_NAMES.join(", ")}`, collect, [])
    .option("--drain-seconds <number>", "how long a stop waits for calls that run", "10")
    .option("--verbose", "also log what the servers behind it say")
    .addOption(logFormatOption())
    .action(serve);
}

async function serve(options: ServeOptions): Promise<void> {
  const port = parsePort(options.port);
  const drainMs = parseSeconds(options.drainSeconds) * 1000;
  const log = createLog(options.logFormat);
  const started = Promise.withResolvers<Running>();
  const ended = untilSignal(() => void started.promise.then(({ gateway }) => reloadFor(gateway, log)));
  const running = await runGateway({
    config: options.config,
    store: options.store,
    limits: parseLimits(options.limit),
    verbose: options.verbose,
    log,
    announces: true,
  });
  const { gateway } = running;
  started.resolve(running);
  await closeWith(gateway, async () => {
    const { listen } = await import("../wiring/doors.ts");
    const doors = await listen(gateway, {
      port,
      host: options.host,
      allowHosts: options.allowHost,
      ...(options.basePath !== undefined && { basePath: options.basePath }),
    }).catch(async (cause: unknown) => {
      throw await explainTakenPort(port, cause);
    });
    const hooks = await openHookDoor(running, log);
    const retention = await running.keepRetention();
    try {
      await Promise.race([gateway.catalog.settled, ended]);
      const entrance = await openEntrance(running, doors.url);
      complainOfConsole();
      if (options.json) printEntrance(entrance);
      else welcome(running, entrance);
      log(`${await ended}: closing; waits for open calls (again: ends at once)`);
      await gateway.gate.calls.drain(drainMs);
      await doors.close({ graceMs: ANSWER_GRACE_MS });
    } finally {
      await retention?.stop();
      await hooks.close();
      await doors.close();
    }
  });
}

/** Nobody who could say that a wider policy is meant sends a signal, so only what allows no more is taken up. */
async function reloadFor({ service }: Gateway, log: Log): Promise<void> {
  try {
    const { version, isChanged } = await service.reload({ allowsWidening: false });
    log(`SIGHUP: ${isChanged ? `reloaded the policy: ${version}` : "the policy is unchanged"}`);
  } catch (cause) {
    const words = SluicegateError.isInstance(cause) ? `${cause.message} ${cause.why} ${cause.fix}` : cause;
    log(`SIGHUP: ${words}`, "error");
  }
}

/** Says who listens at a port that is taken, and how to start at another one. */
async function explainTakenPort(port: number, cause: unknown): Promise<unknown> {
  if (!SluicegateError.isInstance(cause) || cause.code !== "usage") return cause;
  const { isGateway } = await import("../wiring/gateway-client.ts");
  const isOurs = await isGateway(`http://127.0.0.1:${port}`);
  return new SluicegateError("usage", cause.message, {
    why: isOurs
      ? "A Sluicegate gateway listens there already, perhaps one that you started before."
      : cause.why,
    fix: `Stop that program, or choose another port: \`${isNpmStart() ? OTHER_PORT : "sluicegate serve --port 7312"}\`.`,
    cause,
  });
}

/** The door for the hooks of coding agents that work by this policy. */
async function openHookDoor(running: Running, log: Log): Promise<{ close(): Promise<void> }> {
  const { serveHooks } = await import("../hook/serve-hooks.ts");
  const hooks = await running.openHooks();
  const door = await serveHooks(hooks, running.storeFile, log);
  return {
    close: async () => {
      await door?.close();
      hooks.close();
    },
  };
}

/** What has been answered when a stop begins has so long to arrive. */
const ANSWER_GRACE_MS = 2000;

function parseSeconds(given: string): number {
  if (/^\d{1,4}$/.test(given)) return Number(given);
  throw new SluicegateError("usage", "The time to wait for open calls can't be used.", {
    why: "It must be a whole number of seconds, at most 9999.",
    fix: "Leave `--drain-seconds` out for 10, or give another number.",
  });
}

function parsePort(given: string): number {
  const port = Number(given);
  if (/^\d{1,5}$/.test(given) && port <= 65_535) return port;
  throw new SluicegateError("usage", "The port can't be used.", {
    why: "It must be a whole number from 0 to 65535.",
    fix: "Leave `--port` out for 7311, or give another number.",
  });
}

function parseLimits(given: readonly string[]): Partial<GatewayLimits> {
  const limits = given.map((text) => {
    const [name = "", value = ""] = text.split("=");
    if (LIMIT_NAMES.includes(name) && /^[1-9]\d{0,11}$/.test(value))
      return [toCamelCase(name), Number(value)];
    throw new SluicegateError("usage", "A limit can't be used.", {
      why: `Limits are written NAME=NUMBER, with one of the names ${LIMIT_NAMES.join(", ")}.`,
      fix: "For instance `--limit requests-per-second=500`.",
    });
  });
  return Object.fromEntries(limits);
}

const toCamelCase = (name: string): string =>
  name.replaceAll(/-([a-z])/g, (_, char: string) => char.toUpperCase());

/** A session for the first agent that connects: what is printed for it can use that session and nothing else. */
async function openEntrance({ gateway }: Running, url: string): Promise<Entrance> {
  const { id } = await gateway.gate.open();
  return {
    url,
    console: checkConsole() === "missing" ? null : `${url}/`,
    mcp: `${url}/s/${id}/mcp`,
    session: id,
    token: gateway.service.authority.sessionToken(id),
  };
}

function printEntrance({ url, console, mcp, session, token }: Entrance): void {
  printJson({ url, console, mcp, session_id: session, session_token: token });
}

/** Only a checkout has a console that is older than its sources; whoever works on it must not look at the old one. */
function complainOfConsole(): void {
  const state = checkConsole();
  if (state === "old") printError(styled("red", `The console is older than its sources: ${HOW_TO_BUILD}.`));
  if (state === "missing") printError(`There is no console, since it isn't built: ${HOW_TO_BUILD}.`);
}

const countTools = (count: number): string => (count === 1 ? "one tool" : `${count} tools`);

function welcome(running: Running, entrance: Entrance): void {
  const { gateway, config, storeName } = running;
  const { url, mcp, token } = entrance;
  printLine();
  printLine("Sluicegate is listening on ", styled("bold", url));
  printTable([
    ["policy", config.file],
    ["store", storeName],
    ...(entrance.console === null ? [] : [["console", entrance.console]]),
    ["REST", `${url}/v1/session (described in ${url}/openapi.json)`],
    ["MCP", mcp],
  ]);
  printLine();
  printLine("Servers behind it:");
  printTable(
    gateway.catalog.providers.map(({ id, status, tools, problem }) => [
      id,
      status === "ready" ? countTools(tools.size) : styled("red", `not running: ${problem ?? status}`),
    ]),
  );
  const withheld = gateway.gate.policy.changed.size;
  if (withheld > 0) {
    const count = withheld === 1 ? "One tool has" : `${withheld} tools have`;
    printLine(styled("red", `${count} changed; withheld until you have looked: see \`sluicegate tools\`.`));
  }
  printLine();
  printOperatorToken(running, entrance);
  printLine();
  printLine("For an agent's MCP configuration (its token may use one session and nothing else):");
  const server = { type: "http", url: mcp, headers: { Authorization: `Bearer ${token}` } };
  printLine("  ", JSON.stringify({ mcpServers: { sluicegate: server } }));
  printLine();
  printFirstCalls(gateway.gate.policy, entrance);
  printLine();
  printLine("Press Ctrl+C to stop.");
}

function printOperatorToken({ storeFile, freshToken }: Running, { console }: Entrance): void {
  if (freshToken !== null) {
    printLine(`The operator's token, shown this once (kept in ${tokenFileOf(storeFile)}):`);
    printLine("  ", styled("bold", freshToken));
    if (console === null) return;
    // The fragment of an address stays in the browser: it reaches no server and no log.
    printLine("The console, signed in with it:");
    printLine("  ", `${console}#token=${freshToken}`);
  } else if (process.env.SLUICEGATE_TOKEN !== undefined) {
    printLine("The operator's token is the one in SLUICEGATE_TOKEN.");
  } else {
    printLine(`The operator's token is in ${tokenFileOf(storeFile)}.`);
  }
}

/** What to try with this policy: the plan check, a call that raises the session, one that is then blocked. */
function printFirstCalls(policy: Policy, { url, session, token }: Entrance): void {
  const post = (path: string, body: unknown): string =>
    `curl -s "$GATE/${path}" -H "$AUTH" -H "Content-Type: application/json" -d '${JSON.stringify(body)}'`;
  const hasStory = ["search_email", "web_search"].every((name) => policy.names.resolve(name).id !== null);
  const calls = hasStory
    ? [
        post("validate-plan", { planned_calls: ["search_email", "web_search", "github_create_pr"] }),
        post("call", { tool: "search_email", arguments: { query: "Q3" } }),
        post("call", { tool: "web_search", arguments: { query: "market" } }),
      ]
    : ['curl -s "$GATE/manifest" -H "$AUTH"'];
  printLine(
    hasStory ? "Try this first: check a plan, read mail, then try to search the web." : "Try this first:",
  );
  printLine(`  export GATE=${url}/v1/session/${session} AUTH="Authorization: Bearer ${token}"`);
  for (const call of calls) printLine("  ", call);
}
