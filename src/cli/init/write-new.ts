/** Writes a file that wasn't there, or replaces it where that is wanted: all of it or nothing, and durably. */
import { randomBytes } from "node:crypto";
import { link, rename, rm, writeFile } from "node:fs/promises";
import { SluicegateError } from "../../errors/index.ts";

export async function writeNew(path: string, text: string, replace: boolean, mode = 0o666): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    await writeFile(draft, text, { flag: "wx", flush: true, mode });
    // A link takes no name that something else has by now.
    await (replace ? rename(draft, path) : link(draft, path));
  } catch (cause) {
    if (cause instanceof Error && Reflect.get(cause, "code") === "EEXIST") throw alreadyThere(path);
    throw new SluicegateError("usage", `\`${path}\` could not be written.`, {
      why: cause instanceof Error ? cause.message : "The system said no.",
      fix: "Name another file with `--out`.",
      cause,
    });
  } finally {
    await rm(draft, { force: true });
  }
}

export const alreadyThere = (path: string): SluicegateError =>
  new SluicegateError("usage", `\`${path}\` is there already.`, {
    why: "A file that somebody may have written is not replaced unasked.",
    fix: "Name another file with `--out`, or give `--force`. `sluicegate classify` proposes what an existing policy lacks.",
  });
