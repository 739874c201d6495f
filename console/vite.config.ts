/** Builds the console into `dist`, which the gateway serves; in development, serves it before a running gateway. */
import { join, resolve } from "node:path";
import { defineConfig, type Plugin } from "vite";
import { licencesOf } from "../scripts/licences.ts";

const ROOT = resolve(import.meta.dirname, "..");
const GATEWAY = process.env.SLUICEGATE_URL ?? "http://127.0.0.1:7311";

const proxied = {
  target: GATEWAY,
  changeOrigin: true,
  // The gateway takes browsers' requests from its own origin alone, and this is where the page would stand.
  headers: { origin: GATEWAY },
};

export default defineConfig(({ command }) => {
  // What a test runner or a shell says of itself would otherwise get React's slow build for developers into the page.
  if (command === "build") process.env.NODE_ENV = "production";
  return {
    root: import.meta.dirname,
    // Where the gateway's addresses begin is known only when it serves the page, and then put there.
    base: "./",
    plugins: [licences()],
    build: {
      outDir: "dist",
      emptyOutDir: true,
      target: ["chrome125", "edge125", "firefox128", "safari17.5"],
      // The page's Content-Security-Policy lets it load nothing but files of its own origin.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      sourcemap: false,
      // What the packages say about server components; there are none here.
      rolldownOptions: { checks: { moduleLevelDirective: false } },
    },
    server: {
      host: "127.0.0.1",
      port: 7312,
      strictPort: true,
      proxy: { "/v1": proxied, "/openapi.json": proxied },
    },
  };
});

/** Puts the licences of all that the build holds of others beside it. */
function licences(): Plugin {
  return {
    name: "licences",
    apply: "build",
    generateBundle(_, bundle) {
      const files = Object.values(bundle).flatMap((part) =>
        part.type === "chunk"
          ? part.moduleIds
          : part.originalFileNames.map((name) => join(ROOT, "console", name)),
      );
      this.emitFile({ type: "asset", fileName: "THIRD-PARTY.txt", source: licencesOf(ROOT, files) });
    },
  };
}
