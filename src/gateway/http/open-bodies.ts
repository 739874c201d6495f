/**
 * The bodies of requests that aren't answered yet. A call keeps its arguments while it waits, for a server, a database
 * or a person. THREAT: many that wait would fill the memory, so their bytes are shared among principals.
 */
import { SluicegateError } from "../../errors/index.ts";
import { memberOf, OwnerCounts, type TurnOwner } from "../../threads/index.ts";

/** How many bodies of the greatest length there is room for. */
const ROOM_FOR = 32;

export class OpenBodies {
  readonly #bytes = new OwnerCounts();
  readonly #longest: number;

  /** @param longest of one body, in bytes */
  constructor(longest: number) {
    this.#longest = longest;
  }

  /**
   * Counts the body of a request; the returned function, called once, ends that.
   * @throws SluicegateError `limit-reached` if too many of this owner, or of all, aren't answered yet.
   */
  begin(owner: TurnOwner, headers: Headers): () => void {
    const declared = headers.get("content-length");
    const isUnknown = declared === null && headers.has("transfer-encoding");
    const bytes = isUnknown ? this.#longest : Math.min(Number(declared ?? 0), this.#longest);
    if (!(bytes > 0)) return () => {};
    const member = memberOf(owner);
    if (!this.#bytes.hasRoom(member, ROOM_FOR * this.#longest)) throw tooMuch(this.#longest);
    this.#bytes.add(member, bytes);
    return () => this.#bytes.add(member, -bytes);
  }
}

const tooMuch = (longest: number): SluicegateError =>
  new SluicegateError("limit-reached", "Too much is being asked at once.", {
    why: `The bodies of requests without an answer may have ${ROOM_FOR * longest} bytes together, a quarter of that for one session and its forks.`,
    fix: "Wait for the answers that are due, then send it again.",
  });
