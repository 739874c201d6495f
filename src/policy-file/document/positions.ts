/** Where an offset in a text lies. The parser's own line counter loses lines where a quote is left open. */
import type { Position } from "./tree.ts";

/**
 * Offsets, in UTF-16 units, to lines and columns of a text; lines end in LF or CRLF. `file` is its name, where it is
 * not the policy file itself.
 */
export function createPositions(text: string, file?: string): (offset: number) => Position {
  const starts = [0];
  for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", end + 1)) starts.push(end + 1);
  return (offset) => {
    let line = 1;
    let after = starts.length + 1;
    // INVARIANT: line `line` begins at or before the offset, line `after` behind it.
    while (after - line > 1) {
      const middle = Math.floor((line + after) / 2);
      if ((starts[middle - 1] ?? 0) <= offset) line = middle;
      else after = middle;
    }
    return { line, column: offset - (starts[line - 1] ?? 0) + 1, ...(file !== undefined && { file }) };
  };
}
