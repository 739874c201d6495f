/**
 * Builds the package that is published: `npm run build` writes it whole to `dist`, `npm run build -- FOLDER` to a
 * new folder. The checkout itself stays private, so that nobody publishes sources by mistake.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { bundleCommandLine } from "./bundle-command-line.ts";
import { copyPages } from "./copy-pages.ts";
import { importsOf, packagesOf, toManifest } from "./manifest.ts";

const ROOT = resolve(import.meta.dirname, "..");

const out = emptyFolder(process.argv[2]);
const imports = compileLibrary(join(out, "lib"));
await bundleCommandLine(ROOT, join(out, "lib/cli"));
buildConsole(join(out, "console/dist"));
copyPages(ROOT, out);
writeManifest(packagesOf(imports));
writeBillOfMaterials();
console.log(`Built ${relative(process.cwd(), out)}: ${filesIn(out, "").length} files.`);

/** `dist`, cleaned; any other folder must not hold anything yet. */
function emptyFolder(given: string | undefined): string {
  const folder = given === undefined ? join(ROOT, "dist") : resolve(given);
  if (given === undefined) rmSync(folder, { recursive: true, force: true });
  else if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new Error(`\`${folder}\` is not empty. The package is built into \`dist\` or into a new folder.`);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** What the entries reach, and so no test, as JavaScript and as declarations; returns what these import. */
function compileLibrary(lib: string): string[] {
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  const args = [compiler, "--project", join(ROOT, "tsconfig.build.json"), "--outDir", lib];
  execFileSync(process.execPath, args, { stdio: "inherit" });
  // The compiler rewrites the endings of imports in JavaScript, and leaves those in declarations alone.
  for (const file of filesIn(lib, ".d.ts")) {
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replaceAll(/(\b(?:from|import)\s*\(?\s*"\.{1,2}\/[^"]+)\.ts"/g, '$1.js"'));
  }
  return [".js", ".d.ts"].flatMap((ending) =>
    filesIn(lib, ending).flatMap((file) => importsOf(readFileSync(file, "utf8"))),
  );
}

/** Afresh, so that no old build of a checkout gets into a package; its licences are made with it. */
function buildConsole(folder: string): void {
  const bundler = join(ROOT, "node_modules/vite/bin/vite.js");
  const args = [bundler, "build", "console", "--outDir", folder, "--emptyOutDir", "--logLevel", "warn"];
  execFileSync(process.execPath, args, { cwd: ROOT, stdio: "inherit" });
}

function writeManifest(packages: readonly string[]): void {
  const read = (file: string) => JSON.parse(readFileSync(join(ROOT, file), "utf8"));
  // It is too big to be installed here; a script of its own runs its adapter.
  const { dependencies: knownByShape } = read("test/claude-agent/package.json");
  const manifest = toManifest(read("package.json"), packages, knownByShape);
  writeFileSync(join(out, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}

interface BillOfMaterials {
  readonly metadata: { readonly component: { name: string } };
  components: readonly { readonly "bom-ref": string }[];
  dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

/** What runs with the package, by name, version and digest: https://cyclonedx.org */
function writeBillOfMaterials(): void {
  const { version, dependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const args = ["sbom", "--package-lock-only", "--sbom-format=cyclonedx", "--loglevel=error"];
  const bill: BillOfMaterials = JSON.parse(
    execFileSync("npm", args, { cwd: ROOT, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 }),
  );
  // npm lists the tools of the checkout too, and with `--omit=dev` leaves out what those share with the package.
  const direct = Object.entries(dependencies).map(([name, pin]) => `${name}@${pin}`);
  const below = new Map(bill.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const shipped = new Set(direct);
  for (const ref of shipped) for (const one of below.get(ref) ?? []) shipped.add(one);
  const root = `sluicegate@${version}`;
  bill.metadata.component.name = "sluicegate";
  bill.components = bill.components.filter((one) => shipped.has(one["bom-ref"]));
  bill.dependencies = [
    { ref: root, dependsOn: direct },
    ...bill.dependencies.filter(({ ref }) => shipped.has(ref)),
  ];
  writeFileSync(join(out, "sbom.cdx.json"), `${JSON.stringify(bill, null, 2)}\n`);
}

function filesIn(folder: string, ending: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => join(entry.parentPath, entry.name));
}
