/** What folders beside this one use, and no package exports. */

export {
  type EnvFile,
  envFileOf,
  MAX_ENV_FILE_SIZE,
  parseEnvText,
  readEnvFile,
} from "./document/env-file.ts";
export { isLoopback } from "./document/loopback.ts";
export { problemsOf } from "./document/report.ts";
export { RIGHTS } from "./sections/identities.ts";
