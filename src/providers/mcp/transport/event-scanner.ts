/** Counts the JSON of the messages in an event stream (`text/event-stream`) as their bytes go by. */
import { JsonScanner } from "../../../json/json-scanner.ts";
import type { UpstreamLimits } from "../limits.ts";

const NEWLINE = 0x0a;
const RETURN = 0x0d;
/** Lines that begin so are the message, as many as there are. */
const DATA = Buffer.from("data:");
/** Byte order marks before the first line. One is the decoder's, the other, written in Latin-1, the parser's. */
const MARKS = Buffer.from("\ufeff\u00ef\u00bb\u00bf");
const SECOND_MARK = 3;
const LINE_END = Buffer.from("\n");

/**
 * THREAT: the upstream controls every byte. Whoever reads the stream ignores all other lines, so what they hold must
 * neither be counted nor hide anything.
 */
export class EventScanner {
  readonly #bounds: Pick<UpstreamLimits, "messageBytes" | "messageValues">;
  #scanner: JsonScanner;
  /** Bytes of the present event, and of its present line. */
  #eventLength = 0;
  #lineLength = 0;
  /** Whether the present line is data, as far as it has gone by. */
  #isData = true;
  #previous = 0;
  /** Bytes of the marks that have gone by; all of them once there can be none. */
  #marked = 0;

  constructor(bounds: Pick<UpstreamLimits, "messageBytes" | "messageValues">) {
    this.#bounds = bounds;
    this.#scanner = new JsonScanner(bounds.messageValues);
  }

  /** Takes the next bytes; false if a message is too large. */
  push(chunk: Uint8Array): boolean {
    let start = this.#skipMark(chunk);
    for (let at = start; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      const isEnd = byte === RETURN || (byte === NEWLINE && this.#previous !== RETURN);
      // The second half of a line's end belongs to no line.
      if (isEnd && !this.#endLine(chunk.subarray(start, at))) return false;
      if (isEnd || byte === NEWLINE) start = at + 1;
      else this.#isData &&= this.#lineLength >= DATA.length || byte === DATA[this.#lineLength];
      if (!isEnd && byte !== NEWLINE) this.#lineLength += 1;
      this.#previous = byte;
    }
    this.#scan(chunk.subarray(start));
    return this.#isWithin();
  }

  #skipMark(chunk: Uint8Array): number {
    let at = 0;
    while (this.#marked < MARKS.length && at < chunk.length) {
      if (this.#marked === 0 && chunk[at] === MARKS[SECOND_MARK]) this.#marked = SECOND_MARK;
      if (chunk[at] === MARKS[this.#marked]) at += 1;
      else this.#marked = MARKS.length;
      this.#marked += 1;
    }
    return at;
  }

  #endLine(rest: Uint8Array): boolean {
    this.#scan(rest);
    if (this.#isData && this.#lineLength >= DATA.length) this.#scanner.push(LINE_END);
    const isWithin = this.#isWithin();
    if (this.#lineLength === 0) {
      this.#scanner = new JsonScanner(this.#bounds.messageValues);
      this.#eventLength = 0;
    }
    this.#lineLength = 0;
    this.#isData = true;
    return isWithin;
  }

  /** `rest`: what has gone by of the present line in this chunk. */
  #scan(rest: Uint8Array): void {
    this.#eventLength += rest.length;
    const before = this.#lineLength - rest.length;
    if (this.#isData && this.#lineLength > DATA.length)
      this.#scanner.push(rest.subarray(Math.max(0, DATA.length - before)));
  }

  #isWithin(): boolean {
    return (
      this.#eventLength <= this.#bounds.messageBytes && this.#scanner.values <= this.#bounds.messageValues
    );
  }
}
