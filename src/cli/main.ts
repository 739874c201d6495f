/** The entry of the command line: keeps what V8 compiled from one start to the next, then loads the program. */
import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

// THREAT: the cache is code; it lies in the checkout, and not in a folder that other users can write to.
if (import.meta.url.endsWith(".ts")) {
  enableCompileCache(fileURLToPath(new URL("../../node_modules/.cache/sluicegate", import.meta.url)));
}

const { run } = await import("./program.ts");
await run(process.argv.slice(2));
