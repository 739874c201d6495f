/** `sluicegate sign-in SERVER`: signs in to a server that asks for OAuth, in the browser. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { Command } from "commander";
import { SluicegateError } from "../../errors/index.ts";
import { addWhereabouts } from "../approvals/pending.ts";
import { describeCommand } from "../terminal/command-help.ts";
import { printError, printJson, printLine, printTable, styled } from "../terminal/terminal.ts";
import { findRunningGateway, type GatewayClient, type Whereabouts } from "../wiring/gateway-client.ts";

interface SignInOptions extends Whereabouts {
  readonly port: string;
  readonly list?: true;
  readonly json?: true;
}

export function setUp(command: Command): void {
  const described = describeCommand(command, {
    does: "Signs in to a server that asks for OAuth, at a running gateway: prints an address for your browser and waits until you have agreed there. The gateway keeps the tokens encrypted, and tells them to nobody. Set `SLUICEGATE_TOKEN` to your own token to sign in as yourself.",
    examples: ["sluicegate sign-in mail", "sluicegate sign-in --list"],
    exits: { 0: "signed in, or listed", 2: "wrong usage, no gateway, or the sign-in failed" },
    json: "print the sign-in, or { sign_ins }, as one JSON document",
  });
  addWhereabouts(described)
    .argument("[server]", "the server's name in the policy")
    .option("--port <number>", "where this machine waits for the browser's answer", "7312")
    .option("--list", "list the servers that ask for OAuth, and sign in to none")
    .action(run);
}

async function run(server: string | undefined, { list, json, port, ...where }: SignInOptions): Promise<void> {
  if ((server === undefined) !== (list === true)) throw misused();
  const client = await findRunningGateway(where);
  if (server === undefined) return show(client, json);
  const { signIn, signInStarted } = await import("../../gateway/rest/sign-in-routes.ts");
  const answered = await waitForAnswer(Number(port), async (redirectUri) => {
    const { url } = await client.ask(
      pathOf(server),
      (answer) => signInStarted.safeParse(answer).data ?? null,
      {
        redirect_uri: redirectUri,
      },
    );
    printError("Open this address in your browser:");
    printError("  ", styled("bold", url));
    return new URL(url).searchParams.get("state") ?? "";
  });
  const read = (answer: unknown) => signIn.safeParse(answer).data ?? null;
  const signedIn = await client.ask(`${pathOf(server)}/answer`, read, answered);
  if (json) return printJson(signedIn);
  const whose = signedIn.for === "gateway" ? "for the gateway" : "for yourself";
  printLine(styled("green", "signed in"), ` to ${server}, ${whose}`);
}

/** Where a server's sign-in is at the gateway. */
export const pathOf = (server: string): string => `/v1/servers/${encodeURIComponent(server)}/sign-in`;

async function show(client: GatewayClient, json: true | undefined): Promise<void> {
  const { signIns } = await import("../../gateway/rest/sign-in-routes.ts");
  const found = await client.ask("/v1/sign-ins", (answer) => signIns.safeParse(answer).data ?? null);
  if (json) return printJson(found);
  if (found.sign_ins.length === 0) return printLine("No server asks for OAuth.");
  printTable(
    found.sign_ins.map((one) => [
      one.server,
      one.for === "gateway" ? "for all" : "each principal",
      one.signed_in ? styled("green", "signed in") : styled("yellow", "not signed in"),
      one.issuer ?? "",
    ]),
  );
}

/**
 * What a browser brings back to this machine once `begin` has given the state. THREAT: any page may send it here, so it
 * must bring that state.
 */
async function waitForAnswer(
  port: number,
  begin: (redirectUri: string) => Promise<string>,
): Promise<Record<string, string>> {
  const answered = Promise.withResolvers<Record<string, string>>();
  let state: string | null = null;
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
    const isRight = pathname === CALLBACK && state !== null && searchParams.get("state") === state;
    response.writeHead(isRight ? 200 : 404, { "content-type": "text/plain; charset=utf-8" });
    response.end(isRight ? "You can close this page and go back to the terminal." : "Nothing is here.");
    const parts = [...searchParams].filter(([name]) => ANSWERED.has(name));
    if (isRight) response.on("finish", () => answered.resolve(Object.fromEntries(parts)));
  });
  server.listen(port, "127.0.0.1");
  try {
    await once(server, "listening").catch((cause: unknown) => {
      throw taken(port, cause);
    });
    const address = server.address();
    const bound = typeof address === "object" && address !== null ? address.port : port;
    state = await begin(`http://127.0.0.1:${bound}${CALLBACK}`);
    return await answered.promise;
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

const CALLBACK = "/callback";
const ANSWERED: ReadonlySet<string> = new Set(["state", "code", "error", "iss"]);

const misused = (): SluicegateError =>
  new SluicegateError("usage", "`sluicegate sign-in` doesn't understand this.", {
    why: "It takes the name of one server, or `--list`.",
    fix: "See `sluicegate sign-in --list`.",
  });

const taken = (port: number, cause: unknown): SluicegateError =>
  new SluicegateError("usage", `The answer can't be waited for on port ${port}.`, {
    why: "Another program listens there, or it is no port.",
    fix: "Choose another one with `--port`.",
    cause,
  });
