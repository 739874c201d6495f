/** How each declared API is reached, and which of its operations are offered. Plain data; calling it is somebody else's. */
import type { Label, Lattice } from "../../core/index.ts";
import type { JsonObject } from "../document/json-value.ts";
import { isLiteralAddress } from "../document/loopback.ts";
import type { ApiFile } from "./api-document.ts";
import type { ApiDocument, OperationDocument } from "./api-schema.ts";
import { sensitivityOf } from "./to-label.ts";

/** An operation that is offered as a tool. */
export interface ApiOperation {
  /** The tool's own name: 1 to 64 letters, digits, `_` and `-`. */
  readonly name: string;
  /** In lower case. */
  readonly method: string;
  /** The template as in the document, such as `/tickets/{id}`. */
  readonly path: string;
  /** What it brings in. */
  readonly label: Label;
  /** The fields of a response that are let through, such as `items[].id`; null for all. */
  readonly fields: readonly string[] | null;
}

/** An HTTP API whose operations agents may call. May hold secrets, which variables filled in. */
export interface ApiConfig {
  /** The server under which its tools stand. */
  readonly id: string;
  /** Its OpenAPI document (3.0 or 3.1) as it is: frozen, its references not followed. */
  readonly document: JsonObject;
  /** Where calls go, and nowhere else; without a `/` at its end. */
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** Whether `baseUrl` may lead to an address that isn't public. */
  readonly allowPrivate: boolean;
  /** In the order of the document. */
  readonly operations: readonly ApiOperation[];
  readonly limits: { readonly bytes: number; readonly seconds: number };
}

/** An API of a document that was checked, with its OpenAPI document. */
export function toApi(
  id: string,
  api: ApiDocument,
  { document, operations }: ApiFile,
  lattice: Lattice,
): ApiConfig {
  const { headers = {}, query = {}, only, limits = {}, base_url: baseUrl } = api;
  const offered = only === undefined ? operations : operations.filter(({ name }) => only.includes(name));
  const isLiteral = isLiteralAddress(URL.parse(baseUrl)?.hostname ?? "");
  return Object.freeze({
    id,
    document,
    baseUrl: baseUrl.replace(/\/+$/, ""),
    headers: Object.freeze({ ...headers }),
    query: Object.freeze({ ...query }),
    allowPrivate: isLiteral || api.private_addresses === "allow",
    operations: Object.freeze(
      offered.map((operation) => {
        const { fields, ...own } = operationOf(api, operation.name);
        const label = sensitivityOf(own, lattice, sensitivityOf(api, lattice));
        return Object.freeze({ ...operation, label, fields: fields ? Object.freeze([...fields]) : null });
      }),
    ),
    limits: Object.freeze({ bytes: limits.bytes ?? 4 * 1024 * 1024, seconds: limits.seconds ?? 30 }),
  });
}

/** What a policy says of an operation. */
export const operationOf = ({ operations = {} }: ApiDocument, name: string): OperationDocument =>
  (Object.hasOwn(operations, name) ? operations[name] : undefined) ?? {};
