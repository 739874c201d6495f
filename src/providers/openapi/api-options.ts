/** The declaration of an API: its document, its base URL, and the labels of its operations. */
import type { Lattice } from "../../core/index.ts";
import type { ApiConfig, ApiOperation } from "../../policy-file/index.ts";
import type { JsonObject } from "../../runtime/index.ts";
import type { LookUpHost } from "./exchange/addresses.ts";

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
