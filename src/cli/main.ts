/** The entry of the command line: keeps what V8 compiled from one start to the next, then loads the program. */
import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

// THREAT: the cache is code; it lies in the checkout's or the package's own folder, and not in one that other users
// can write to. Where that can't be written, Node goes on without.
enableCompileCache(fileURLToPath(new URL("../../node_modules/.cache/sluicegate", import.meta.url)));

const { run } = await import("./program.ts");
await run(process.argv.slice(2));
