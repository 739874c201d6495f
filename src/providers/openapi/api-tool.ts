/** One operation as a tool: its arguments, and where each goes in a request. */
import type { OfferedTool } from "../../runtime/index.ts";
import type { ApiOperationOptions } from "./api-options.ts";
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
