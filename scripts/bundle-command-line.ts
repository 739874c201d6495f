/**
 * The command line as few files, with the packages inside that every command needs: reading some two hundred
 * small files would cost a short command most of its time. The gateway's packages stay outside.
 */
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { z } from "zod";

const INSIDE = ["commander", "yaml", "zod"];

/**
 * Writes the command line to a folder, `start.js` first, and the licences of what it holds of others.
 * @returns what it imports from outside of itself.
 */
export async function bundleCommandLine(root: string, folder: string): Promise<readonly string[]> {
  const isInside = (id: string): boolean => INSIDE.some((name) => id === name || id.startsWith(`${name}/`));
  const bundle = await rolldown({
    cwd: root,
    input: { start: "src/cli/start.ts", main: "src/cli/main.ts" },
    platform: "node",
    tsconfig: false,
    external: (id) => id.startsWith("node:") || (/^[@\w]/.test(id) && !isInside(id)),
  });
  const { output } = await bundle.write({
    dir: folder,
    format: "esm",
    chunkFileNames: "[name].js",
  });
  await bundle.close();
  chmodSync(join(folder, "start.js"), 0o755);
  const chunks = output.filter((part) => part.type === "chunk");
  const modules = chunks.flatMap(({ moduleIds }) => moduleIds);
  const held = INSIDE.filter((name) => modules.some((id) => id.includes(`/node_modules/${name}/`)));
  writeFileSync(
    join(folder, "THIRD-PARTY.txt"),
    held.map((name) => licenceOf(join(root, "node_modules", name))).join("\n\n"),
  );
  const own = new Set(chunks.map(({ fileName }) => fileName));
  return chunks
    .flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports])
    .filter((id) => !own.has(id));
}

const about = z.object({ name: z.string(), version: z.string(), license: z.string() });

function licenceOf(folder: string): string {
  const { name, version, license } = about.parse(
    JSON.parse(readFileSync(join(folder, "package.json"), "utf8")),
  );
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, "LICENSE"), "utf8").trim()}\n`;
}
