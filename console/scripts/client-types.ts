/** The console's client, as types: what the gateway's routes take and answer, read off their own document. */
import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript";
import { toOpenApi } from "../../src/gateway/rest/openapi.ts";
import { ROUTES } from "../../src/gateway/rest/routes.ts";

/** Where they lie. */
export const CLIENT_TYPES = new URL("../src/api/schema.d.ts", import.meta.url);

const HEADER = `/**
 * Made from the gateway's OpenAPI document by \`npm run client --workspace @sluicegate/console\`; don't change it.
 */
`;

/** The file as the routes give it now. */
export async function clientTypes(): Promise<string> {
  // The version stands in no type.
  const document: unknown = JSON.parse(JSON.stringify(toOpenApi(ROUTES, "0.0.0")));
  if (!isDocument(document)) throw new TypeError("The routes give no OpenAPI document.");
  return HEADER + astToString(await openapiTS(document, { silent: true }));
}

const isDocument = (value: unknown): value is OpenAPI3 =>
  typeof value === "object" && value !== null && "openapi" in value;
