/**
 * `tools/call` requests of the usual form. They are served without the SDK, which parses, copies and validates each
 * message several times. Every other form is left to the SDK, which also refuses what is malformed.
 */
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/server";
import { isJsonObject } from "../../../json/json-object.ts";
import type { JsonObject } from "../../../runtime/index.ts";

export interface ToolCallRequest {
  readonly id: string | number;
  readonly params: {
    readonly name: string;
    readonly arguments?: JsonObject | undefined;
    readonly _meta?: JsonObject | undefined;
  };
}

/** A message that is such a call; null for any other. */
export function toToolCall(message: unknown): ToolCallRequest | null {
  if (!isJsonObject(message) || message.method !== "tools/call" || message.jsonrpc !== "2.0") return null;
  const { id, params } = message;
  const isId = typeof id === "string" || Number.isSafeInteger(id);
  if (!isId || !hasOnly(message, ["jsonrpc", "id", "method", "params"])) return null;
  if (!isJsonObject(params) || !hasOnly(params, ["name", "arguments", "_meta"])) return null;
  const { name, arguments: args = {}, _meta: meta = {} } = params;
  const isUsual = typeof name === "string" && isJsonObject(args) && isJsonObject(meta) && hasUsualToken(meta);
  return isUsual ? (message as unknown as ToolCallRequest) : null;
}

const hasOnly = (value: JsonObject, names: readonly string[]): boolean =>
  Object.keys(value).every((name) => names.includes(name));

const hasUsualToken = ({ progressToken: token = 0 }: JsonObject): boolean =>
  typeof token === "string" || Number.isSafeInteger(token);

/** Names in `_meta` that the protocol reserves. */
const RESERVED = "io.modelcontextprotocol/";
const NEWER = "2026-07-28";
/** What a client may be asked while it calls. */
const ASKABLE = ["elicitation", "sampling", "roots"];
/** Others may be encoded in the header. */
const PLAIN_NAME = /^[\w.:/-]+$/;

/** The protocol's form in which a call came over HTTP; null if the SDK must look at it. */
export function formOf(headers: Headers, { params }: ToolCallRequest): "older" | "newer" | null {
  const { name, _meta: meta = {} } = params;
  const version = headers.get("mcp-protocol-version");
  const reserved = Object.keys(meta).filter((key) => key.startsWith(RESERVED));
  if (version === null || SUPPORTED_PROTOCOL_VERSIONS.includes(version))
    return reserved.length === 0 ? "older" : null;
  const isNewer =
    version === NEWER &&
    meta[PROTOCOL_VERSION_META_KEY] === NEWER &&
    headers.get("mcp-method") === "tools/call" &&
    headers.get("mcp-name") === name &&
    PLAIN_NAME.test(name) &&
    meta.progressToken === undefined &&
    reserved.every((key) => ENVELOPE.has(key)) &&
    isPlainClient(meta[CLIENT_INFO_META_KEY]) &&
    isUnaskable(meta[CLIENT_CAPABILITIES_META_KEY]);
  return isNewer ? "newer" : null;
}

const ENVELOPE: ReadonlySet<string> = new Set([
  PROTOCOL_VERSION_META_KEY,
  CLIENT_INFO_META_KEY,
  CLIENT_CAPABILITIES_META_KEY,
]);

const isPlainClient = (client: unknown): boolean =>
  client === undefined ||
  (isJsonObject(client) &&
    typeof client.name === "string" &&
    typeof client.version === "string" &&
    hasOnly(client, ["name", "version"]));

/** A client that can be asked gets its questions in the call's result, which the SDK checks. */
const isUnaskable = (capabilities: unknown): boolean =>
  isJsonObject(capabilities) &&
  Object.values(capabilities).every(isJsonObject) &&
  ASKABLE.every((name) => capabilities[name] === undefined);
