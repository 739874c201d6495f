/** Prompts and completions over MCP. The arguments go to the server, and the result has the server's label. */
import {
  type CompleteResult,
  type GetPromptResult,
  isSpecType,
  type Prompt,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
} from "@modelcontextprotocol/server";
import { toMethodId } from "../../../core/index.ts";
import { SluicegateError } from "../../../errors/index.ts";
import type { JsonObject } from "../../../runtime/index.ts";
import type { ClientLink } from "../../../runtime/internal.ts";
import type { CallingClient } from "../approvals/execute-for-client.ts";
import { toClientLink } from "../client-link.ts";
import {
  assertFirstPage,
  cannotAsk,
  fetchAtOnce,
  fetchFrom,
  labelled,
  type McpRequestContext,
  runMultiRound,
  toProtocolError,
} from "../request-context.ts";
import { hasValidLists, hasValidMessages } from "./first-problem.ts";
import { findPrompt, findTemplate, offered, type Target } from "./offers.ts";
import { malformed, target } from "./resource-handlers.ts";

export function handlePrompts(server: Server, door: McpRequestContext): void {
  const { service, session } = door;
  server.setRequestHandler("prompts/list", async ({ params }) => {
    assertFirstPage(params);
    await session.refresh();
    const seen = offered(service, session, "prompts").map(({ entry, shown }) => ({ ...entry, name: shown }));
    return {
      prompts: seen.filter(
        (entry): entry is Prompt & JsonObject & { name: string } =>
          hasValidLists(entry) && isSpecType.Prompt(entry),
      ),
    };
  });
  server.setRequestHandler("prompts/get", (request, context) =>
    runMultiRound(door, request, context, (client) =>
      get(door, request.params.name, request.params.arguments, client),
    ),
  );
  server.setRequestHandler(
    "completion/complete",
    ({ params: { ref, argument, context: given } }, context) => {
      const rest = { argument, ...(given && { context: given }) };
      const link = { ...toClientLink(server, context, door.verbosity), ask: cannotAsk };
      return complete(door, ref, rest, link);
    },
  );
}

async function get(
  door: McpRequestContext,
  name: string,
  args: JsonObject | undefined,
  client: CallingClient,
): Promise<GetPromptResult> {
  const { server, key } = prompt(door, name);
  const params = { name: key, ...(args && { arguments: args }) };
  const { description, messages } = await fetchFrom(door, toMethodId(server, "prompts/get"), params, client);
  const known = labelled(door, { messages, ...(typeof description === "string" && { description }) });
  if (hasValidMessages(messages) && isSpecType.GetPromptResult(known)) return known;
  throw malformed(server);
}

type Reference =
  | { readonly type: "ref/prompt"; readonly name: string }
  | { readonly type: "ref/resource"; readonly uri: string };

async function complete(
  door: McpRequestContext,
  ref: Reference,
  rest: JsonObject,
  link: ClientLink,
): Promise<CompleteResult> {
  const isPrompt = ref.type === "ref/prompt";
  const { server, key } = isPrompt
    ? prompt(door, ref.name)
    : target(() => findTemplate(door.service, door.session, ref.uri), ref.uri);
  const own = isPrompt ? { type: ref.type, name: key } : { type: ref.type, uri: key };
  const params = { ref: own, ...rest };
  const { completion } = await fetchAtOnce(door, toMethodId(server, "completion/complete"), params, link);
  const known = labelled(door, { completion });
  if (isSpecType.CompleteResult(known)) return known;
  throw malformed(server);
}

function prompt({ service, session }: McpRequestContext, name: string): Target {
  try {
    return findPrompt(service, session, name);
  } catch (cause) {
    const isAbsent = SluicegateError.isInstance(cause) && cause.code === "not-found";
    if (!isAbsent) throw toProtocolError(cause);
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${cause.message} ${cause.why} ${cause.fix}`);
  }
}
