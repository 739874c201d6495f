/** The live view in lines: what stands at the top and bottom of the terminal, and what scrolls between them. */

import { styled } from "../terminal/terminal.ts";
import { fitLine, type Line, wrapLine } from "../terminal/wrap-line.ts";
import { approvalLines, behindWords, expiryWords } from "./approval-words.ts";
import type { WireApproval } from "./parse-approval.ts";
import type { PageSize, View } from "./pending-view.ts";

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** All lines of the terminal, and what they show. */
export interface Frame {
  readonly lines: readonly Line[];
  readonly page: PageSize;
  /** The revision of the view that can be judged by this frame; null where nothing can. */
  readonly revision: number | null;
  /** Whether the approval's last line is among them. */
  readonly isEnd: boolean;
}

const LEAST: TerminalSize = { columns: 40, rows: 10 };

/** The lines of a view. */
export function frameOf(view: View, place: string, { columns, rows }: TerminalSize, now: Date): Frame {
  const nothing = { page: { height: 1, lines: 0 }, revision: null, isEnd: false };
  if (columns < LEAST.columns || rows < LEAST.rows) {
    return { ...nothing, lines: [fitLine(["Make this terminal larger."], Math.max(columns, 10))] };
  }
  const { shown } = view;
  const head = headOf(view, place, now).map((line) => fitLine(line, columns));
  if (shown === null) {
    return { ...nothing, lines: [...head, [], fitLine(bottomOf(view, columns), columns), KEYS_IDLE] };
  }
  const all = wrappedLines(shown, columns);
  const height = rows - head.length - 4;
  const top = Math.max(0, Math.min(view.top, all.length - height));
  const body = all.slice(top, top + height);
  const padding = Array.from({ length: height - body.length }, (): Line => []);
  const isEnd = top + height >= all.length;
  const lines = [
    ...head,
    ruleOf(columns, ""),
    ...body,
    ...padding,
    ruleOf(columns, positionWords(top, body.length, all.length)),
    fitLine(bottomOf(view, columns), columns),
    fitLine(KEYS, columns),
  ];
  return { lines, page: { height, lines: all.length }, revision: view.revision, isEnd };
}

const KEYS: Line = ["a approve   d deny   ←/→ other sessions   ↑/↓ space scroll   q leave"];
const KEYS_IDLE: Line = [styled("dim", "q leaves")];

function headOf({ approvals, shown }: View, place: string, now: Date): readonly Line[] {
  const title = styled("bold", "Approvals");
  if (shown === null) return [[title, ` at ${place}`], [], ["Nothing waits for a person."]];
  const number = approvals.findIndex(({ id }) => id === shown.id) + 1;
  const several = approvals.length > 1 ? `   ${number} of ${approvals.length} sessions` : "";
  const behind = behindWords(shown);
  const left = expiryWords(shown.expires_at, now);
  return [
    [title, ` at ${place}`, styled("bold", several)],
    [
      ...(shown.release ? [styled("red", "RELEASE  ")] : []),
      styled("bold", shown.tool),
      `  for ${shown.principal}`,
    ],
    [styled("yellow", left), behind === "" ? "" : `   ${behind}`],
  ];
}

const ruleOf = (columns: number, words: string): Line => {
  const end = words === "" ? "" : ` ${words} ──`;
  return [styled("dim", "─".repeat(Math.max(0, columns - end.length)) + end)];
};

function positionWords(top: number, shown: number, all: number): string {
  const range = `lines ${top + 1}-${top + shown} of ${all}`;
  return top + shown < all ? `${range}, space goes on` : range;
}

const ASKED = "Why not? ";
const HOW = "  (Enter denies, also without a word; Esc goes back)";

function bottomOf({ shown, reason, word }: View, columns: number): Line {
  if (reason === null) return [word];
  if (reason.id !== shown?.id) return [styled("yellow", "That one is over. Enter goes on.  "), word];
  const room = Math.max(10, columns - ASKED.length - HOW.length - 2);
  return [styled("bold", ASKED), [...reason.text].slice(-room).join(""), "_", styled("dim", HOW)];
}

interface Wrapped {
  readonly columns: number;
  readonly lines: readonly Line[];
}

// A long value is wrapped once, and not again for every key or look. INVARIANT: an approval that is shown with the
// arguments of an earlier one is the same in all that its lines say.
const wrapped = new WeakMap<WireApproval["arguments"], Wrapped>();

function wrappedLines(approval: WireApproval, columns: number): readonly Line[] {
  const known = wrapped.get(approval.arguments);
  if (known?.columns === columns) return known.lines;
  const lines = approvalLines(approval).flatMap((line) => wrapLine(line, columns));
  wrapped.set(approval.arguments, { columns, lines });
  return lines;
}
