/** The licences of the packages that a bundle holds. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

/** The licence of every package that these files are of, also of those that one of them brought inside of itself. */
export function licencesOf(root: string, files: readonly string[]): string {
  const inside = files.flatMap(packagesInside).map((name) => join(root, "node_modules", name));
  const folders = new Set([...files.flatMap((file) => packageOf(file)?.folder ?? []), ...inside]);
  return [...new Set([...folders].map(licenceOf))].sort().join("\n\n");
}

/** By the marks that bundlers leave. */
const packagesInside = (file: string): readonly string[] =>
  existsSync(file)
    ? [...readFileSync(file, "utf8").matchAll(/^\/\/#region (\S+)$/gm)].flatMap(
        ([, path = ""]) => packageOf(path)?.name ?? [],
      )
    : [];

/** Which package a file is of, with its folder; undefined for what isn't a package's. */
function packageOf(path: string): { name: string; folder: string } | undefined {
  const [, above, name] = /^\0?(.*\/node_modules\/)((?:@[^/]+\/)?[^/]+)/.exec(path) ?? [];
  return name === undefined ? undefined : { name, folder: `${above}${name}` };
}

const about = z.object({ name: z.string(), version: z.string(), license: z.string() });

function licenceOf(folder: string): string {
  const { name, version, license } = about.parse(
    JSON.parse(readFileSync(join(folder, "package.json"), "utf8")),
  );
  const file = ["LICENSE", "LICENSE.md", "LICENCE", "license"].find((one) => existsSync(join(folder, one)));
  if (file === undefined) throw new Error(`The package \`${name}\` has no licence to pass on.`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
}
