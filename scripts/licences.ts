/** The licences of the packages that a bundle holds. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

interface Chunk {
  readonly code: string;
  readonly moduleIds: readonly string[];
}

/** The licence of every package in these chunks, also of those that a package brought inside its own files. */
export function licencesOf(root: string, chunks: readonly Chunk[]): string {
  const found = chunks.flatMap(({ code, moduleIds }) => [
    ...moduleIds.flatMap((id) => packageAt(id.split("/node_modules/"))),
    ...[...code.matchAll(BROUGHT)].flatMap(([, path = ""]) => packageAt(path.split("/node_modules/"))),
  ]);
  const names = [...new Set(found)].sort();
  return names.map((name) => licenceOf(join(root, "node_modules", name))).join("\n\n");
}

/** A bundler's mark on what comes from a package. */
const BROUGHT = /^\/\/#region (\S*\/node_modules\/\S+)$/gm;

const packageAt = (parts: readonly string[]): readonly string[] => {
  const path = parts.length > 1 ? parts.at(-1) : undefined;
  return path === undefined ? [] : [path.split("/", path.startsWith("@") ? 2 : 1).join("/")];
};

const about = z.object({ name: z.string(), version: z.string(), license: z.string() });

function licenceOf(folder: string): string {
  const { name, version, license } = about.parse(
    JSON.parse(readFileSync(join(folder, "package.json"), "utf8")),
  );
  const file = ["LICENSE", "LICENSE.md", "LICENCE", "license"].find((one) => existsSync(join(folder, one)));
  if (file === undefined) throw new Error(`The package \`${name}\` has no licence to pass on.`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
}
