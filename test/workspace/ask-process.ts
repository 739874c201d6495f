/**
 * Asks in a process of its own, whose environment and folder the caller chose; prints the answers as JSON.
 * It doesn't exit by itself: asking must leave nothing behind that keeps a program alive.
 */
import { askEverything } from "./ask-everything.ts";

const answers = await askEverything(JSON.parse(process.argv[2] ?? ""));
process.stdout.write(JSON.stringify(answers));
