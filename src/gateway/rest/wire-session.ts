/** Sessions as lists show them, for the wire. */
import type { z } from "zod";
import { holdsPrivateData, type Policy } from "../../core/index.ts";
import { toGauge } from "../console-data/gauge.ts";
import type { SessionRecord } from "../console-data/session-record.ts";
import type * as schemas from "./session-schemas.ts";
import { toWireLabel } from "./wire.ts";
import { toWireGauge } from "./wire-gauge.ts";

/** A row of the list. `waiting` is how many of its calls wait for a person now. */
export function toWireSummary(
  policy: Policy,
  record: SessionRecord,
  waiting: number,
): z.output<typeof schemas.sessionSummary> {
  const { state } = record;
  return {
    session_id: record.id,
    principal: state.principal,
    role: state.role,
    label: toWireLabel(state.label),
    private: holdsPrivateData(state),
    calls: state.calls,
    refused: record.refused,
    waiting,
    opened_at: record.openedAt,
    last_at: record.lastAt,
    impossible: state.impossible !== null,
    closed: state.closed,
    gauge: toWireGauge(toGauge(policy, state)),
  };
}
