/** A unified diff in rows. THREAT: strangers may write every line. */

export type DiffRow =
  | ({ readonly kind: "context" | "added" | "removed"; readonly text: string } & Numbered)
  /** `place`: where in the file. */
  | { readonly kind: "hunk"; readonly text: string }
  /** Anything that isn't a line of the file, such as a note of the preview. */
  | { readonly kind: "note"; readonly text: string };

interface Numbered {
  /** The line's number before; null for an added line. */
  readonly before: number | null;
  readonly after: number | null;
}

interface ParsedDiff {
  /** The file's name on both sides; null if the text isn't a diff, but only notes. */
  readonly from: string | null;
  readonly to: string | null;
  readonly rows: readonly DiffRow[];
  readonly added: number;
  readonly removed: number;
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** Parses a diff of one file. Lines count as the file's only as far as their hunk declares them. */
export function parseDiff(diff: string): ParsedDiff {
  const lines = diff.replace(/\n$/, "").split("\n");
  const [first = "", second = ""] = lines;
  const isDiff = first.startsWith("--- ") && second.startsWith("+++ ");
  const reader = new Reader();
  // THREAT: a text that isn't a diff may look like one from its second line on.
  const rows = isDiff ? reader.read(lines.slice(2)) : lines.map((text): DiffRow => ({ kind: "note", text }));
  return {
    from: isDiff ? first.slice(4) : null,
    to: isDiff ? second.slice(4) : null,
    rows,
    added: rows.filter(({ kind }) => kind === "added").length,
    removed: rows.filter(({ kind }) => kind === "removed").length,
  };
}

class Reader {
  readonly #rows: DiffRow[] = [];
  #before = 0;
  #after = 0;
  /** Lines that the hunk still has. */
  #old = 0;
  #new = 0;

  read(lines: readonly string[]): readonly DiffRow[] {
    for (const line of lines) this.#take(line);
    return this.#rows;
  }

  #take(line: string): void {
    if (this.#old <= 0 && this.#new <= 0) this.#outside(line);
    else this.#inside(line.slice(0, 1), line.slice(1), line);
  }

  #outside(line: string): void {
    const hunk = HUNK.exec(line);
    if (hunk === null) {
      this.#rows.push({ kind: "note", text: line.startsWith("\\ ") ? line.slice(2) : line });
      return;
    }
    const [, before, old = "1", after, added = "1"] = hunk;
    this.#before = Number(before);
    this.#old = Number(old);
    this.#after = Number(after);
    this.#new = Number(added);
    this.#rows.push({ kind: "hunk", text: line });
  }

  #inside(sign: string, text: string, line: string): void {
    if (sign === "+") {
      this.#rows.push({ kind: "added", text, before: null, after: this.#after });
      this.#move(0, 1);
    } else if (sign === "-") {
      this.#rows.push({ kind: "removed", text, before: this.#before, after: null });
      this.#move(1, 0);
    } else if (sign === " ") {
      this.#rows.push({ kind: "context", text, before: this.#before, after: this.#after });
      this.#move(1, 1);
    } else this.#rows.push({ kind: "note", text: sign === "\\" ? text.trimStart() : line });
  }

  #move(before: number, after: number): void {
    this.#before += before;
    this.#old -= before;
    this.#after += after;
    this.#new -= after;
  }
}

/** Rows of one block of a long diff. */
const BLOCK_ROWS = 200;

export interface RowBlock {
  readonly at: number;
  readonly rows: readonly (DiffRow & { readonly at: number })[];
}

/** Rows in blocks that can be rendered one by one. */
export function toRowBlocks(rows: readonly DiffRow[]): readonly RowBlock[] {
  return Array.from({ length: Math.ceil(rows.length / BLOCK_ROWS) }, (_, place) => {
    const at = place * BLOCK_ROWS;
    const own = rows.slice(at, at + BLOCK_ROWS);
    return { at, rows: own.map((row, index) => ({ ...row, at: at + index })) };
  });
}
