/**
 * The MCP servers that the scenarios are played with, over stdio: `node server.ts mail|archive|world`. They keep
 * nothing, so that a call answers the same through whichever door it came.
 */
import { type CallToolResult, ProtocolError, Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

type Arguments = Readonly<Record<string, unknown>>;
type Run = (args: Arguments) => CallToolResult;

const say = (text: string): Run => {
  return (args) => ({ content: [{ type: "text", text: `${text} ${JSON.stringify(args)}` }] });
};

const SERVERS: Readonly<Record<string, Readonly<Record<string, Run>>>> = {
  mail: {
    search_mail: say("Q3 is up 4 percent."),
    find: say("a mail"),
    delete_mail: say("gone"),
    mystery: say("nobody said what this is"),
  },
  archive: {
    read_contract: say("The contract with Acme"),
    read_payroll: say("The payroll"),
    find: say("a file"),
  },
  world: {
    web_search: say("The market is calm."),
    post_note: say("posted"),
    sign: say("signed"),
    counsel: say("sent to counsel"),
    either: say("sent"),
    write_file: say("written"),
    transfer: say("transferred"),
    pay: say("paid"),
    send: say("sent"),
    move: say("moved"),
    count_words: (args) => ({
      content: [{ type: "text", text: "3" }],
      structuredContent: { words: 3, of: args.text },
    }),
    fail_softly: () => ({ content: [{ type: "text", text: "no such page" }], isError: true }),
    fail_hard: () => {
      throw new ProtocolError(-32055, "the index is being rebuilt");
    },
  },
};

/** Others take what they are given. */
const SCHEMAS: Readonly<Record<string, object>> = {
  count_words: { type: "object", properties: { text: { type: "string" } } },
};

const tools = new Map(Object.entries(SERVERS[process.argv[2] ?? ""] ?? {}));

serveStdio(() => {
  const server = new Server({ name: "scenario", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", async () => ({
    tools: [...tools.keys()].map((name) => ({
      name,
      inputSchema: { type: "object" as const, ...SCHEMAS[name] },
    })),
  }));
  server.setRequestHandler("tools/call", async ({ params }) => {
    const run = tools.get(params.name);
    if (run === undefined) throw new ProtocolError(-32602, "no such tool");
    return run(params.arguments ?? {});
  });
  return server;
});
