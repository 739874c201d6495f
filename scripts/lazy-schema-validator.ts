/**
 * Stands in the bundle for what the MCP packages load of Node (their `_shims`): the same validator of JSON Schemas,
 * loaded when it is first used. Few gateways ever use it, and it is a third of all that they would load.
 */
import { createRequire } from "node:module";
import type { AjvJsonSchemaValidator } from "@modelcontextprotocol/server/validators/ajv";

export { default as process } from "node:process";

/** Whether a failed `fetch` may be the browser's refusal. */
export const CORS_IS_POSSIBLE = false;

export class DefaultJsonSchemaValidator {
  #validator: AjvJsonSchemaValidator | null = null;

  getValidator(schema: Parameters<AjvJsonSchemaValidator["getValidator"]>[0]): unknown {
    this.#validator ??= load();
    return this.#validator.getValidator(schema);
  }
}

function load(): AjvJsonSchemaValidator {
  const { AjvJsonSchemaValidator } = createRequire(import.meta.url)(
    "@modelcontextprotocol/server/validators/ajv",
  );
  return new AjvJsonSchemaValidator();
}
