/** The licences of the packages that a bundle holds. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

/** The licence of every package that these files are of, also of those that one of them brought inside of itself. */
export function licencesOf(root: string, files: readonly string[]): string {
  const found = files.flatMap((file) => [...packageOf(file), ...packagesInside(file)]);
  const names = [...new Set(found)].sort();
  return names.map((name) => licenceOf(join(root, "node_modules", name))).join("\n\n");
}

/** By the marks that bundlers leave. */
const packagesInside = (file: string): readonly string[] =>
  existsSync(file)
    ? [...readFileSync(file, "utf8").matchAll(/^\/\/#region (\S+)$/gm)].flatMap(([, path = ""]) =>
        packageOf(path),
      )
    : [];

/** None for what isn't a package's. */
function packageOf(path: string): readonly string[] {
  const [, ...places] = path.split("/node_modules/");
  const inside = places.at(-1);
  return inside === undefined ? [] : [inside.split("/", inside.startsWith("@") ? 2 : 1).join("/")];
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
