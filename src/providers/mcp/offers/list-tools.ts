/**
 * The tools that a server offers, page by page, within limits. THREAT: the server chooses how many tools there are,
 * how large each is, whether the pages end, and all text.
 */

import { isJsonObject, type JsonObject } from "../../../json/json-object.ts";
import type { OfferedTool } from "../../../runtime/index.ts";
import type { UpstreamLimits } from "../limits.ts";
import type { Log } from "../transport/rate-limited-log.ts";

export type ToolList =
  | { readonly kind: "tools"; readonly tools: ReadonlyMap<string, OfferedTool> }
  /** Over a limit: none of its tools can be used. `reason` ends a sentence. */
  | { readonly kind: "refused"; readonly reason: string };

const NAME = /^[A-Za-z0-9_.-]{1,128}$/;

/** `fetchPage` requests the page at a cursor (undefined: the first), and rejects if it is unavailable. */
export async function listTools(
  fetchPage: (cursor: string | undefined) => Promise<JsonObject>,
  limits: UpstreamLimits,
  log: Log,
): Promise<ToolList> {
  const collection = createCollection(limits, log);
  let cursor: string | undefined;
  for (let page = 0; page < limits.pages; page += 1) {
    const { tools, nextCursor } = await fetchPage(cursor);
    if (!Array.isArray(tools)) return refused("its list of tools is not a list");
    const reason = collection.add(tools);
    if (reason !== null) return refused(reason);
    if (typeof nextCursor !== "string") return { kind: "tools", tools: collection.tools() };
    cursor = nextCursor;
  }
  return refused(`its list of tools has more than ${limits.pages} pages`);
}

const refused = (reason: string): ToolList => ({ kind: "refused", reason });

interface Collection {
  /** Adds a page; returns the limit that it exceeded, or null. */
  add(definitions: readonly unknown[]): string | null;
  tools(): ReadonlyMap<string, OfferedTool>;
}

function createCollection(limits: UpstreamLimits, log: Log): Collection {
  const tools = new Map<string, OfferedTool>();
  const repeated = new Set<string>();
  let count = 0;
  let bytes = 0;
  const addOne = (definition: unknown): string | null => {
    const tool = toOfferedTool(definition);
    if (tool === null) {
      log("left out a tool without a usable name or input schema");
      return null;
    }
    const size = Buffer.byteLength(JSON.stringify(definition));
    bytes += size;
    if (size > limits.definitionBytes)
      return `a tool definition of it has more than ${limits.definitionBytes} bytes`;
    if (bytes > limits.definitionsBytes)
      return `its tool definitions have more than ${limits.definitionsBytes} bytes`;
    if (tools.has(tool.name)) repeated.add(tool.name);
    tools.set(tool.name, tool);
    return null;
  };
  return {
    add: (definitions) => {
      count += definitions.length;
      if (count > limits.tools) return `it offers more than ${limits.tools} tools`;
      for (const definition of definitions) {
        const reason = addOne(definition);
        if (reason !== null) return reason;
      }
      return null;
    },
    tools: () => {
      for (const name of repeated) {
        tools.delete(name);
        log(`left out the tool ${name}: it is offered more than once`);
      }
      return tools;
    },
  };
}

/** The known fields of a definition, and the whole of it; null without a usable name or an input schema. */
function toOfferedTool(definition: unknown): OfferedTool | null {
  if (!isJsonObject(definition)) return null;
  const { name, title, description, inputSchema, outputSchema, annotations } = definition;
  if (typeof name !== "string" || !NAME.test(name) || !isJsonObject(inputSchema)) return null;
  return Object.freeze({
    name,
    ...(typeof title === "string" && { title }),
    ...(typeof description === "string" && { description }),
    inputSchema,
    ...(isJsonObject(outputSchema) && { outputSchema }),
    ...(isJsonObject(annotations) && { annotations }),
    raw: definition,
  });
}
