/** `sluicegate journal show`: the sessions of a store, or one session's timeline. */
import type { Label } from "../../core/index.ts";
import { textIn } from "../../json/plain-data.ts";
import { GATEWAY_CHAIN } from "../../runtime/journal/gateway-chain.ts";
import type { ChainHead, JournalEntry, Store } from "../../runtime/ports/store.ts";
import { shortLabel } from "../terminal/labels.ts";
import { type Part, printJson, printLine, printTable, shorten, styled } from "../terminal/terminal.ts";
import type { JournalOptions } from "./journal.ts";
import { labelAfter, noteOf, reasonsIn, toWireEntry } from "./journal-entry.ts";
import { allHeads, headOf, pagesOf, withStore } from "./journal-store.ts";

export function show(session: string | undefined, options: JournalOptions): Promise<void> {
  const json = options.json === true;
  return withStore(options, (store) =>
    session === undefined ? listSessions(store, json) : showSession(store, session, json),
  );
}

interface Summary {
  readonly session_id: string;
  readonly opened_at: string | null;
  readonly principal: string | null;
  readonly role: string | null;
  readonly entries: number;
  /** After the last entry that says; null where nothing was called yet. */
  readonly label: Label | null;
}

async function listSessions(store: Store, json: boolean): Promise<void> {
  const sessions: Summary[] = [];
  for await (const head of allHeads(store)) {
    if (head.session !== GATEWAY_CHAIN) sessions.push(await summarise(store, head));
  }
  if (json) return printJson({ sessions });
  if (sessions.length === 0) return printLine("There are no sessions yet.");
  const titles = ["session", "opened", "principal", "role", "entries", "label"].map((title) =>
    styled("dim", title),
  );
  printTable([titles, ...sessions.map(toRow)], 0);
}

const toRow = ({ session_id, opened_at, principal, role, entries, label }: Summary): readonly Part[] => [
  styled("bold", shorten(session_id)),
  opened_at ?? "?",
  shorten(principal ?? "?"),
  shorten(role ?? "-"),
  String(entries),
  label === null ? "nothing called yet" : shortLabel(label),
];

async function summarise(store: Store, { session, version }: ChainHead): Promise<Summary> {
  const [first] = await store.read(session, 0, 1);
  return {
    session_id: session,
    opened_at: first?.at ?? null,
    principal: textIn(first?.data, "principal"),
    role: textIn(first?.data, "role"),
    entries: version,
    label: await lastLabel(store, session, version),
  };
}

const FEW = 32;

/** Looks for the last label from the end, so that a long session costs no more than a short one. */
async function lastLabel(store: Store, session: string, version: number): Promise<Label | null> {
  for (let end = version; end > 0; end -= FEW) {
    const start = Math.max(0, end - FEW);
    const page = await store.read(session, start, end - start);
    const label = page.map(labelAfter).findLast((found) => found !== null);
    if (label) return label;
  }
  return null;
}

async function showSession(store: Store, session: string, json: boolean): Promise<void> {
  const { version } = await headOf(store, session);
  if (json) {
    const events: object[] = [];
    for await (const page of pagesOf(store, session)) events.push(...page.map(toWireEntry));
    return printJson({ session_id: session, events });
  }
  printLine(styled("bold", shorten(session)), `  ${version === 1 ? "one entry" : `${version} entries`}`);
  const toolOf = createToolMemory();
  for await (const page of pagesOf(store, session)) printTimeline(page, toolOf);
}

/** The tool of an entry; for one that names only a call, the tool that was called. */
function createToolMemory(): (entry: JournalEntry) => string {
  const tools = new Map<string, string>();
  return ({ data }) => {
    const call = textIn(data, "call");
    const tool = textIn(data, "tool");
    if (call !== null && tool !== null) tools.set(call, tool);
    return tool ?? tools.get(call ?? "") ?? "";
  };
}

function printTimeline(page: readonly JournalEntry[], toolOf: (entry: JournalEntry) => string): void {
  const rows = page.flatMap((entry) => {
    const label = labelAfter(entry);
    const notes = [noteOf(entry), ...reasonsIn(entry)].filter((note) => note !== "").map(shorten);
    return [
      [
        styled("dim", String(entry.seq)),
        entry.at,
        kindMark(entry.kind),
        shorten(toolOf(entry)),
        label === null ? "" : shortLabel(label),
        notes[0] ?? "",
      ],
      ...notes.slice(1).map((note) => ["", "", "", "", "", note]),
    ];
  });
  printTable(rows);
}

function kindMark(kind: string): Part {
  if (kind === "call-admitted") return styled("green", kind);
  if (kind === "approval-answered") return styled("bold", kind);
  if (kind === "call-refused") return styled("red", kind);
  return kind === "approval-requested" ? styled("yellow", kind) : shorten(kind);
}
