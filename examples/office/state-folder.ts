/** Where the example keeps what it writes: the folder in `OFFICE_STATE`, or `state` beside this file. */
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";

/** The absolute path of the folder, which exists afterwards. */
export function openStateFolder(): string {
  const folder = resolve(process.env.OFFICE_STATE || join(import.meta.dirname, "state"));
  mkdirSync(folder, { recursive: true });
  return folder;
}
