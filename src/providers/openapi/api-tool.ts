/** One operation as a tool: what it takes, and where in a request each of it goes. */
import type { OfferedTool } from "../../runtime/index.ts";
import type { ApiOperationOptions } from "./api-options.ts";
import type { ParameterPlace } from "./exchange/credentials.ts";

/** A parameter of the operation, and the argument that it is set by. */
export interface Parameter {
  readonly argument: string;
  /** As the document has it. */
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
  /** Null if the document says nothing of it. */
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
