/** Whether a repository contains a file, read from its index: git needn't be installed where a gateway runs. */
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";

/** Whether git tracks a file in the repository around it. */
export function isTracked(file: string): boolean {
  const folder = realpathSync(dirname(file));
  const found = findRepository(folder);
  if (found === null) return false;
  const path = relative(found.root, join(folder, basename(file)))
    .split(sep)
    .join("/");
  return found.indexes.some((index) => holdsPath(readFileSync(index), path, found.hashLength));
}

interface Repository {
  readonly root: string;
  /** Its index; for a split index, the shared parts too. */
  readonly indexes: readonly string[];
  readonly hashLength: number;
}

function findRepository(folder: string): Repository | null {
  const place = join(folder, ".git");
  if (!existsSync(place)) return dirname(folder) === folder ? null : findRepository(dirname(folder));
  // In a worktree or a submodule, `.git` is a file that names the folder.
  const named = statSync(place).isFile() ? /^gitdir: (.+)$/m.exec(readFileSync(place, "utf8"))?.[1] : null;
  const own = resolve(folder, named ?? ".git");
  const common = join(own, "commondir");
  const config = join(existsSync(common) ? resolve(own, readFileSync(common, "utf8").trim()) : own, "config");
  const isSha256 = existsSync(config) && /objectformat\s*=\s*sha256/i.test(readFileSync(config, "utf8"));
  const names = existsSync(own) && statSync(own).isDirectory() ? readdirSync(own) : [];
  return {
    root: folder,
    indexes: names.filter((name) => /^(?:index|sharedindex\..*)$/.test(name)).map((name) => join(own, name)),
    hashLength: isSha256 ? 32 : 20,
  };
}

const HEADER_LENGTH = 12;
/** Times, device, inode, mode, owner and size. */
const STAT_LENGTH = 40;
const EXTENDED = 0x40_00;

/** Whether an index contains a path, ignoring case, as some file systems do. The format is in `gitformat-index`. */
function holdsPath(index: Buffer, path: string, hashLength: number): boolean {
  const sought = path.toLowerCase();
  const version = index.readUInt32BE(4);
  let at = HEADER_LENGTH;
  let name = "";
  for (let left = index.readUInt32BE(8); left > 0 && at < index.length; left -= 1) {
    const start = at;
    at += STAT_LENGTH + hashLength;
    at += index.readUInt16BE(at) & EXTENDED ? 4 : 2;
    let kept = 0;
    if (version >= 4) {
      const strip = readOffset(index, at);
      at = strip.end;
      kept = name.length - strip.value;
    }
    const end = index.indexOf(0, at);
    // As bytes, so that lengths are those of the index.
    name = name.slice(0, kept) + index.toString("latin1", at, end);
    at = version >= 4 ? end + 1 : start + (Math.floor((end - start) / 8) + 1) * 8;
    if (Buffer.from(name, "latin1").toString().toLowerCase() === sought) return true;
  }
  return false;
}

/** A number of variable length, as git writes offsets. */
function readOffset(index: Buffer, at: number): { readonly value: number; readonly end: number } {
  let end = at;
  let byte = index.readUInt8(end++);
  let value = byte & 0x7f;
  while (byte & 0x80) {
    byte = index.readUInt8(end++);
    value = (value + 1) * 128 + (byte & 0x7f);
  }
  return { value, end };
}
