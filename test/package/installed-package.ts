/** The package as others get it: built, packed, and installed into a project that has the library's examples alone. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";

export const ROOT = resolve(import.meta.dirname, "../..");

export interface InstalledPackage {
  /** The packed file. */
  readonly tarball: string;
  /** The files in it, by their paths in the package. */
  readonly files: readonly string[];
  /** The project that it is installed in. */
  readonly project: string;
  /** Where it lies in that project. */
  readonly folder: string;
  /** Runs Node or npm in the project; returns what was printed. Throws where it fails. */
  node(...args: readonly string[]): string;
  npm(...args: readonly string[]): string;
  remove(): void;
}

/** Builds, packs and installs; takes seconds. */
export function installPackage(): InstalledPackage {
  const home = mkdtempSync(join(tmpdir(), "sluicegate-package-"));
  const [built, packed, project] = ["built", "packed", "project"].map((name) => join(home, name));
  if (!built || !packed || !project) throw new TypeError("A folder is missing.");
  for (const folder of [packed, project]) mkdirSync(folder);
  const node = (...args: readonly string[]) => execute(project, process.execPath, args);
  const npm = (...args: readonly string[]) => execute(project, "npm", ["--prefix", project, ...args]);

  node(join(ROOT, "scripts/build.ts"), built);
  const [about] = JSON.parse(npm("pack", built, "--pack-destination", packed, "--json"));
  const tarball = join(packed, about.filename);
  writeFileSync(join(project, "package.json"), '{ "name": "empty", "private": true, "type": "module" }\n');
  npm("install", tarball, "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund");
  cpSync(join(ROOT, "examples/library"), project, { recursive: true });
  return {
    tarball,
    files: about.files.map(({ path }: { path: string }) => path).sort(),
    project,
    folder: join(project, "node_modules/sluicegate"),
    node,
    npm,
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}

function execute(cwd: string, program: string, args: readonly string[]): string {
  // An outer npm says where its own project lies; the inner one must not take that for the empty one.
  // Certificates stay: behind a proxy that ends TLS, npm would wait for ever without them.
  const inherited = Object.entries(process.env).filter(
    ([name]) =>
      name === "NODE_EXTRA_CA_CERTS" ||
      !/^(npm_(config_(local_)?prefix|package_|lifecycle_)|INIT_CWD|NODE_)/.test(name),
  );
  const PATH = `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ""}`;
  const env = { ...Object.fromEntries(inherited), PATH };
  return execFileSync(program, args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}
