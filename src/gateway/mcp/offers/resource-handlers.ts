/**
 * Resources over MCP. Lists contain a server's data, so a session sees those whose label it has. Each other server is
 * shown as one resource, whose description says what opening it would block, and whose content is the server's lists.
 */
import {
  isSpecType,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
  type ResourceTemplateType,
  type Server,
} from "@modelcontextprotocol/server";
import { describeLabel, toMethodId } from "../../../core/index.ts";
import { SluicegateError } from "../../../errors/index.ts";
import type { JsonObject } from "../../../runtime/index.ts";
import type { CallingClient } from "../approvals/execute-for-client.ts";
import {
  assertFirstPage,
  fetchFrom,
  labelled,
  type McpRequestContext,
  runMultiRound,
  toProtocolError,
} from "../request-context.ts";
import { hasValidContents, hasValidLists } from "./first-problem.ts";
import { type ClosedOffer, closedOffers, findResource, offered, openedBy, type Target } from "./offers.ts";

export function handleResources(server: Server, door: McpRequestContext): void {
  const { service, session } = door;
  server.setRequestHandler("resources/list", async ({ params }) => {
    assertFirstPage(params);
    await session.refresh();
    const seen = offered(service, session, "resources").map(({ entry, shown }) => ({ ...entry, uri: shown }));
    return {
      resources: [...seen.filter(isResource), ...closedOffers(service, session).map(toDoor)],
    };
  });
  server.setRequestHandler("resources/templates/list", async ({ params }) => {
    assertFirstPage(params);
    await session.refresh();
    const seen = offered(service, session, "templates");
    const entries = seen.map(({ entry, shown }) => ({ ...entry, uriTemplate: shown }));
    return {
      resourceTemplates: entries.filter(
        (entry): entry is ResourceTemplateType => hasValidLists(entry) && isSpecType.ResourceTemplate(entry),
      ),
    };
  });
  server.setRequestHandler("resources/read", (request, context) =>
    runMultiRound(door, request, context, (client) => read(door, request.params.uri, client)),
  );
}

const isResource = (entry: JsonObject): entry is Resource & JsonObject =>
  hasValidLists(entry) && isSpecType.Resource(entry);

/** A server's lists as one resource, with what reading it would block. */
const toDoor = ({ server, uri, label }: ClosedOffer): Resource => ({
  uri,
  name: server,
  title: `What ${server} has besides tools`,
  description: `Lists the resources and prompts of ${server}. Reading it brings ${describeLabel(label)} into this session.`,
  mimeType: "application/json",
});

async function read(
  door: McpRequestContext,
  uri: string,
  client: CallingClient,
): Promise<ReadResourceResult> {
  const opened = openedBy(door.service, door.session, uri);
  if (opened !== null) return open(door, opened, uri, client);
  const { server, key } = target(() => findResource(door.service, door.session, uri), uri);
  const result = await fetchFrom(door, toMethodId(server, "resources/read"), { uri: key }, client).catch(
    (cause: unknown) => {
      const isAbsent = ProtocolError.isInstance(cause) && NOT_FOUND.has(cause.code);
      throw isAbsent ? new ResourceNotFoundError(uri, cause.message) : cause;
    },
  );
  const known = labelled(door, { contents: result.contents });
  if (hasValidContents(result.contents) && isSpecType.ReadResourceResult(known)) return known;
  throw malformed(server);
}

/** Errors for a missing resource in the two protocol versions. */
const NOT_FOUND: ReadonlySet<number> = new Set([-32002, ProtocolErrorCode.InvalidParams]);

async function open(
  door: McpRequestContext,
  server: string,
  uri: string,
  client: CallingClient,
): Promise<ReadResourceResult> {
  await fetchFrom(door, toMethodId(server, "resources/list"), {}, client);
  const listed = (kind: "resources" | "templates" | "prompts", key: string): JsonObject[] =>
    offered(door.service, door.session, kind)
      .filter((one) => one.server === server)
      .map(({ entry, shown }) => ({ ...entry, [key]: shown }));
  const lists = {
    resources: listed("resources", "uri"),
    resourceTemplates: listed("templates", "uriTemplate"),
    prompts: listed("prompts", "name"),
  };
  const contents = [{ uri, mimeType: "application/json", text: JSON.stringify(lists, null, 2) }];
  return labelled(door, { contents });
}

/** A URI without a meaning gets MCP's own error. */
export function target(find: () => Target, uri: string): Target {
  try {
    return find();
  } catch (cause) {
    const isAbsent = SluicegateError.isInstance(cause) && cause.code === "not-found";
    throw isAbsent
      ? new ResourceNotFoundError(uri, `${cause.message} ${cause.why} ${cause.fix}`)
      : toProtocolError(cause);
  }
}

export const malformed = (server: string): ProtocolError =>
  new ProtocolError(
    ProtocolErrorCode.InternalError,
    `The server \`${server}\` failed. Its answer does not have the shape that MCP gives it. Look into the server's log.`,
  );
