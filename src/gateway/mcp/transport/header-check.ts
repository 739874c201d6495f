/**
 * Headers that repeat what the body says (`Mcp-Method`, `Mcp-Name`, `Mcp-Param-*`). Whatever stands between may decide
 * by them, so a request whose headers say something else than its body is refused, whatever revision it speaks.
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
 * Checks what requests of the older revisions needn't carry; the SDK checks it for the newest.
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
 * Checks that what a tool's own schema asks to be repeated (`x-mcp-header`) is what the arguments say. The newest
 * revision also demands that it is there.
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

/** Whose request it is, and where its tools' schemas are found. */
interface Caller {
  readonly session: Session;
  readonly catalog: Pick<ToolRegistry, "definitionOf">;
}

/**
 * The headers that a tool's schema asks for, whichever of its names it is called by. THREAT: a tool that the session
 * doesn't see asks for none, as one that isn't there.
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
