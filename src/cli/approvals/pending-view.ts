/**
 * The live view of approvals as a state: what is shown, how far it was read, what a key does. It draws nothing and
 * asks nobody; what is to be done besides comes out as effects. Times are milliseconds of a clock that never jumps.
 */

import { type Part, styled } from "../terminal/terminal.ts";
import { MAX_WHY_LENGTH } from "./approvals-source.ts";
import type { WireApproval } from "./parse-approval.ts";

/** A key as Node's `readline` tells of it. */
export interface Key {
  readonly name?: string | undefined;
  readonly sequence?: string | undefined;
  readonly ctrl?: boolean | undefined;
  readonly meta?: boolean | undefined;
}

export interface View {
  /** One of each session, oldest first. */
  readonly approvals: readonly WireApproval[];
  readonly shown: WireApproval | null;
  /** Counts what was shown: another approval, or another content, is another revision. */
  readonly revision: number;
  /** Since when the present revision is on the terminal and no key was pressed too soon; null before it is. */
  readonly quietSince: number | null;
  /** Whether the end of the present revision was on the terminal. */
  readonly isRead: boolean;
  /** The first line that is shown of it. */
  readonly top: number;
  /** What is typed as the reason of a denial, and of which; null while none is asked for. */
  readonly reason: { readonly id: string; readonly text: string } | null;
  /** The approval whose answer is on its way. */
  readonly answering: string | null;
  /** Inside of a pasted text, which is no keys. */
  readonly isPasting: boolean;
  /** What happened last. */
  readonly word: Part;
}

export type ViewEvent =
  | { readonly kind: "listed"; readonly approvals: readonly WireApproval[] }
  | { readonly kind: "drawn"; readonly revision: number; readonly isEnd: boolean; readonly now: number }
  | { readonly kind: "key"; readonly key: Key; readonly now: number; readonly page: PageSize }
  | { readonly kind: "resized" }
  | { readonly kind: "answered"; readonly id: string; readonly word: Part }
  | { readonly kind: "failed"; readonly id: string; readonly word: Part }
  | { readonly kind: "told"; readonly word: Part };

/** What there is to scroll through. */
export interface PageSize {
  /** Lines that are shown at once. */
  readonly height: number;
  readonly lines: number;
}

export type Effect =
  | { readonly kind: "leave" }
  | {
      readonly kind: "answer";
      readonly approval: WireApproval;
      readonly answer: "approved" | "denied";
      readonly why?: string;
    }
  /** What was shown waits no more, and nobody here answered it. */
  | { readonly kind: "gone"; readonly approval: WireApproval };

export interface Step {
  readonly view: View;
  readonly effects: readonly Effect[];
}

/** A view of nothing yet. */
export const emptyView: View = Object.freeze({
  approvals: [],
  shown: null,
  revision: 0,
  quietSince: null,
  isRead: false,
  top: 0,
  reason: null,
  answering: null,
  isPasting: false,
  word: "",
});

/** A key that comes sooner after an approval was drawn was meant for what was there before. */
export const QUIET_MS = 400;

/** The view after something happened, and what is to be done. */
export function step(view: View, event: ViewEvent): Step {
  switch (event.kind) {
    case "listed":
      return list(view, event.approvals);
    case "drawn":
      return only(draw(view, event));
    case "key":
      return press(view, event);
    case "resized":
      // Other lines stand at that number now, and none may be passed over.
      return only({ ...view, top: 0 });
    case "answered":
      return only({ ...leaveOut(view, event.id), answering: null, word: event.word });
    case "failed":
      return only({ ...view, answering: null, word: event.word });
    case "told":
      return only({ ...view, word: event.word });
  }
}

const only = (view: View): Step => ({ view, effects: [] });

function list(view: View, approvals: readonly WireApproval[]): Step {
  const { shown, answering } = view;
  const found = approvals.find(({ id }) => id === shown?.id);
  if (shown === null || found) return only(show({ ...view, approvals }, found ?? approvals[0] ?? null));
  const next = show({ ...view, approvals }, nextAfter(view, approvals));
  return { view: next, effects: shown.id === answering ? [] : [{ kind: "gone", approval: shown }] };
}

/** Shows an approval; one with the same content stays as it is, with all that was read of it. */
function show(view: View, approval: WireApproval | null): View {
  const isSame = view.shown !== null && approval !== null && contentOf(view.shown) === contentOf(approval);
  if (view.shown === null && approval === null) return view;
  if (isSame) return { ...view, shown: { ...approval, arguments: view.shown.arguments } };
  return {
    ...view,
    shown: approval,
    revision: view.revision + 1,
    quietSince: null,
    isRead: false,
    top: 0,
  };
}

/** What a person judges of an approval. */
const contentOf = (approval: WireApproval): string =>
  JSON.stringify({ ...approval, status: "", waiting_behind: 0 });

/** The next one of the same session, else what has come to its place in the list. */
function nextAfter(
  { approvals: before, shown }: View,
  approvals: readonly WireApproval[],
): WireApproval | null {
  const place = before.findIndex(({ id }) => id === shown?.id);
  const sameSession = approvals.find(({ session_id }) => session_id === shown?.session_id);
  return sameSession ?? approvals[Math.min(Math.max(place, 0), approvals.length - 1)] ?? null;
}

function leaveOut(view: View, id: string): View {
  const approvals = view.approvals.filter((approval) => approval.id !== id);
  if (view.shown?.id !== id) return { ...view, approvals };
  return show({ ...view, approvals }, nextAfter(view, approvals));
}

function draw(view: View, { revision, isEnd, now }: ViewEvent & { readonly kind: "drawn" }): View {
  // What was drawn of another revision says nothing of this one.
  if (revision !== view.revision) return view;
  return { ...view, quietSince: view.quietSince ?? now, isRead: view.isRead || isEnd };
}

type KeyEvent = ViewEvent & { readonly kind: "key" };

function press(view: View, event: KeyEvent): Step {
  const { key } = event;
  if (key.ctrl && key.name === "c") return { view, effects: [{ kind: "leave" }] };
  if (key.name === "paste-start" || key.name === "paste-end") {
    return only({ ...view, isPasting: key.name === "paste-start" });
  }
  if (view.reason !== null) return typeReason(view, view.reason, event);
  // THREAT: pasted text may hold any key, and nobody has meant it for this view.
  if (view.isPasting || key.ctrl || key.meta) return only(view);
  if (key.name === "q") return { view, effects: [{ kind: "leave" }] };
  if (key.sequence === "a") return approve(view, event.now);
  if (key.sequence === "d") return only(askReason(view, event.now));
  return only(move(view, event));
}

function approve(view: View, now: number): Step {
  const { shown } = view;
  const refused = whyNot(view, now);
  if (shown === null || refused !== null) return only(refuse(view, refused ?? "", now));
  if (!view.isRead) {
    return only({ ...view, word: styled("yellow", "Not yet: scroll to its end first, with space.") });
  }
  return answer(view, { kind: "answer", approval: shown, answer: "approved" });
}

function askReason(view: View, now: number): View {
  const refused = whyNot(view, now);
  if (view.shown === null || refused !== null) return refuse(view, refused ?? "", now);
  return { ...view, reason: { id: view.shown.id, text: "" }, word: "" };
}

/** An answer that doesn't count. A key that is held down must be let go before one does. */
const refuse = (view: View, word: Part, now: number): View => ({
  ...view,
  word,
  quietSince: view.quietSince === null || now - view.quietSince >= QUIET_MS ? view.quietSince : now,
});

/** Why no answer counts at this moment; null where one does. */
function whyNot({ shown, quietSince, answering }: View, now: number): Part | null {
  if (shown === null) return "Nothing waits.";
  if (answering !== null) return "One moment: the last answer is on its way.";
  // INVARIANT: a key answers what was on the terminal before the key was pressed, and nothing else.
  if (quietSince === null || now - quietSince < QUIET_MS) {
    return styled("yellow", "Not counted: that key was pressed as this approval appeared.");
  }
  return null;
}

const answer = (view: View, effect: Effect & { readonly kind: "answer" }): Step => ({
  view: { ...view, reason: null, answering: effect.approval.id, word: "…" },
  effects: [effect],
});

/**
 * Typing goes on where it was begun, even when that approval is over meanwhile, so that no letter of a sentence becomes
 * an answer to the next one.
 */
function typeReason(view: View, { id, text }: NonNullable<View["reason"]>, { key }: KeyEvent): Step {
  const isEnter = !view.isPasting && (key.name === "return" || key.name === "enter");
  const isOver = view.shown?.id !== id;
  if (view.shown !== null && isEnter && !isOver && view.answering === null) {
    const why = text.trim();
    const said = why === "" ? {} : { why };
    return answer(view, { kind: "answer", approval: view.shown, answer: "denied", ...said });
  }
  if (isEnter || (!view.isPasting && key.name === "escape")) {
    return only({ ...view, reason: null, word: isOver ? "" : "Not denied: it still waits." });
  }
  return only({ ...view, reason: { id, text: edit(text, key) } });
}

function edit(reason: string, { name, sequence = "", ctrl, meta }: Key): string {
  if (name === "backspace") return [...reason].slice(0, -1).join("");
  if (ctrl && name === "u") return "";
  const isText = !ctrl && !meta && /^[^\p{Cc}\p{Zl}\p{Zp}]+$/u.test(sequence);
  return isText && reason.length + sequence.length <= MAX_WHY_LENGTH ? reason + sequence : reason;
}

function move(view: View, { key: { name = "" }, page: { height, lines } }: KeyEvent): View {
  const by = SCROLLS.get(name);
  if (by !== undefined) {
    const to = view.top + by * (["up", "down"].includes(name) ? 1 : Math.max(1, height - 1));
    return { ...view, top: Math.max(0, Math.min(to, lines - height)), word: "" };
  }
  const on = MOVES.get(name);
  if (on === undefined || view.approvals.length === 0) return view;
  const place = view.approvals.findIndex(({ id }) => id === view.shown?.id);
  const { approvals } = view;
  const next = approvals[(place + on + approvals.length) % approvals.length] ?? null;
  return next?.id === view.shown?.id ? view : { ...show(view, next), word: "" };
}

// There is no key that jumps to the end, so that all lines come by.
const SCROLLS: ReadonlyMap<string, 1 | -1> = new Map([
  ["up", -1],
  ["down", 1],
  ["pageup", -1],
  ["b", -1],
  ["pagedown", 1],
  ["space", 1],
]);
const MOVES: ReadonlyMap<string, 1 | -1> = new Map([
  ["left", -1],
  ["p", -1],
  ["right", 1],
  ["n", 1],
]);
