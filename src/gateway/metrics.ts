/** Counters and gauges in Prometheus' text format, from the journal's entries. */
import type { Gate } from "../runtime/index.ts";
import type { StoreHealth } from "./state/store-health.ts";
import type { ToolRegistry } from "./tools/tool-registry.ts";

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

/** Counts this gateway's decisions from now on. */
export function createMetrics(
  gate: Gate,
  catalog: ToolRegistry,
  storeHealth: Pick<StoreHealth, "lastWrite" | "failures">,
): Metrics {
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
    const effects = [...decisions].map(([effect, count]) => [`{effect="${effect}"}`, count] as const);
    const servers = catalog.providers.map(
      ({ id, status }) => [`{server="${id}"}`, status === "ready" ? 1 : 0] as const,
    );
    const withheld = gate.policy.changed.size;
    const lines = [
      ...metric("decisions_total", "counter", "Decisions on calls.", effects),
      ...metric("sessions_opened_total", "counter", "Sessions opened.", [["", opened]]),
      ...metric("raises_total", "counter", "Raises by what was found in results.", [["", raised]]),
      ...metric("upstream_up", "gauge", "Whether a server can be called.", servers),
      ...metric("store_up", "gauge", "Whether the last write to the store succeeded.", [
        ["", storeHealth.lastWrite?.ok === false ? 0 : 1],
      ]),
      ...metric("store_write_failures_total", "counter", "Writes that the store refused.", [
        ["", storeHealth.failures],
      ]),
      ...metric("tools_withheld", "gauge", "Tools whose definition has changed since it was accepted.", [
        ["", withheld],
      ]),
    ];
    return `${lines.join("\n")}\n`;
  };
  return { text, stop };
}

/** One metric: its description, and its value for each set of labels. */
const metric = (
  name: string,
  type: "counter" | "gauge",
  help: string,
  samples: readonly (readonly [labels: string, value: number])[],
): readonly string[] => [
  `# HELP sluicegate_${name} ${help}`,
  `# TYPE sluicegate_${name} ${type}`,
  ...samples.map(([labels, value]) => `sluicegate_${name}${labels} ${value}`),
];
