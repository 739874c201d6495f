/** What servers were found to offer, as a policy learns it. */
import { lock } from "../policy/frozen.ts";
import type { PolicyOrigin } from "../policy/policy.ts";
import type { ToolHints } from "./declared-tools.ts";
import { parseToolId, toToolId } from "./tool.ts";

/** What a server was found to offer. */
export interface OfferedList {
  readonly server: string;
  /** Its tools, by their own names. */
  readonly tools: Iterable<string>;
  /** Those of them whose definition isn't the one that was accepted. */
  readonly changed?: Iterable<string>;
  /** The permissions that it says its tools need, by their own names. It only tightens. */
  readonly hints?: ToolHints;
}

/** What a policy is built from, with what several servers offer now in place of what they did. */
export function learnOffered(origin: PolicyOrigin, lists: readonly OfferedList[]): PolicyOrigin {
  const offered = new Map(origin.offered);
  for (const { server, tools } of lists) offered.set(server, lock(new Set(tools)));
  const asked = new Set<string | null>(lists.map(({ server }) => server));
  const isOthers = (id: string): boolean => !asked.has(parseToolId(id).server);
  const changed = lists.flatMap(({ server, changed: names = [] }) =>
    [...names].map((tool) => toToolId(server, tool)),
  );
  const hints = lists.flatMap(({ server, hints: said = [] }) =>
    [...said].map(([tool, needed]) => [toToolId(server, tool), needed] as const),
  );
  return {
    ...origin,
    offered: lock(offered),
    changed: lock(new Set([...[...origin.changed].filter(isOthers), ...changed])),
    hints: lock(new Map([...[...origin.hints].filter(([id]) => isOthers(id)), ...hints])),
  };
}
