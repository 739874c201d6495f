/**
 * Headers that repeat what the body says (`Mcp-Method`, `Mcp-Name`, `Mcp-Param-*`). Whatever stands between may decide
 * by them, so a request whose headers say something else than its body is refused, whatever revision it speaks.
 */
import { SluicegateError } from "../../errors/index.ts";
import type { Session } from "../../session/index.ts";
import type { Service } from "../service.ts";
import { decodeParamHeader, paramHeadersOf, toParamHeaders } from "../upstream/param-headers.ts";

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Checks what requests of the older revisions needn't carry; the SDK checks it for the newest.
 * @throws SluicegateError `header-mismatch`
 */
export function assertStandardHeaders(headers: Headers, body: unknown): void {
  const method = headers.get("mcp-method");
  const name = headers.get("mcp-name");
  if (method === null && name === null) return;
  if (!isObject(body)) throw mismatch("Mcp-Method");
  if (method !== null && method !== body.method) throw mismatch("Mcp-Method");
  const { name: tool, uri } = isObject(body.params) ? body.params : {};
  if (name !== null && decodeParamHeader(name) !== (tool ?? uri)) throw mismatch("Mcp-Name");
}

/**
 * Checks that what a tool's own schema asks to be repeated (`x-mcp-header`) is what the arguments say.
 * @throws SluicegateError `header-mismatch`
 */
export function assertParamHeaders(
  service: Service,
  session: Session,
  headers: Headers,
  body: unknown,
): void {
  if (!isObject(body) || body.method !== "tools/call" || !isObject(body.params)) return;
  const { name, arguments: args } = body.params;
  const tool = session.tools.find((one) => one.name === name || one.id === name);
  const schema = tool && service.catalog.definitionOf(tool)?.inputSchema;
  if (schema === undefined) return;
  const wanted = paramHeadersOf(schema) ?? [];
  const expected = new Headers(toParamHeaders(wanted, isObject(args) ? args : {}));
  for (const { header } of wanted) {
    const [given, due] = [headers.get(`mcp-param-${header}`), expected.get(`mcp-param-${header}`)];
    const isSame =
      given === null || due === null ? given === due : decodeParamHeader(given) === decodeParamHeader(due);
    if (!isSame) throw mismatch(`Mcp-Param-${header}`);
  }
}

const mismatch = (header: string): SluicegateError =>
  new SluicegateError("header-mismatch", "The request's headers and its body differ.", {
    why: `The header \`${header}\` doesn't say what the body says.`,
    fix: "Send the header that the body calls for, or none.",
  });
