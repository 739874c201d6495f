/**
 * Questions that the agent asks its own user. Each is stored until the agent reports that the call has run, which
 * means that the user approved it. The examination is stored too, since the call may have changed the files by then.
 */
import { type AskCause, PATH_CAUSES } from "../../core/index.ts";
import { parseJson } from "../../json/parse-json.ts";
import { listIn, propertyOf, textIn } from "../../json/plain-data.ts";
import type { Session, Store, Target } from "../../runtime/index.ts";

/** A question to the agent's user. */
export interface AskedClient {
  readonly approval: string;
  /** The agent's id of the call. */
  readonly use: string;
  readonly asks: readonly AskCause[];
  readonly targets: readonly Target[];
}

const KEY = "hook-asked:";

/** Stores it beside the session's journal. */
export const keepAsked = (store: Store, session: string, asked: AskedClient): Promise<void> =>
  keep(store, session, asked.approval, JSON.stringify(asked));

/** The question about this call; null if there is none. */
export async function findAsked(
  store: Store,
  { id, state }: Session,
  use: string,
): Promise<AskedClient | null> {
  for (const one of [...state.pending, ...state.answers].toReversed()) {
    const value = await store.kept(id, KEY + one.id);
    const asked = value === null ? null : readAsked(parseJson(value));
    if (asked?.use === use) return asked;
  }
  return null;
}

export const forgetAsked = (store: Store, session: string, { approval }: AskedClient): Promise<void> =>
  keep(store, session, approval, null);

const MAX_ATTEMPTS = 100;

/** Stores a value beside the journal, without an entry. */
async function keep(store: Store, session: string, approval: string, value: string | null): Promise<void> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const head = await store.head(session);
    const { status } = await store.append(session, head?.version ?? 0, [], [{ key: KEY + approval, value }]);
    if (status === "appended") return;
  }
  throw new Error("The session's journal never came to rest.");
}

function readAsked(value: unknown): AskedClient | null {
  const [approval, use] = [textIn(value, "approval"), textIn(value, "use")];
  if (approval === null || use === null) return null;
  const asks = listIn(value, "asks").flatMap((ask) => PATH_CAUSES.find((cause) => cause === ask) ?? []);
  return { approval, use, asks, targets: listIn(value, "targets").flatMap(readTarget) };
}

function readTarget(value: unknown): readonly Target[] {
  const path = textIn(value, "path");
  if (path === null) return [];
  const content = propertyOf(value, "content");
  return [{ path, ...(content === null || typeof content === "string" ? { content } : {}) }];
}
