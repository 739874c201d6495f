/** Counters and gauges in Prometheus' text format, fed by the journal as it is written. */
import type { Gate } from "../session/index.ts";
import type { Catalog } from "./catalog.ts";

export interface Metrics {
  /** Prometheus text exposition format 0.0.4. */
  text(): string;
  stop(): void;
}

const DECISIONS: Readonly<Record<string, string>> = Object.freeze({
  "call-admitted": "allow",
  "call-refused": "deny",
  "approval-requested": "ask",
});

/** Counts what this gateway decides from now on. */
export function createMetrics(gate: Gate, catalog: Catalog): Metrics {
  const decisions = new Map<string, number>([
    ["allow", 0],
    ["ask", 0],
    ["deny", 0],
  ]);
  let opened = 0;
  let raised = 0;
  const stop = gate.watch((entries) => {
    for (const { entry } of entries) {
      const effect = DECISIONS[entry.kind];
      if (effect) decisions.set(effect, (decisions.get(effect) ?? 0) + 1);
      if (entry.kind === "session-opened") opened += 1;
      if (entry.kind === "label-raised") raised += 1;
    }
  });
  const text = (): string => {
    const lines = [
      "# HELP sluicegate_decisions_total Decisions on calls.",
      "# TYPE sluicegate_decisions_total counter",
    ];
    for (const [effect, count] of decisions)
      lines.push(`sluicegate_decisions_total{effect="${effect}"} ${count}`);
    lines.push(
      "# HELP sluicegate_sessions_opened_total Sessions opened.",
      "# TYPE sluicegate_sessions_opened_total counter",
    );
    lines.push(`sluicegate_sessions_opened_total ${opened}`);
    lines.push(
      "# HELP sluicegate_raises_total Raises by what was found in results.",
      "# TYPE sluicegate_raises_total counter",
    );
    lines.push(`sluicegate_raises_total ${raised}`);
    lines.push(
      "# HELP sluicegate_upstream_up Whether a server can be called.",
      "# TYPE sluicegate_upstream_up gauge",
    );
    for (const { id, status } of catalog.providers) {
      lines.push(`sluicegate_upstream_up{server="${id}"} ${status === "ready" ? 1 : 0}`);
    }
    lines.push(
      "# HELP sluicegate_tools_withheld Tools whose definition has changed since it was accepted.",
      "# TYPE sluicegate_tools_withheld gauge",
      `sluicegate_tools_withheld ${gate.policy.changed.size}`,
    );
    return `${lines.join("\n")}\n`;
  };
  return { text, stop };
}
