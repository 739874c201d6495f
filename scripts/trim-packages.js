/**
 * Removes from node_modules what no program here reads: about 200 MB of the 800 that `npm ci` unpacks.
 * It is JavaScript, and runs on whatever Node the machine has. The published package isn't trimmed.
 */
import { existsSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Source maps; TypeScript sources, which Node refuses to run in packages; static libraries; READMEs. */
const UNREAD = /\.map$|(?<!\.d)\.[cm]?ts$|\.flow$|\.a$|^(readme|changelog|history|contributing)\.md$/i;

/** Files and folders by the end of their path. */
const UNUSED = [
  // C headers for native add-ons: there are none.
  /\/node\/node_modules\/node-[^/]+\/include$/,
  // Documentation.
  /\/node_modules\/(ai|pino|undici)\/docs$/,
  // OpenTelemetry a third time, for bundlers that ask for `esnext`.
  /\/@opentelemetry\/[^/]+\/build\/esnext$/,
  // OpenAI's voice agents as a script for browsers.
  /\/@openai\/agents-realtime\/dist\/bundle$/,
  // Token tables, alone and within the entry: LangChain imports `js-tiktoken/lite`, which has none.
  /\/js-tiktoken\/dist\/(ranks|index\.c?js)$/,
  // Add-ons for Bare, another runtime.
  /\/bare-[^/]+\/prebuilds$/,
  // Types for `require`, elsewhere used by the types of other packages.
  /\/(langchain|langsmith|@langchain|@modelcontextprotocol|@redocly|@opentelemetry)\/.*\.d\.cts$/,
  // Types of packages that only other packages use, none of which hands them on.
  /\/es-toolkit\/.*\.d\.m?ts$/,
  /\/@octokit\/openapi-types\/types\.d\.ts$/,
  // A second build as ES modules: its only user requires the first.
  /\/@redocly\/config\/lib-esm$/,
];

function trim(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (UNUSED.some((one) => one.test(path))) rmSync(path, { recursive: true });
    else if (entry.isDirectory()) trim(path);
    else if (entry.isFile() && UNREAD.test(entry.name)) rmSync(path);
  }
  if (readdirSync(folder).length === 0) rmdirSync(folder);
}

const root = fileURLToPath(new URL("..", import.meta.url));
for (const folder of ["node_modules", "console/node_modules"])
  if (existsSync(join(root, folder))) trim(join(root, folder));
