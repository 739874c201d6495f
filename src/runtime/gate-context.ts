/** What sessions need of their gate. */
import type { KeyObject } from "node:crypto";
import type { Policy } from "../core/index.ts";
import type { AnswerWatch } from "./approvals/answer-watch.ts";
import type { RequestedApprovals } from "./approvals/requested-approvals.ts";
import type { StandingApprovals } from "./approvals/standing-approvals.ts";
import type { GatherFacts } from "./calls/call-facts.ts";
import type { InspectResult } from "./calls/inspect-result.ts";
import type { OpenCalls } from "./calls/open-calls.ts";
import type { WordTokens } from "./endorsement/words.ts";
import type { Freezes } from "./freezes.ts";
import type { Ledger } from "./journal/ledger.ts";
import type { StoreClock } from "./ports/clock.ts";
import type { Random } from "./ports/random.ts";
import type { Store } from "./ports/store.ts";

export interface GateContext {
  readonly store: Store;
  /** The one ledger of a session in this process. */
  readonly ledgerOf: (session: string) => Ledger;
  readonly policy: () => Policy;
  readonly admission: {
    readonly random: Random;
    readonly digestKey: KeyObject;
    readonly words: WordTokens;
    readonly approvalSeconds: number | undefined;
    readonly mostPending: number;
    readonly requested: RequestedApprovals;
  };
  readonly answers: AnswerWatch;
  readonly standing: StandingApprovals;
  readonly clock: StoreClock;
  readonly facts: GatherFacts;
  readonly inspect: InspectResult | null;
  readonly onFault: (cause: unknown) => void;
  readonly openCalls: OpenCalls;
  readonly freezes: Freezes;
}
