/**
 * The tools of an MCP client behind a session, for agents that call servers directly: any client with `listTools` and
 * `callTool`, such as the official SDK in its versions 1 and 2.
 */
import { toToolId } from "../core/index.ts";
import type { CallContext } from "../runtime/index.ts";
import {
  assertGuard,
  callGuarded,
  type GuardOptions,
  type SessionSource,
  sessionOf,
} from "./guarded-call.ts";
import { describeFor, withEditNote } from "./model-notes.ts";
import { isFailure, toRefusedResult } from "./refusal.ts";

export type { SessionSource } from "./guarded-call.ts";
export { isRefusal, REFUSAL_META, type Refusal } from "./refusal.ts";

/** The needed methods of a client; it keeps its own types. */
export interface McpClient {
  listTools(...given: never[]): Promise<{ readonly tools: readonly { readonly name: string }[] }>;
  callTool(...given: never[]): Promise<unknown>;
}

export interface McpGuardOptions extends Pick<GuardOptions, "waitSeconds"> {
  /** The server's id in the policy; left out, the tools are looked up by their names. */
  readonly server?: string;
}

/** The client's two functions, guarded. Its other methods aren't guarded, and aren't here. */
export type Guarded<Client extends McpClient> = Pick<Client, "listTools" | "callTool">;

/**
 * Puts a client's tools behind a session: `listTools` returns those that the session sees, with what calling each
 * would block; `callTool` decides, and returns a refusal as an MCP result with `isError`. MCP clients can't pause: a
 * call that needs approval waits for `waitSeconds`, and can be repeated after the approval.
 */
export function guard<Client extends McpClient>(
  session: SessionSource,
  client: Client,
  options: McpGuardOptions = {},
): Guarded<Client> {
  assertGuard(session, options, ["waitSeconds", "server"]);
  const idOf = (name: string): string =>
    options.server === undefined ? name : toToolId(options.server, name);
  const guarded: Guarded<McpClient> = {
    listTools: async (...given) => {
      const listed = await client.listTools(...given);
      const now = await sessionOf(session).refresh();
      const seen = listed.tools.filter(({ name }) => now.tool(idOf(name)) !== null);
      const describe = (tool: ListedTool): ListedTool => {
        const description = describeFor(now, idOf(tool.name), tool.description);
        return description === "" ? tool : { ...tool, description };
      };
      return { ...listed, tools: seen.map(describe) };
    },
    callTool: async (...given) => callTool({ session, client, options, idOf }, given),
  };
  // Each has the parameters and the result of the client's own.
  return guarded as Guarded<Client>;
}

interface ListedTool {
  readonly name: string;
  readonly description?: string;
}

interface Guarding {
  readonly session: SessionSource;
  readonly client: McpClient;
  readonly options: McpGuardOptions;
  readonly idOf: (name: string) => string;
}

interface CallParameters {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
}

async function callTool(
  { session, client, options, idOf }: Guarding,
  given: readonly unknown[],
): Promise<unknown> {
  const [asked, ...rest] = given as readonly [CallParameters, ...unknown[]];
  // INVARIANT: the tool that is decided on is the one that is called, whatever the caller does with its object meanwhile.
  const parameters = { ...asked };
  const run = async (copy: unknown, { fail }: CallContext): Promise<unknown> => {
    const result = await client.callTool(...([{ ...parameters, arguments: copy }, ...rest] as never[]));
    if (isFailure(result)) fail();
    return result;
  };
  const outcome = await callGuarded(sessionOf(session), {
    tool: idOf(parameters.name),
    input: parameters.arguments ?? {},
    run,
    signal: signalIn(rest),
    waitSeconds: options.waitSeconds,
  });
  return outcome.effect === "allow" ? withEditNote(outcome) : toRefusedResult(outcome);
}

/** The options are a client's last parameter; version 1 has a schema before them. */
function signalIn(rest: readonly unknown[]): AbortSignal | undefined {
  const signals = rest.map((one) =>
    typeof one === "object" && one !== null && "signal" in one ? one.signal : null,
  );
  return signals.find((signal) => signal instanceof AbortSignal);
}
