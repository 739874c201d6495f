/** APIs by their OpenAPI documents. */
export type { ApiOperationOptions, ApiOptions } from "./api-tool.ts";
export { type ApiProvider, createApiProvider } from "./provider.ts";
