/**
 * The chain of all gateways on a store, which belongs to no session: accepted definitions, standing approvals,
 * freezes. Each of these reads its own entries from it, and every link is checked.
 */
import { SluicegateError } from "../../errors/index.ts";
import type { JournalEntry, SessionAppend, Store } from "../ports/store.ts";
import {
  CHAIN_START,
  type ChainPoint,
  linkProblem,
  ownerProblem,
  sealEntries,
  verifyEnd,
} from "./journal.ts";

export const GATEWAY_CHAIN = "gateway";

/** State read from the chain, as of one of its entries. */
export interface Folded<Known> {
  readonly head: ChainPoint;
  readonly known: Known;
}

interface Fold<Known> {
  readonly store: Pick<Store, "head" | "read">;
  readonly empty: Known;
  /** The state after further entries. */
  readonly follow: (known: Known, entries: readonly JournalEntry[]) => Known | Promise<Known>;
}

const PAGE = 1000;

/**
 * Reads the entries after those that are known; all of them if the chain has become shorter.
 * @throws SluicegateError `store-damaged`, `store-failed`
 */
export async function readGatewayChain<Known>(
  from: Folded<Known>,
  { store, empty, follow }: Fold<Known>,
): Promise<Folded<Known>> {
  const end = (await store.head(GATEWAY_CHAIN)) ?? CHAIN_START;
  let { head, known } = from.head.version <= end.version ? from : { head: CHAIN_START, known: empty };
  while (head.version < end.version) {
    const page = await store.read(GATEWAY_CHAIN, head.version, Math.min(PAGE, end.version - head.version));
    if (page.length === 0) break;
    for (const entry of page) {
      const problem = linkProblem(head, entry) ?? ownerProblem(GATEWAY_CHAIN, entry);
      if (problem !== null) throw damaged(problem);
      head = { version: entry.seq, hash: entry.hash };
    }
    known = await follow(known, page);
  }
  const whole = verifyEnd(head, end);
  if (!whole.ok) throw damaged(whole.problem);
  return { head, known };
}

/** The time of an entry, and the policy's version. */
export interface Moment {
  /** RFC 3339. */
  readonly at: string;
  readonly policy: string;
}

/** The append of entries to the chain. The first entry of all names the chain. */
export function toGatewayAppend(
  head: ChainPoint,
  entries: readonly Pick<JournalEntry, "kind" | "data">[],
  moment: Moment,
): SessionAppend {
  const unsealed = entries.map(({ kind, data }, index) => {
    const owner = head.version === 0 && index === 0 ? { session: GATEWAY_CHAIN } : {};
    return { kind, ...moment, data: { ...owner, ...data } };
  });
  return {
    session: GATEWAY_CHAIN,
    expectedVersion: head.version,
    entries: sealEntries(head, unsealed),
  };
}

const damaged = (problem: string): SluicegateError =>
  new SluicegateError("store-damaged", "The gateway's own journal is damaged.", {
    why: problem,
    fix: "Run `sluicegate journal verify`, and restore the store from a backup.",
    details: { session: GATEWAY_CHAIN },
  });
