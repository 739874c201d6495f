/**
 * Arguments for people: names and values, nested. THREAT: the model writes all of it, so invisible characters are
 * shown and nothing becomes a link.
 */
import { createContext, type ReactNode, useContext } from "react";
import { type Member, toLines, toMembers } from "./argument-members.ts";
import styles from "./argument-tree.module.css";
import { directionOf } from "./direction.tsx";
import { ShownText } from "./shown-text.tsx";
import { VisibleText } from "./visible-text.tsx";

/** A part that isn't shown whole. */
export interface FoldedPlace {
  /** How many members of a list or an object are shown before it is opened; a text shows what there is. */
  readonly beginning: number;
  /** The button that opens the rest, shown below the beginning. */
  readonly opener: ReactNode;
  /** All of it, instead of the beginning; null until it is opened. */
  readonly whole: ReactNode | null;
}

/** By JSON Pointer. */
export type FoldedPlaces = ReadonlyMap<string, FoldedPlace>;

const FoldsContext = createContext<FoldedPlaces>(new Map());
const NO_FOLDS: FoldedPlaces = new Map();

interface ArgumentTreeProps {
  readonly value: unknown;
  readonly folds?: FoldedPlaces;
}

export function ArgumentTree({ value, folds = NO_FOLDS }: ArgumentTreeProps): ReactNode {
  return (
    <FoldsContext value={folds}>
      <div className={styles.tree}>
        <Value value={value} pointer="" />
      </div>
    </FoldsContext>
  );
}

interface ValueProps {
  readonly value: unknown;
  readonly pointer: string;
}

function Value({ value, pointer }: ValueProps): ReactNode {
  const fold = useContext(FoldsContext).get(pointer);
  if (fold?.whole) return fold.whole;
  if (fold === undefined) return <Whole value={value} pointer={pointer} />;
  return (
    <>
      <Whole value={value} pointer={pointer} most={fold.beginning} />
      {fold.opener}
    </>
  );
}

interface WholeProps extends ValueProps {
  /** How many members are shown. */
  readonly most?: number;
}

function Whole({ value, pointer, most }: WholeProps): ReactNode {
  if (typeof value === "string")
    return <TextValue text={most === undefined ? value : cutText(value)} isCut={most !== undefined} />;
  if (typeof value !== "object" || value === null)
    return <span className={styles.plain}>{String(value)}</span>;
  const members = toMembers(value, pointer);
  const noun = Array.isArray(value) ? "list" : "object";
  if (members.length === 0) return <span className={styles.words}>empty {noun}</span>;
  return most === 0 ? (
    <span className={styles.words}>{noun}</span>
  ) : (
    <Members members={most === undefined ? members : members.slice(0, most)} isNested={pointer !== ""} />
  );
}

/** Characters shown of a collapsed text. */
const BEGINNING = 300;

/** The beginning of a text, without half of a surrogate pair at its end. */
const cutText = (text: string): string => text.slice(0, BEGINNING).replace(/[\uD800-\uDBFF]$/, "");

interface MembersProps {
  readonly members: readonly Member[];
  readonly isNested: boolean;
}

function Members({ members, isNested }: MembersProps): ReactNode {
  return (
    <dl className={`${isNested ? styles.nested : styles.members} ${isFlow(members) ? styles.flow : ""}`}>
      {members.map((member) => (
        <div key={member.pointer} className={member.isNested ? styles.container : styles.member}>
          <dt className={member.isItem ? styles.item : styles.key}>
            <KeyText name={member.name} />
          </dt>
          <dd className={styles.value}>
            <Value value={member.value} pointer={member.pointer} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Short items are shown side by side. */
const isFlow = (members: readonly Member[]): boolean =>
  members.every(({ isItem, value }) => isItem && isShort(value));

const SHORT = 24;
const isShort = (value: unknown): boolean =>
  value === null || (typeof value !== "object" && String(value).length <= SHORT && value !== "");

/** Names that can't be mistaken for anything else. */
const PLAIN_NAME = /^[\p{L}\p{N}_$@.\-/]+$/u;

/** THREAT: `to "` and `to: "boss"` are names too; any name that isn't plain is shown in quotes. */
function KeyText({ name }: { readonly name: string }): ReactNode {
  if (name === "") return <span className={styles.words}>no name</span>;
  if (PLAIN_NAME.test(name)) return <VisibleText>{name}</VisibleText>;
  return (
    <span className={styles.text}>
      <span className={styles.quote}>"</span>
      <bdi dir={directionOf(name)}>
        <ShownText>{name}</ShownText>
      </bdi>
      <span className={styles.quote}>"</span>
    </span>
  );
}

interface TextValueProps {
  readonly text: string;
  /** More follows. */
  readonly isCut: boolean;
}

function TextValue({ text, isCut }: TextValueProps): ReactNode {
  if (text === "") return <span className={styles.words}>empty text</span>;
  const quote = (sign: string): ReactNode => <span className={styles.quote}>{sign}</span>;
  if (!text.includes("\n"))
    return (
      <span className={styles.text}>
        {quote('"')}
        <bdi dir={directionOf(text)}>
          <ShownText>{text}</ShownText>
        </bdi>
        {quote(isCut ? " …" : '"')}
      </span>
    );
  return (
    <div className={styles.lines}>
      {toLines(text).map(({ at, line, isLast, isBroken }) => (
        <div key={at} className={styles.line}>
          {at === 0 && quote('"')}
          <bdi dir={directionOf(line)}>
            <ShownText>{line}</ShownText>
          </bdi>
          {isBroken && (
            <span className={styles.broken} aria-hidden="true">
              ¶
            </span>
          )}
          {isLast && quote(isCut ? " …" : '"')}
        </div>
      ))}
    </div>
  );
}
