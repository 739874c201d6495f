/** An API as a policy declares it, and its operations as tools: their arguments, and where each goes in a request. */

import type { Lattice } from "../../core/index.ts";
import type { ApiConfig, ApiOperation } from "../../policy-file/index.ts";
import type { JsonObject, OfferedTool } from "../../runtime/index.ts";
import type { LookUpHost } from "./exchange/addresses.ts";
import type { ParameterPlace } from "./exchange/credentials.ts";

/** A parameter of the operation, and its argument. */
export interface Parameter {
  readonly argument: string;
  /** Its name in the document. */
  readonly name: string;
  readonly place: ParameterPlace;
  readonly style: string;
  readonly explode: boolean;
  readonly allowReserved: boolean;
  /** Whether its value is sent as JSON text (`content` in the document). */
  readonly isJson: boolean;
}

/** How one field of a form is written. */
export interface FieldEncoding {
  /** Null if the document names none. */
  readonly style: string | null;
  readonly explode: boolean;
  readonly allowReserved: boolean;
  readonly contentType: string | null;
  /** Sent with a file's name. */
  readonly isFile: boolean;
}

export interface BodyInput {
  readonly argument: string;
  readonly kind: "json" | "form" | "multipart" | "text";
  /** What the request's `content-type` says. */
  readonly mediaType: string;
  readonly fields: ReadonlyMap<string, FieldEncoding>;
}

export interface ApiTool {
  readonly operation: ApiOperationOptions;
  readonly offered: OfferedTool;
  readonly parameters: readonly Parameter[];
  readonly body: BodyInput | null;
}

/** One operation of an API as a tool. */
export type ApiOperationOptions = ApiOperation;

/** An API as a policy declares it, and the lattice of its labels. */
export interface ApiOptions extends Omit<ApiConfig, "document"> {
  /** An OpenAPI document of version 3.0 or 3.1, parsed. */
  readonly document: JsonObject;
  readonly lattice: Lattice;
  /** Resolves names; the system's resolver by default. */
  readonly lookUp?: LookUpHost;
}
