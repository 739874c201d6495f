/** The published `package.json`, made from the checkout's, so that the two can't disagree. */
import { z } from "zod";

const checkout = z.object({
  name: z.string(),
  version: z.string(),
  description: z.string(),
  license: z.string(),
  type: z.literal("module"),
  exports: z.record(z.string(), z.string().regex(/^\.\/src\/.*\.ts$/)),
  dependencies: z.record(z.string(), z.string()),
  devDependencies: z.record(z.string(), z.string()),
});

/** What adapters, PostgreSQL and telemetry import: whoever uses one has it already, and nobody else needs it. */
const OPTIONAL_PEERS: ReadonlySet<string> = new Set([
  "ai",
  "@openai/agents",
  "langchain",
  "@langchain/core",
  "@langchain/langgraph",
  "pg",
  "libpg-query",
  "@opentelemetry/api",
  "@opentelemetry/exporter-metrics-otlp-http",
  "@opentelemetry/exporter-trace-otlp-http",
  "@opentelemetry/resources",
  "@opentelemetry/sdk-metrics",
  "@opentelemetry/sdk-trace-base",
]);

/** SDKs that an adapter knows by their shapes alone, with the version that it is tried with. */
export type KnownByShape = Readonly<Record<string, string>>;

/**
 * The manifest of the package whose code imports these packages.
 * @throws where one of them is no dependency of the checkout.
 */
export function toManifest(
  sources: unknown,
  packages: readonly string[],
  knownByShape: KnownByShape,
): object {
  const { name, version, description, license, type, exports, dependencies, devDependencies } =
    checkout.parse(sources);
  // The tests run with the pinned version, so that is the oldest.
  const peers = [
    ...[...OPTIONAL_PEERS].map((peer) => [peer, devDependencies[peer]]),
    ...Object.entries(knownByShape),
  ]
    .map(([peer, version]): [string, string] => [String(peer), `^${version}`])
    .sort();
  const pinned = (one: string): [string, string] => {
    const pin = dependencies[one];
    if (pin === undefined) throw new Error(`The package imports \`${one}\`, which is no dependency.`);
    return [one, pin];
  };
  return {
    name,
    version,
    description,
    license,
    type,
    // A checkout runs with the Node that its own packages bring; whoever installs the package brings theirs.
    engines: { node: ">=24" },
    sideEffects: false,
    exports: Object.fromEntries(
      Object.entries(exports).map(([subpath, source]) => [subpath, toPublished(source)]),
    ),
    bin: { [name]: "lib/cli/start.js" },
    files: ["lib", "console", "docs", "examples", "CHANGELOG.md", "SECURITY.md", "sbom.cdx.json"],
    dependencies: Object.fromEntries(packages.filter((one) => !OPTIONAL_PEERS.has(one)).map(pinned)),
    peerDependencies: Object.fromEntries(peers),
    peerDependenciesMeta: Object.fromEntries(peers.map(([peer]) => [peer, { optional: true }])),
  };
}

function toPublished(source: string): object {
  const path = source.replace(/^\.\/src\//, "./lib/").replace(/\.ts$/, "");
  return { types: `${path}.d.ts`, default: `${path}.js` };
}

/** What code imports, by its `import` and `export` lines; TypeScript writes them one to a line. */
export function importsOf(text: string): readonly string[] {
  const found = text.matchAll(/^(?:import|export) (?:[^"\n]* from )?"([^"]+)";$|\bimport\("([^"]+)"\)/gm);
  return [...found].map(([, named, inline]) => named ?? inline ?? "");
}

/** The packages of what is imported, by name, in order; files of our own and Node's modules are none. */
export function packagesOf(imports: readonly string[]): readonly string[] {
  const names = imports
    .filter((specifier) => !/^(\.|node:)/.test(specifier))
    .map((specifier) => specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/"));
  return [...new Set(names)].sort();
}
