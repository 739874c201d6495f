/** MCP servers as providers of tools. */
export { CLIENT_DOCUMENT, toClientMetadata } from "./oauth/client-registration.ts";
export { connectServer } from "./oauth/connect-server.ts";
export { SIGN_IN_PAGE, type SignInStatus, SignIns } from "./oauth/sign-ins.ts";
export { createLineReader } from "./transport/line-reader.ts";
export {
  decodeParamHeader,
  type ParamHeader,
  paramHeadersOf,
  toParamHeaders,
} from "./transport/param-headers.ts";
export { connectUpstream, type UpstreamOptions, type UpstreamServer } from "./upstream.ts";
