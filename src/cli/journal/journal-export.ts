/** `sluicegate journal export`: every entry as a line of JSON. */
import type { Store } from "../../runtime/ports/store.ts";
import { printJson, printJsonLines } from "../terminal/terminal.ts";
import type { JournalOptions } from "./journal.ts";
import { toExported } from "./journal-entry.ts";
import { headOf, pagesOf, withStore } from "./journal-store.ts";

export function exportEntries(session: string | undefined, options: JournalOptions): Promise<void> {
  return withStore(options, async (store) => {
    const pages = session === undefined ? allEntries(store) : sessionEntries(store, session);
    const events: object[] = [];
    for await (const page of pages) {
      if (options.json) events.push(...page);
      else await printJsonLines(page);
    }
    if (options.json) printJson({ events });
  });
}

const PAGE = 1000;

async function* allEntries(store: Store): AsyncGenerator<readonly object[]> {
  for (let after = 0; ; ) {
    const page = await store.feed(after, PAGE);
    const last = page.at(-1);
    if (last === undefined) return;
    yield page.map(({ session, entry }) => toExported(session, entry));
    after = last.position;
  }
}

async function* sessionEntries(store: Store, session: string): AsyncGenerator<readonly object[]> {
  await headOf(store, session);
  for await (const page of pagesOf(store, session)) yield page.map((entry) => toExported(session, entry));
}
