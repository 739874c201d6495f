/** The sample of the documentation: compiled against the SDK's own types, and run with it. */
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { startScriptedModel } from "./scripted-model.ts";

const ROOT = join(import.meta.dirname, "../..");
const SAMPLE = join(import.meta.dirname, "sample.ts");

/** @throws where it doesn't compile, or doesn't find what it expects. */
export async function runSample(sdk: string, home: string): Promise<void> {
  compileSample(sdk, home);
  const call = (name: string, input: Readonly<Record<string, unknown>>) => ({
    name: `mcp__tools__${name}`,
    input,
  });
  const model = await startScriptedModel([
    [call("read_mail", { query: "Q3" }), call("web_search", { query: "Q3 revenue 4.82" })],
    [call("pay", { amount: 120 })],
  ]);
  const env = {
    PATH: process.env.PATH,
    HOME: mkdtempSync(join(home, "sample-")),
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: "no-key",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    IS_SANDBOX: "1",
  };
  const file = pathToFileURL(join(sdk, "sdk.mjs")).href;
  const flags = ["--disable-warning=ExperimentalWarning", SAMPLE, file];
  const { stdout } = await promisify(execFile)(process.execPath, flags, { env, cwd: env.HOME });
  model.close();
  assert.match(stdout, /ok\n$/);
}

/** The same text with the SDK's types in the place of an import that the checkout can't resolve. */
function compileSample(sdk: string, home: string): void {
  const folder = mkdtempSync(join(home, "types-"));
  const text = readFileSync(SAMPLE, "utf8")
    .replace(/^const (\{.*\}) = await import\(.*$/m, `import $1 from "${sdk}/sdk.js";`)
    .replaceAll('"../../src/', `"${ROOT}/src/`)
    .replace('from "zod"', `from "${ROOT}/node_modules/zod/index.js"`);
  assert.ok(text.includes(sdk));
  writeFileSync(join(folder, "sample.ts"), text);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  const compilerOptions = {
    target: "esnext",
    module: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    noEmit: true,
    types: ["node"],
    typeRoots: [join(ROOT, "node_modules/@types")],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["sample.ts"] }));
  execFileSync(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc"), "--project", folder], {
    stdio: ["ignore", "inherit", "inherit"],
  });
}
