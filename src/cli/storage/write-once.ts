/** Writes a file that is there whole or not at all, and that never replaces another one. */
import { randomUUID } from "node:crypto";
import { closeSync, existsSync, linkSync, openSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { SluicegateError } from "../../errors/index.ts";
import { syncFile } from "../../stores/sqlite/sqlite-file.ts";

/** `fill` is given an empty file, readable by its owner alone. @throws SluicegateError `usage` for a file that is there already */
export async function writeOnce<T>(file: string, fill: (draft: string) => Promise<T>): Promise<T> {
  assertFree(file);
  const draft = `${file}.new-${randomUUID()}`;
  try {
    closeSync(openSync(draft, "wx", 0o600));
    const filled = await fill(draft);
    syncFile(draft);
    assertFree(file);
    linkSync(draft, file);
    if (process.platform !== "win32") syncFile(dirname(file));
    return filled;
  } finally {
    rmSync(draft, { force: true });
  }
}

export function assertFree(file: string): void {
  if (!existsSync(file) && existsSync(dirname(file))) return;
  throw new SluicegateError("usage", `\`${file}\` can't be written.`, {
    why: existsSync(file)
      ? "A file is there already, and nothing is written over it."
      : "Its folder isn't there.",
    fix: existsSync(file) ? "Name another file." : "Make the folder, or name another file.",
  });
}
