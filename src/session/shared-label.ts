/**
 * One label for a session and the forks that its agent uses. The first session holds it: a fork takes it before each
 * decision, and gives what it was raised by before anything of that reaches the agent.
 */
import { join, type Label } from "../core/index.ts";
import type { Ledger } from "./ledger.ts";

interface Sharing {
  readonly ledgerOf: (session: string) => Ledger;
}

/** Raises a fork by what the others were raised by, and closes it with the first of them. Durable when it resolves. */
export async function takeSharedLabel({ ledgerOf }: Sharing, ledger: Ledger): Promise<void> {
  const { shares } = ledger.state;
  if (shares === null) return;
  const holder = ledgerOf(shares);
  await holder.refresh();
  await raiseTo(ledger, holder.state.label);
  if (holder.state.closed && !ledger.state.closed) await close(ledger, shares);
}

/** Raises the others by what a fork was raised by. Durable when it resolves; nothing may be released before. */
export async function giveSharedLabel({ ledgerOf }: Sharing, ledger: Ledger): Promise<void> {
  const { shares, label } = ledger.state;
  if (shares !== null) await raiseTo(ledgerOf(shares), label);
}

/** An operator who closes a session closes what its agent has opened of it. */
const close = (ledger: Ledger, successor: string): Promise<void> =>
  ledger.commit(({ closed }) => ({
    events: closed ? [] : [{ kind: "session-closed", reason: "reset", successor }],
    value: undefined,
  }));

const SHARED = "shared";

async function raiseTo(ledger: Ledger, source: Label): Promise<void> {
  const isRaised = (): boolean =>
    join(ledger.state.lattice, ledger.state.label, source) !== ledger.state.label;
  if (!isRaised()) return;
  await ledger.commit(({ lattice, label: before }) => {
    const label = join(lattice, before, source);
    const at = { call: null, step: null, tool: null };
    const events =
      label === before ? [] : [{ kind: "label-raised", ...at, source, dataset: SHARED, label } as const];
    return { events, value: undefined };
  });
}
