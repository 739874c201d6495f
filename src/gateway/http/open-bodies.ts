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
   * Counts the body of a request by its declared length, and a chunked one as it comes; the returned function, called
   * once, ends that.
   * @throws SluicegateError `limit-reached` if too many of this owner, or of all, aren't answered yet.
   */
  begin(owner: TurnOwner, request: Request): () => void {
    const member = memberOf(owner);
    let counted = 0;
    const count = (more: number): void => {
      if (!(more > 0)) return;
      if (!this.#bytes.hasRoom(member, ROOM_FOR * this.#longest)) throw tooMuch(this.#longest);
      this.#bytes.add(member, more);
      counted += more;
    };
    const declared = request.headers.get("content-length");
    if (declared === null) chunked.set(request, count);
    else count(Math.min(Number(declared), this.#longest));
    return () => {
      // What still comes of a body after its connection has ended would be counted for ever.
      chunked.delete(request);
      this.#bytes.add(member, -counted);
    };
  }
}

/** What counts a body whose length isn't declared. */
const chunked = new WeakMap<Request, (more: number) => void>();

/** Counts a part of such a body. @throws SluicegateError as `begin` does */
export const countChunk = (request: Request, bytes: number): void => chunked.get(request)?.(bytes);

const tooMuch = (longest: number): SluicegateError =>
  new SluicegateError("limit-reached", "Too much is being asked at once.", {
    why: `The bodies of requests without an answer may have ${ROOM_FOR * longest} bytes together, a quarter of that for one session with its forks, or one token.`,
    fix: "Wait for the answers that are due, then send it again.",
  });
