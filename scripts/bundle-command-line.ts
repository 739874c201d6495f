/**
 * The command line as few files, with its packages inside: finding and reading some three hundred small files would
 * cost a short command, and the start of a gateway, most of its time.
 */
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Plugin, rolldown } from "rolldown";
import { licencesOf } from "./licences.ts";

/** Writes the command line to a folder, `start.js` first, and the licences of what it holds of others. */
export async function bundleCommandLine(root: string, folder: string): Promise<void> {
  const bundle = await rolldown({
    cwd: root,
    input: {
      start: "src/cli/start.ts",
      main: "src/cli/main.ts",
      // A program of its own, which the workspace starts from beside the rest.
      "runner-process": "src/providers/workspace/git/runner-process.ts",
      // And one that reads a SQLite database.
      "sqlite-process": "src/providers/sql/sqlite/sqlite-process.ts",
      // Threads of their own.
      "answer-worker": "src/providers/openapi/exchange/answer-worker.ts",
      "scan-worker": "src/detectors/scan-worker.ts",
      "writer-thread": "src/stores/sqlite/writer-thread.ts",
      "statement-worker": "src/providers/sql/postgres/parsing/statement-worker.ts",
    },
    platform: "node",
    // `main` of jsonc-parser is UMD, whose `require` of its own files no bundler can follow.
    resolve: { mainFields: ["module", "main"] },
    tsconfig: false,
    // Drivers are the user's, who has a database of that kind; the others find their files from where they lie.
    external: [/^node:/, "@vscode/ripgrep", "pg", "libpg-query", /^@secretlint\//, /^@opentelemetry\//],
    plugins: [lazyValidator(root)],
  });
  const { output } = await bundle.write({
    dir: folder,
    format: "esm",
    chunkFileNames: "[name].js",
  });
  await bundle.close();
  chmodSync(join(folder, "start.js"), 0o755);
  const files = output.flatMap((part) => (part.type === "chunk" ? part.moduleIds : []));
  writeFileSync(join(folder, "THIRD-PARTY.txt"), licencesOf(root, files));
}

const lazyValidator = (root: string): Plugin => ({
  name: "lazy-validator",
  resolveId: (id) =>
    /^@modelcontextprotocol\/(client|server)\/_shims$/.test(id)
      ? join(root, "scripts/lazy-schema-validator.ts")
      : null,
});
