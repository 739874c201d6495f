/**
 * Approvals in a store that no gateway on a port serves, as where agents start `sluicegate mcp`. What is answered is
 * durable in the journal, and seen by the process that holds the call when it looks again, within a second.
 */
import { SluicegateError } from "../../errors/index.ts";
import { toWireAnswer, toWireAppeal, toWireApproval, toWireEnded } from "../../gateway/rest/wire.ts";
import { readKey } from "../../gateway/state/secrets.ts";
import { loadConfig } from "../../policy-file/index.ts";
import { Appeals } from "../../runtime/appeals.ts";
import { allQueued, findApproval } from "../../runtime/approvals/kept-approvals.ts";
import type { WaitingApproval } from "../../runtime/approvals/pending-approvals.ts";
import { createGate, type Gate } from "../../runtime/gate.ts";
import { OPERATOR } from "../../runtime/gate-options.ts";
import type { AnsweredApproval } from "../../runtime/index.ts";
import type { Whereabouts } from "../wiring/gateway-client.ts";
import { isStoreThere, openStoreAt, storePlaceOf } from "../wiring/store-file.ts";
import type { ApprovalsSource, TerminalAnswer } from "./approvals-source.ts";
import { parseAppeals, parseApprovals, parseFound, parseOutcome } from "./parse-approval.ts";

const VIA = "terminal";

/**
 * Opens the store beside the policy.
 * @throws SluicegateError `not-found` where there is none; as `loadConfig` and the store do.
 */
export async function openStoreApprovals({ config, store: named }: Whereabouts): Promise<ApprovalsSource> {
  const at = storePlaceOf(config, named);
  if (!isStoreThere(at)) throw nothingThere(at.file);
  // Servers' variables, which the agent's configuration sets and this terminal may not: no server is started here.
  const { policy } = await loadConfig(config, { unset: "unset" });
  const store = await openStoreAt(at);
  // An answer is bound to the policy that asked. Whoever runs the call has that one in force or doesn't run it; the
  // file may have changed since, and what it says now is no reason to refuse. A gate of its own for each look knows
  // what other processes have written.
  const key = readKey(at.file);
  const gateOf = (version: string): Gate =>
    createGate({ policy: { ...policy, version }, store, ...(key && { digestKey: key }) });
  const gateFor = async (id: string): Promise<Gate> => {
    const found = await findApproval(store, id);
    return gateOf(found && "details" in found ? found.details.policy : policy.version);
  };
  const appeals = new Appeals(store);
  const recorded = new Set<string>();
  const recordShown = async (gate: Gate, approval: WaitingApproval): Promise<void> => {
    if (recorded.has(approval.id)) return;
    await gate.recordShown(approval, VIA);
    recorded.add(approval.id);
  };
  /** The oldest of each session that waits under one version of the policy. */
  const shownUnder = async (version: string): Promise<readonly WaitingApproval[]> => {
    const gate = gateOf(version);
    const shown = await gate.pendingApprovals({ firstOnly: true });
    await Promise.all(shown.map((approval) => recordShown(gate, approval)));
    return shown;
  };
  return {
    place: at.name,
    pending: async () => {
      const versions = new Set((await allQueued(store)).map((queued) => queued.policy));
      const waiting = await Promise.all([...versions].map(shownUnder));
      const sorted = waiting.flat().sort((one, other) => (one.at < other.at ? -1 : 1));
      return whole(parseApprovals({ approvals: sorted.map(toWire) }));
    },
    appeals: async () => {
      const newest = await appeals.newest(new Date());
      return whole(parseAppeals({ appeals: newest.map((one) => toWireAppeal(policy, one)) }));
    },
    standing: async () => null,
    find: async (id) => {
      const gate = await gateFor(id);
      const found = await gate.approval(id);
      if ("outcome" in found) return whole(parseFound(toWireEnded(found)));
      if (found.before === 0) await recordShown(gate, found);
      return whole(parseFound(toWire(found)));
    },
    alike: async (id) => {
      const gate = await gateFor(id);
      const found = await gate.pendingApprovals({ like: id });
      await Promise.all(found.map((approval) => recordShown(gate, approval)));
      return whole(parseApprovals({ approvals: found.map(toWire) }));
    },
    denyDeparted: async () => [],
    answer: async (id, given) =>
      whole(parseOutcome(toWireAnswer(await answerIn(await gateFor(id), id, given)))),
    close: () => store.close(),
  };
}

/** Without a gateway no standing approval is given, and so none is proposed. */
const toWire = (approval: WaitingApproval): object => ({ ...toWireApproval(approval), proposal: null });

const answerIn = (gate: Gate, id: string, { answer, why }: TerminalAnswer): Promise<AnsweredApproval> =>
  gate.answerApproval(id, { answer, by: OPERATOR, via: VIA, ...(why !== undefined && { why }) });

function whole<Answer>(parsed: Answer | null): Answer {
  if (parsed !== null) return parsed;
  throw new SluicegateError("store-damaged", "An approval in the store isn't whole.", {
    why: "Something that a person must see to judge it is missing.",
    fix: "Run `sluicegate journal verify`, or let the agent call again, which requests a new approval.",
  });
}

const nothingThere = (file: string): SluicegateError =>
  new SluicegateError("not-found", "There is neither a gateway nor a store.", {
    why: `No gateway that knows the operator's token answers on this machine's usual port, and there is no file \`${file}\`.`,
    fix: "Name the gateway with `--url`, the policy with `--config`, or the store with `--store`.",
  });
