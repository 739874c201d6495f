/**
 * Checks headers that repeat the body (`Mcp-Method`, `Mcp-Name`, `Mcp-Param-*`). A proxy may decide by them, so a
 * request whose headers contradict its body is refused, in every revision.
 */
import { SluicegateError } from "../../../errors/index.ts";
import { isJsonObject } from "../../../json/json-object.ts";
import {
  decodeParamHeader,
  type ParamHeader,
  paramHeadersOf,
  toParamHeaders,
} from "../../../providers/mcp/index.ts";
import type { Session } from "../../../runtime/index.ts";
import type { ToolRegistry } from "../../tools/tool-registry.ts";

/**
 * Checks the headers of older revisions, which are optional there; for the newest, the SDK does.
 * @throws SluicegateError `header-mismatch`
 */
export function assertStandardHeaders(headers: Headers, body: unknown): void {
  const method = headers.get("mcp-method");
  const name = headers.get("mcp-name");
  if (method === null && name === null) return;
  if (!isJsonObject(body)) throw mismatch("Mcp-Method");
  if (method !== null && method !== body.method) throw mismatch("Mcp-Method");
  const params = isJsonObject(body.params) ? body.params : {};
  const named = String(body.method).startsWith("resources/") ? params.uri : (params.name ?? params.uri);
  if (name !== null && decodeParamHeader(name) !== named) throw mismatch("Mcp-Name");
}

/**
 * Checks that the headers required by a tool's schema (`x-mcp-header`) match the arguments. In the newest revision
 * they must be present.
 * @throws SluicegateError `header-mismatch`
 */
export function assertParamHeaders(
  caller: Caller,
  headers: Headers,
  body: unknown,
  { isDemanded }: { readonly isDemanded: boolean },
): void {
  if (Array.isArray(body)) {
    for (const member of body) assertParamHeaders(caller, headers, member, { isDemanded });
    return;
  }
  const call = isJsonObject(body) && body.method === "tools/call" ? body.params : undefined;
  if (!isJsonObject(call)) return;
  const wanted = wantedHeaders(caller, call.name);
  const expected = new Headers(toParamHeaders(wanted, isJsonObject(call.arguments) ? call.arguments : {}));
  for (const { header } of wanted) {
    const [given, due] = [headers.get(`mcp-param-${header}`), expected.get(`mcp-param-${header}`)];
    const isLeftOut = given === null && !isDemanded;
    if (!isLeftOut && !saysTheSame(given, due)) throw mismatch(`Mcp-Param-${header}`);
  }
}

/** The caller of a request, and where its tools' schemas are. */
interface Caller {
  readonly session: Session;
  readonly catalog: Pick<ToolRegistry, "definitionOf">;
}

/**
 * The headers that a tool's schema requires, by any name of the tool. THREAT: a tool that the session doesn't see
 * requires none, like one that doesn't exist.
 */
function wantedHeaders({ session, catalog }: Caller, name: unknown): readonly ParamHeader[] {
  const tool = typeof name === "string" ? session.tool(name) : null;
  const schema = tool && catalog.definitionOf(tool)?.inputSchema;
  return (schema && paramHeadersOf(schema)) ?? [];
}

const saysTheSame = (given: string | null, due: string | null): boolean =>
  given === null || due === null ? given === due : decodeParamHeader(given) === decodeParamHeader(due);

const mismatch = (header: string): SluicegateError =>
  new SluicegateError("header-mismatch", "The request's headers and its body differ.", {
    why: `The header \`${header}\` doesn't say what the body says.`,
    fix: "Send the header that the body calls for, or none.",
  });
