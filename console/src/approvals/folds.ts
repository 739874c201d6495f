/**
 * The parts of an approval that must be opened before it can be approved: those that the gateway truncated in the
 * list, and those that the page doesn't lay out at once.
 */
import type { Approval } from "../api/queries.ts";
import { depthOf, isContainer, toKeys, toMembers, valueAt } from "../text/argument-members.ts";
import { toSize } from "../text/shown-parts.ts";

export interface Fold {
  readonly key: string;
  readonly part: "arguments" | "diff";
  readonly pointer: string;
  /** Its name, with its path. THREAT: the model chooses names. */
  readonly name: string;
  readonly size: string;
  /** Members shown before it is opened. */
  readonly beginning: number;
  /** The list has only its beginning; the single approval has all of it. */
  readonly isCut: boolean;
}

type Folding = Pick<Approval, "arguments" | "folded">;

/** Items of a list shown at once. */
const MAX_ITEMS = 50;
/** Levels of members shown at once. */
const MAX_LEVELS = 12;
/** Characters of a text shown at once. */
const MAX_CHARACTERS = 1_500;
/** Members shown of a truncated part. */
const BEGINNING = 8;
const NUMBER = new Intl.NumberFormat("en");

/** All collapsed parts, in the order of the page. None is within another: opening one opens all of it. */
export function foldsOf({ arguments: args, folded }: Folding): readonly Fold[] {
  const cut = folded.filter(
    (one) => one.part === "diff" || !folded.some((other) => isInside(one.pointer, other)),
  );
  const inArguments = new Map(
    cut.filter(({ part }) => part === "arguments").map(({ pointer, characters }) => [pointer, characters]),
  );
  const diff = cut.filter(({ part }) => part === "diff");
  return [
    ...diff.map(({ characters }) => toCut("diff", "", "the changes", characters)),
    ...walk(args, args, "", inArguments),
  ];
}

const isInside = (pointer: string, other: Approval["folded"][number]): boolean =>
  other.part === "arguments" && pointer !== other.pointer && pointer.startsWith(`${other.pointer}/`);

function walk(
  root: object,
  value: unknown,
  pointer: string,
  cut: ReadonlyMap<string, number>,
): readonly Fold[] {
  const characters = cut.get(pointer);
  if (characters !== undefined) return [toCut("arguments", pointer, nameOf(root, pointer), characters)];
  const own = foldHere(root, value, pointer);
  if (own !== null) return [own];
  if (!isContainer(value)) return [];
  return toMembers(value, pointer).flatMap((member) => walk(root, member.value, member.pointer, cut));
}

/** What the page itself doesn't lay out at once. */
function foldHere(root: object, value: unknown, pointer: string): Fold | null {
  const fold = (size: string, beginning: number): Fold => ({
    key: `arguments ${pointer}`,
    part: "arguments",
    pointer,
    name: nameOf(root, pointer),
    size,
    beginning,
    isCut: false,
  });
  if (typeof value === "string") return value.length > MAX_CHARACTERS ? fold(toSize(value.length), 0) : null;
  if (!isContainer(value)) return null;
  const isDeep = toKeys(pointer).length >= MAX_LEVELS && depthOf(value, 1) > 0;
  if (isDeep && Object.keys(value).length > 0) return fold(toSize(JSON.stringify(value).length), 0);
  if (!Array.isArray(value) || value.length <= MAX_ITEMS) return null;
  return fold(`${NUMBER.format(value.length)} items`, MAX_ITEMS);
}

const toCut = (part: Fold["part"], pointer: string, name: string, characters: number): Fold => ({
  key: `${part} ${pointer}`,
  part,
  pointer,
  name,
  size: toSize(characters),
  beginning: BEGINNING,
  isCut: true,
});

/** Longer names are truncated in a button's text; at its place the name is whole. */
const MAX_NAME = 48;

function nameOf(root: object, pointer: string): string {
  const names = toKeys(pointer).map((key, at, keys) => {
    const parent = at === 0 ? root : valueAt(root, pointerTo(keys.slice(0, at)));
    return Array.isArray(parent) ? String(Number(key) + 1) : key || "no name";
  });
  const name = names.join(" › ") || "all arguments";
  return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;
}

const pointerTo = (keys: readonly string[]): string =>
  keys.map((key) => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
