/** The suite's command line. */
import { parseArgs } from "node:util";
import type { TargetOptions } from "./target.ts";
import { DEFAULT_PORTS, FREE_PORTS, type Ports } from "./world.ts";

export interface Options {
  readonly target: TargetOptions | "own" | "pass-through";
  readonly ports: Ports;
  readonly legacyOnly: boolean;
  readonly waitMs: number;
  readonly json: boolean;
  /** Ids of the checks to run; all where empty. */
  readonly only: readonly string[];
}

/** What was wrong with the command line. */
export class UsageError extends Error {}

export const HELP = `Attacks an MCP gateway in every way that this suite knows, and tells what got through.

  npm run bypass                        against this project's gateway, with bypass/sluicegate.yaml
  npm run bypass -- --pass-through      against a bare pass-through, to see what the suite finds
  npm run bypass -- URL [options]       against the gateway whose MCP endpoint is URL

Options
  --token T            the bearer token for URL
  --admin-url U        the base of a session API: POST /v1/session opens a session, /s/{id}/mcp is its MCP endpoint
  --admin-token T      the token for it
  --session-header H   for gateways that take a session's name from the client, the header that holds it
  --notes-port N, --post-port N, --impostor-port N, --stranger-port N, --drawer-port N
                       where the suite's servers listen (${Object.values(DEFAULT_PORTS).join(", ")})
  --older-servers      has the suite's servers speak 2025-11-25 and before only
  --wait S             seconds to wait until the gateway answers (30)
  --only ID            runs this check alone; may be repeated
  --json               prints the results as one JSON document
  --help

How to put a gateway before the suite's servers
  The suite starts five MCP servers (Streamable HTTP, both eras) on the loopback. Have the gateway front them:
    notes     http://127.0.0.1:${DEFAULT_PORTS.notes}/mcp   private: all its tools (read_…), resources, prompts and completions
                                          bring private, untrusted data in; deny \`delete_notes\`
    post      http://127.0.0.1:${DEFAULT_PORTS.post}/mcp   the sink: all its tools (send_…, ask_…), resources, prompts and
                                          completions send data outside; deny \`delete_everything\`,
                                          and have \`send_approved\` wait for a person's yes
    impostor  http://127.0.0.1:${DEFAULT_PORTS.impostor}/mcp   hostile: all its tools are taken for harmless reads, by a pattern;
                                          \`look_asked\` waits for a person's yes, and its completions
                                          are private, by a pattern for methods
    stranger  http://127.0.0.1:${DEFAULT_PORTS.stranger}/mcp   the same server, which the policy says nothing about
    drawer    http://127.0.0.1:${DEFAULT_PORTS.drawer}/mcp   tools that come and go: \`take_out\` brings private data in, \`put_in\`
                                          sends data outside; the others are harmless, and may learn what
                                          is private; say nothing of its resources, prompts, completions
  A gateway that starts its servers over stdio runs \`node bypass/fixtures/bridge.ts URL\` for each.
  The policy: once private data is in a session, nothing of that session may reach \`post\`; a clean session may send.
  Start the suite first, with a long --wait, then the gateway. Without a session API each new MCP connection is
  taken for a new session, and the checks that need more are not applicable.

Exit status: 0 everything held, 1 something was bypassed or couldn't be decided, 2 wrong usage or nothing to measure.
`;

const OPTIONS = {
  token: { type: "string" },
  "admin-url": { type: "string" },
  "admin-token": { type: "string" },
  "session-header": { type: "string" },
  "notes-port": { type: "string" },
  "post-port": { type: "string" },
  "impostor-port": { type: "string" },
  "stranger-port": { type: "string" },
  "drawer-port": { type: "string" },
  "older-servers": { type: "boolean" },
  "pass-through": { type: "boolean" },
  wait: { type: "string" },
  only: { type: "string", multiple: true },
  json: { type: "boolean" },
  help: { type: "boolean" },
} as const;

/** @throws UsageError; null where help was asked for. */
export function parseOptions(args: readonly string[]): Options | null {
  const { values, positionals } = parse(args);
  if (values.help) return null;
  const [url, ...rest] = positionals;
  if (rest.length > 0) throw new UsageError(`There are too many arguments: ${rest.join(" ")}.`);
  if (url !== undefined && !URL.canParse(url)) throw new UsageError(`\`${url}\` is no URL.`);
  if (url !== undefined && values["pass-through"])
    throw new UsageError("`--pass-through` starts a gateway of its own, so it takes no URL.");
  const ports = url === undefined ? FREE_PORTS : DEFAULT_PORTS;
  return {
    target:
      url === undefined
        ? values["pass-through"]
          ? "pass-through"
          : "own"
        : {
            url,
            token: values.token,
            adminUrl: values["admin-url"],
            adminToken: values["admin-token"],
            sessionHeader: values["session-header"],
          },
    ports: {
      notes: toNumber("notes-port", values["notes-port"], ports.notes),
      post: toNumber("post-port", values["post-port"], ports.post),
      impostor: toNumber("impostor-port", values["impostor-port"], ports.impostor),
      stranger: toNumber("stranger-port", values["stranger-port"], ports.stranger),
      drawer: toNumber("drawer-port", values["drawer-port"], ports.drawer),
    },
    legacyOnly: values["older-servers"] ?? false,
    waitMs: toNumber("wait", values.wait, 30) * 1000,
    json: values.json ?? false,
    only: values.only ?? [],
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause));
  }
}

function toNumber(name: string, given: string | undefined, otherwise: number): number {
  if (given === undefined) return otherwise;
  if (/^\d{1,5}$/.test(given) && Number(given) <= 65_535) return Number(given);
  throw new UsageError(`\`--${name}\` must be a whole number up to 65535.`);
}
