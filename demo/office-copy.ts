/** A throw-away copy of the office example, so that what is written and what is remembered leaves no trace. */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "..");
const FILES = /\.(ts|json|yaml)$|[\\/]data([\\/]|$)|[\\/]office$/;

export interface OfficeCopy {
  readonly policy: string;
  readonly store: string;
  /** What the outside world has written down in one of its files. */
  arrived(file: "searches.jsonl" | "chat.jsonl" | "forge.jsonl"): readonly string[];
  /** A document as it is now; null where there is none. */
  document(path: string): string | null;
  remove(): void;
}

/** Copies the office to a temporary folder. */
export function createOfficeCopy(): OfficeCopy {
  const folder = mkdtempSync(join(tmpdir(), "sluicegate-demo-"));
  const office = join(folder, "office");
  cpSync(join(ROOT, "examples/office"), office, { recursive: true, filter: (source) => FILES.test(source) });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const state = join(office, "state");
  const read = (file: string): string | null => (existsSync(file) ? readFileSync(file, "utf8") : null);
  return {
    policy: join(office, "sluicegate.yaml"),
    store: join(folder, "sluicegate.db"),
    arrived: (file) => (read(join(state, file)) ?? "").split("\n").filter((line) => line !== ""),
    document: (path) => read(join(office, "data/documents", path)),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
