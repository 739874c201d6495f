/** The version of this package, read where it is told. */
import { readFileSync } from "node:fs";
import { parseJson } from "../json/parse-json.ts";

export function packageVersion(): string {
  const manifest: unknown = parseJson(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  const version: unknown =
    typeof manifest === "object" && manifest !== null ? Reflect.get(manifest, "version") : undefined;
  return typeof version === "string" ? version : "unknown";
}
