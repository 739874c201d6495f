/** What somebody probably meant: the known name that is nearest to a wrong one, if any is near enough. */

const MAX_NAME_LENGTH = 64;

/** A name without what people mix up: case, `-`, `_` and spaces. */
const folded = (name: string): string => name.toLowerCase().replace(/[-_ ]/g, "");

/** How many slips are forgiven: one in three characters, three at most; none in shorter names. */
const maxSlipsFor = (name: string): number => Math.min(3, Math.floor(name.length / 3));

export function nearMiss(wrong: string, known: Iterable<string>): string | undefined {
  if (wrong.length > MAX_NAME_LENGTH) return undefined;
  const sought = folded(wrong);
  let nearest: string | undefined;
  let least = maxSlipsFor(wrong) + 1;
  for (const name of known) {
    if (least === 0) break;
    const slips = distance(sought, folded(name), least);
    if (slips < least) {
      least = slips;
      nearest = name;
    }
  }
  return nearest;
}

/**
 * Whether a name is almost certainly another one misspelt: in case or separators, or by one slip in a longer word.
 * Names of honest tools differ by a plural, a number or their first letter, as `get_user` and `set_user` do.
 */
export function isMisspelling(wrong: string, right: string): boolean {
  const [left, other] = [folded(wrong), folded(right)];
  if (left === other) return true;
  if (wrong.length > MAX_NAME_LENGTH || Math.min(left.length, other.length) < 6 || left[0] !== other[0])
    return false;
  const bare = (name: string): string => name.replace(/[s\d]/g, "");
  return bare(left) !== bare(other) && distance(left, other, 2) === 1;
}

/**
 * Edits between two words, a swap of neighbours counting as one (optimal string alignment). Infinite where there
 * are certainly `enough` or more.
 */
function distance(left: string, right: string, enough: number): number {
  if (Math.abs(left.length - right.length) >= enough) return Number.POSITIVE_INFINITY;
  const rows: number[][] = [Array.from({ length: right.length + 1 }, (_, index) => index)];
  for (let row = 1; row <= left.length; row += 1) {
    rows.push(nextRow(rows, left, right));
    // A swap looks back two rows, so both must exceed the limit.
    if (Math.min(...(rows[row] ?? []), ...(rows[row - 1] ?? [])) >= enough) return Number.POSITIVE_INFINITY;
  }
  return rows[left.length]?.[right.length] ?? 0;
}

function nextRow(rows: readonly number[][], left: string, right: string): number[] {
  const row = rows.length;
  const at = (line: number, column: number): number => rows[line]?.[column] ?? Number.POSITIVE_INFINITY;
  let before = row;
  const current = [before];
  for (let column = 1; column <= right.length; column += 1) {
    const cost = left[row - 1] === right[column - 1] ? 0 : 1;
    const isSwap = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
    const swap = isSwap ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY;
    before = Math.min(at(row - 1, column) + 1, before + 1, at(row - 1, column - 1) + cost, swap);
    current.push(before);
  }
  return current;
}
