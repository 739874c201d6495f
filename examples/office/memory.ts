/**
 * `@modelcontextprotocol/server-memory` over stdio, with its file in the state
 * folder. It needs an absolute path: a relative one is taken from where the
 * package lies in `node_modules`.
 */
import { join } from "node:path";
import { openStateFolder } from "./state-folder.ts";

process.env.MEMORY_FILE_PATH ||= join(openStateFolder(), "memory.jsonl");
await import(import.meta.resolve("@modelcontextprotocol/server-memory/dist/index.js"));
