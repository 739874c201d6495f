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

/** @throws SluicegateError `header-mismatch` */
export function assertHeaders(service: Service, session: Session, headers: Headers, body: unknown): void {
  const method = headers.get("mcp-method");
  const name = headers.get("mcp-name");
  const params = [...headers].filter(([key]) => key.startsWith("mcp-param-"));
  if (method === null && name === null && params.length === 0) return;
  if (!isObject(body)) throw mismatch("Mcp-Method");
  if (method !== null && method !== body.method) throw mismatch("Mcp-Method");
  const given = isObject(body.params) ? body.params : {};
  if (name !== null && decodeParamHeader(name) !== (given.name ?? given.uri)) throw mismatch("Mcp-Name");
  if (params.length > 0) assertParams(service, session, params, given);
}

/** What the tool's own schema asks to be repeated must be what the arguments say. */
function assertParams(
  service: Service,
  session: Session,
  headers: readonly (readonly [string, string])[],
  { name, arguments: args }: Readonly<Record<string, unknown>>,
): void {
  const tool = session.tools.find((one) => one.name === name || one.id === name);
  const schema = tool && service.catalog.definitionOf(tool)?.inputSchema;
  const wanted = schema ? (paramHeadersOf(schema) ?? []) : [];
  const expected = new Map(
    Object.entries(toParamHeaders(wanted, isObject(args) ? args : {})).map(([key, value]) => [
      key.toLowerCase(),
      decodeParamHeader(value),
    ]),
  );
  const known = new Set(wanted.map(({ header }) => `mcp-param-${header.toLowerCase()}`));
  for (const [key, value] of headers) {
    if (known.has(key) && expected.get(key) !== decodeParamHeader(value)) throw mismatch(key);
  }
}

const mismatch = (header: string): SluicegateError =>
  new SluicegateError("header-mismatch", "The request's headers and its body differ.", {
    why: `The header \`${header}\` doesn't say what the body says.`,
    fix: "Send the header that the body calls for, or none.",
  });
