/** APIs by their OpenAPI documents. */
export type { ApiOperationOptions, ApiOptions } from "./api-options.ts";
export { type ApiProvider, createApiProvider } from "./provider.ts";
