/** The folder beside a policy where its gateway keeps its store and secrets, made and filled before a store is opened. */
import { randomUUID } from "node:crypto";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { SluicegateError } from "../../errors/index.ts";
import { assertPrivate, assertStoreNotLost, secretFilesOf } from "../../gateway/state/secrets.ts";
import {
  isInStateFolder,
  olderStoreOf,
  STATE_FOLDER,
  stateFileOf,
  stateStoreOf,
} from "../../gateway/state/state-files.ts";
import { openSqliteStore } from "../../stores/sqlite/sqlite.ts";
import { markFileOf } from "../../stores/store-mark.ts";
import { storeFileOf } from "./store-file.ts";

interface StateOptions {
  /** The policy file. */
  readonly config: string;
  /** As given with `--store`. */
  readonly store?: string | undefined;
  /** Is told when an older store was moved. */
  readonly log: (line: string) => void;
}

/**
 * The store's file, in a folder that is there. A store that still lies beside the policy is moved into `.sluicegate`.
 * @throws SluicegateError `usage`; `store-damaged` where only the secrets of an older store are left; `store-failed`
 * where another program has the older store open.
 */
export async function prepareStateFolder({ config, store, log }: StateOptions): Promise<string> {
  if (store === undefined && storeFileOf(config, undefined) === olderStoreOf(config)) {
    await moveOlderStore(olderStoreOf(config), stateStoreOf(config));
    log(`The store and its secrets were moved from ${dirname(olderStoreOf(config))} into ${STATE_FOLDER}/.`);
  }
  const storeFile = storeFileOf(config, store);
  makeStateFolder(storeFile);
  return storeFile;
}

/** Makes the folder where the store is the policy's own. Nothing in it is for a repository: it holds secrets. */
export function makeStateFolder(storeFile: string): void {
  if (!isInStateFolder(storeFile)) return;
  const folder = dirname(storeFile);
  // THREAT: a repository that was cloned may bring this folder, with links to where its author wants something written.
  for (const path of [folder, `${storeFile}-runners`]) {
    if (!(lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? true)) throw linkInPlace(path);
  }
  const beside = ["-wal", "-shm", "-journal"].map((end) => `${storeFile}${end}`);
  for (const path of [storeFile, markFileOf(storeFile), ...beside]) {
    if (!(lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? true)) throw linkInPlace(path);
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  assertPrivate(storeFile, "If you don't know where it comes from, delete the folder it lies in.");
  keepOutOfGit(folder);
}

/** THREAT: a `.gitignore` that came with a repository may ignore nothing, so that `git add` takes the secrets. */
function keepOutOfGit(folder: string): void {
  const file = join(folder, ".gitignore");
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found?.isDirectory()) throw linkInPlace(file);
  if (found?.isFile() && readFileSync(file, "utf8") === IGNORE_ALL) return;
  const draft = `${file}.new-${randomUUID()}`;
  try {
    writeFileSync(draft, IGNORE_ALL, { flag: "wx" });
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}

const IGNORE_ALL = "*\n";

const linkInPlace = (path: string): SluicegateError =>
  new SluicegateError("store-damaged", `\`${path}\` is a link, or something else than it should be.`, {
    why: "A store is written only where it seems to lie; a link may lead anywhere.",
    fix: "Remove it, or name the store with `--store sqlite:FILE`.",
  });

async function moveOlderStore(older: string, store: string): Promise<void> {
  // The last program that closes a store leaves no log behind; a log that is still there has another reader.
  assertStoreNotLost(older);
  for (const file of [...secretFilesOf(older), ...secretFilesOf(store)]) assertPrivate(file);
  await openSqliteStore(older, { mustExist: true }).close();
  if (existsSync(`${older}-wal`)) throw olderStoreInUse(older);
  makeStateFolder(store);
  // INVARIANT: the database moves last. Where this is cut off before that, the next start finds the older store again.
  for (const kind of ["token", "key"] as const)
    moveIfThere(stateFileOf(older, kind), stateFileOf(store, kind));
  moveIfThere(markFileOf(older), markFileOf(store));
  rmSync(stateFileOf(older, "sock"), { force: true });
  renameSync(older, store);
}

const moveIfThere = (from: string, to: string): void => {
  if (existsSync(from)) renameSync(from, to);
};

const olderStoreInUse = (older: string): SluicegateError =>
  new SluicegateError("store-failed", `The store ${older} can't be moved into ${STATE_FOLDER}/.`, {
    why: "Another program has it open, perhaps a gateway of an older version.",
    fix: `Stop that program and start again, or go on where it lies with \`--store sqlite:${older}\`.`,
  });
