/** What an API is declared as: its document, where its calls go, and what each operation brings in. */
import type { Label, Lattice } from "../../core/index.ts";
import type { JsonObject } from "../../runtime/index.ts";
import type { LookUpHost } from "./exchange/addresses.ts";

/** One operation of an API as a tool. */
export interface ApiOperationOptions {
  /** The tool's own name. */
  readonly name: string;
  /** In lower case. */
  readonly method: string;
  /** The template, as in the document. */
  readonly path: string;
  /** What it brings in. */
  readonly label: Label;
  /** Paths of the fields of an answer that are let through, such as `items[].id`; null for all. */
  readonly fields: readonly string[] | null;
}

export interface ApiOptions {
  /** The server's id in the policy. */
  readonly id: string;
  /** An OpenAPI document of version 3.0 or 3.1, parsed. */
  readonly document: JsonObject;
  /** The only place that calls go to: an origin, and a path that all of them begin with. */
  readonly baseUrl: string;
  /** Sent with each request; no tool has them, and no answer shows them. */
  readonly headers: Readonly<Record<string, string>>;
  /** As `headers`, in the query. */
  readonly query: Readonly<Record<string, string>>;
  /** Whether a name in `baseUrl` may stand for a private or loopback address. */
  readonly allowPrivate: boolean;
  readonly operations: readonly ApiOperationOptions[];
  /** Bytes of an answer's body once it is decompressed, and seconds for the whole exchange. */
  readonly limits: { readonly bytes: number; readonly seconds: number };
  readonly lattice: Lattice;
  /** Resolves names; the system's resolver by default. */
  readonly lookUp?: LookUpHost;
}
