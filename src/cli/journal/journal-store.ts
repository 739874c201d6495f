/** Opens the store that the journal's commands read. It never makes one, and never writes an entry. */
import { SluicegateError } from "../../errors/index.ts";
import type { ChainHead, JournalEntry, Store } from "../../runtime/ports/store.ts";
import { isStoreThere, openStoreAt, storePlaceOf } from "../wiring/store-file.ts";
import type { JournalOptions } from "./journal.ts";

/**
 * Opens the store, lets `read` read it, and closes it.
 * @throws SluicegateError `usage` for a store of a kind that isn't known, `not-found` where there is none.
 */
export async function withStore<T>(options: JournalOptions, read: (store: Store) => Promise<T>): Promise<T> {
  const place = storePlaceOf(options.config ?? "", options.store);
  if (!isStoreThere(place)) throw missingStore(place.file, options);
  const store = await openStoreAt(place);
  try {
    return await read(store);
  } finally {
    await store.close();
  }
}

export function missingStore(file: string, { store }: JournalOptions): SluicegateError {
  return new SluicegateError("not-found", `There is no store \`${file}\`.`, {
    why:
      store === undefined
        ? "The record lies beside the policy, and begins with the gateway's first start."
        : "The file that `--store` names is not there.",
    fix: "Name the policy with `--config`, or the store itself with `--store sqlite:FILE`.",
  });
}

/** The head of a session's chain. @throws SluicegateError `session-not-found`. */
export async function headOf(store: Store, session: string): Promise<ChainHead> {
  const head = session.isWellFormed() ? await store.head(session) : null;
  if (head !== null) return head;
  throw new SluicegateError("session-not-found", `There is no session \`${session}\` in this store.`, {
    why: "The id is mistyped, or the session is in another store.",
    fix: "`sluicegate journal show` lists the sessions of a store.",
  });
}

const PAGE = 1000;

/** A session's entries in pages, oldest first. */
export async function* pagesOf(store: Store, session: string): AsyncGenerator<readonly JournalEntry[]> {
  for (let after = 0; ; ) {
    const page = await store.read(session, after, PAGE);
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    after = last.seq;
  }
}

/** The heads of all sessions, in the order in which they were opened. */
export async function* allHeads(store: Store): AsyncGenerator<ChainHead> {
  for (let after: string | null = null; ; ) {
    const page: readonly ChainHead[] = await store.heads(after, PAGE);
    const last = page.at(-1);
    if (last === undefined) return;
    yield* page;
    after = last.session;
  }
}
