/** Writes a policy and its env file: all of a file or nothing, durably, and the env file for this user alone. */
import { randomBytes } from "node:crypto";
import { link, lstat, rename, rm, writeFile } from "node:fs/promises";
import { SluicegateError } from "../../errors/index.ts";
import { type EnvFile, readEnvFile } from "../../policy-file/internal.ts";

/** Writes a file that isn't there, or replaces it where that is wanted. */
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

/** The env file that is there already. Throws as `readEnvFile` does, and where it is a link. */
export async function findEnvFile(path: string): Promise<EnvFile | null> {
  const stats = await lstat(path).catch(() => null);
  // THREAT: a project that was cloned chose where it leads, and secrets would be written there.
  if (stats?.isSymbolicLink())
    throw new SluicegateError("usage", `\`${path}\` is a link.`, {
      why: "Secrets are written there, and the link may lead anywhere.",
      fix: "Put a file in its place, or name another policy with `--out`.",
    });
  return readEnvFile(path);
}

/** Writes the env file in one piece, where it is to say something new. */
export async function writeEnvFile(path: string, text: string, before: EnvFile | null): Promise<void> {
  if (text === (before?.text ?? "")) return;
  await writeNew(path, text, before !== null, 0o600);
}
