/** The entry of the command line: keeps what V8 compiled from one start to the next, then loads the program. */
import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";
import { replaceJsonParse } from "../json/parse-json.ts";

// THREAT: the cache is code; it lies in the checkout's or the package's own folder, and not in one that other users
// can write to. Where that can't be written, Node goes on without.
enableCompileCache(fileURLToPath(new URL("../../node_modules/.cache/sluicegate", import.meta.url)));

// The packages that read tokens and servers' answers read names as they are written, too.
replaceJsonParse();

const [command, agent, ...words] = process.argv.slice(2);
if (command === "hook" && agent === "claude-code" && !words.some((word) => /^(?:-h|--help)$/.test(word))) {
  // It stands before every call of an agent, so the program with its commands isn't loaded for it.
  const { runHook } = await import("./hook/hook-process.ts");
  await runHook(words);
} else {
  const { run } = await import("./program.ts");
  await run(process.argv.slice(2));
}
