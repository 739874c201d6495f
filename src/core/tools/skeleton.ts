/**
 * Which names look alike: to a model or a person that reads one and means the other. Only visible ASCII is
 * covered; a name with anything else in it is like itself alone, and `names.ts` gives it no short form.
 */

const VISIBLE = /^[!-~]+$/;

/** Whether a name is written in visible ASCII alone. */
export const isVisibleAscii = (name: string): boolean => VISIBLE.test(name);

/**
 * What is left of a name when everything is taken out that is easily overlooked: case, `_`, `-`, `.` and all
 * other punctuation, and which of `l`, `1`, `I`, `|`, of `o`, `0`, of `m`, `rn` and of `w`, `vv` stands there. Two
 * names look alike if their skeletons are equal.
 */
export function skeleton(name: string): string {
  return isVisibleAscii(name) ? fold(name.replaceAll(/[^A-Za-z0-9|]/g, "")) || name : name;
}

/** Whether a name begins so, or with something that looks like it: `Sluicegate-x` begins like `sluicegate_`. */
export const beginsLike = (name: string, beginning: string): boolean =>
  isVisibleAscii(name) && fold(name).startsWith(fold(beginning));

/** One character for all that look alike, and one `_` for each run of what is no letter and no digit. */
function fold(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[i1|]/g, "l")
    .replaceAll("0", "o")
    .replaceAll("rn", "m")
    .replaceAll("vv", "w")
    .replaceAll(/[^a-z0-9]+/g, "_");
}
