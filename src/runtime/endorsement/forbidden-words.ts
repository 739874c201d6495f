/**
 * What the user mentioned in order to forbid it. Such a value isn't the user's word, unless they name it elsewhere
 * too. Only English sentences are understood; in doubt a sentence forbids nothing.
 */

/** "Don't …" as an order, not as a report: "I don't …". */
const ORDER =
  /(?<!\b(?:i|you|we|they|he|she|it|who|that|has|have|had|was|were|is|are)\s)\b(?:(?:do\s+not|don['’]?t)\s+(?!(?:forget|hesitate|miss|worry|mind|be|wait|fail|stop)\b)|never\s+(?!(?:mind|forget|fail)\b))/;
/** Ends a prohibition: "don't write to Bo, but to Ada". */
const BREAK = /\b(?:but|instead|rather|only|just)\b/;
/** Forbids the whole clause. */
const RULE =
  /\b(?:must|should|shall)\s+(?:not|never)\b|\b(?:mustn|shouldn)['’]?t\b|\b(?:is|are)(?:\s+not|n['’]?t)\s+(?:to|allowed|supposed)\b|\bunder\s+no\s+circumstances\b/;
const ITEM = String.raw`(?:to\s+|for\s+|with\s+|the\s+)?(?:["“„«][^"”“»\n]{1,300}["”“»]|[^\s,;]+)`;
const LIST = String.raw`${ITEM}(?:\s+(?:and|or|nor)\s+${ITEM})*`;
/** "except Bo and Cy": forbids what is named next. */
const EXCEPTION = new RegExp(
  String.raw`\b(?:except(?:\s+for)?|excluding|other\s+than|apart\s+from|instead\s+of|rather\s+than|not)\s+${LIST}`,
  "g",
);
/** More forbidden names before a comma. */
const MORE = new RegExp(String.raw`^(?:(?:and|or|nor)\s+)?${LIST}[.!?…]?\s*$`);

const SENTENCE_END = /(?<!\b(?:mr|mrs|ms|dr|prof|st|no|nr|vs|etc|e\.g|i\.e))[.!?…]["'”’)\]]{0,3}\s+/g;
const CLAUSE_END = /[,;:]\s+/g;
const BULLET = /^\s*(?:[-*•]|\d{1,3}[.)])\s/;

type Cut = readonly [from: number, to: number];

interface Forbidden {
  /** The forbidden parts, in order. */
  readonly cuts: readonly Cut[];
  /** Whether the prohibition may continue after the end. */
  readonly goesOn: boolean;
}

/** The parts of a text that forbid nothing, in lower case and in order. */
export function permittedParts(text: string): readonly string[] {
  const parts: string[] = [];
  let open = "";
  let isList = false;
  for (const line of text.split(/(?<=\n)/)) {
    const found: Forbidden = isList && BULLET.test(line) ? allOf(line) : forbiddenIn(line);
    isList = found.goesOn && (isList || line.trimEnd().endsWith(":"));
    let at = 0;
    for (const [from, to] of found.cuts) {
      parts.push(open + line.slice(at, from));
      [open, at] = ["", to];
    }
    open += line.slice(at);
  }
  return [...parts, open];
}

const allOf = ({ length }: string): Forbidden => ({ cuts: [[0, length]], goesOn: true });

function forbiddenIn(line: string): Forbidden {
  const cuts: Cut[] = [];
  let goesOn = false;
  for (const sentence of split({ text: line, at: 0 }, SENTENCE_END)) {
    goesOn = false;
    for (const clause of split(sentence, CLAUSE_END)) {
      const found: Forbidden =
        goesOn && MORE.test(clause.text) ? allOf(clause.text) : readClause(clause.text);
      goesOn = found.goesOn;
      for (const [from, to] of found.cuts) cuts.push([clause.at + from, clause.at + to]);
    }
  }
  return { cuts, goesOn };
}

function readClause(clause: string): Forbidden {
  if (RULE.test(clause)) return { cuts: [[0, clause.length]], goesOn: false };
  const order = ORDER.exec(clause);
  if (order !== null) {
    const start = order.index + order[0].length;
    const end = BREAK.exec(clause.slice(start));
    return {
      cuts: [[order.index, end === null ? clause.length : start + end.index]],
      goesOn: end === null,
    };
  }
  const cuts = [...clause.matchAll(EXCEPTION)].map(
    (found): Cut => [found.index, found.index + found[0].length],
  );
  const last = cuts.at(-1);
  return { cuts, goesOn: last !== undefined && /^[\s,;:.!?]*$/.test(clause.slice(last[1])) };
}

interface Piece {
  readonly text: string;
  /** Where it begins in its line. */
  readonly at: number;
}

function split({ text, at }: Piece, end: RegExp): readonly Piece[] {
  const ends = [...text.matchAll(end)].map((found) => found.index + found[0].length);
  const starts = [0, ...ends];
  const pieces = starts.map((start, index) => ({ text: text.slice(start, ends[index]), at: at + start }));
  return pieces.filter((piece) => piece.text !== "");
}
