/** Where approvals are examined and answered: at a gateway that runs, or, where none does, in the store itself. */

import { findGateway, type GatewayClient, type Whereabouts } from "../wiring/gateway-client.ts";
import type { ApprovalsSource } from "./approvals-source.ts";
import {
  parseAppeals,
  parseApprovals,
  parseDenied,
  parseFound,
  parseOutcome,
  parseStandings,
} from "./parse-approval.ts";

/** The gateway that runs, or the store. @throws SluicegateError where there is neither. */
export async function openApprovals(options: Whereabouts): Promise<ApprovalsSource> {
  const client = await findGateway(options);
  if (client !== null) return overRest(client);
  const { openStoreApprovals } = await import("./approvals-store.ts");
  return openStoreApprovals(options);
}

const VERBS = { approved: "approve", denied: "deny" } as const;

function overRest(client: GatewayClient): ApprovalsSource {
  const pathOf = (id: string): string => `/v1/approvals/${encodeURIComponent(id)}`;
  return {
    place: client.url,
    pending: () => client.ask("/v1/approvals?via=terminal", parseApprovals),
    appeals: () => client.ask("/v1/appeals", parseAppeals),
    standing: () => client.ask("/v1/standing-approvals", parseStandings),
    find: (id) => client.ask(`${pathOf(id)}?via=terminal`, parseFound),
    alike: (id) => client.ask(`/v1/approvals?via=terminal&like=${encodeURIComponent(id)}`, parseApprovals),
    denyDeparted: () => client.ask("/v1/approvals/deny-departed", parseDenied, { via: "terminal" }),
    answer: (id, { answer, why, standing }) =>
      client.ask(`${pathOf(id)}/${VERBS[answer]}`, parseOutcome, {
        via: "terminal",
        ...(why !== undefined && { why }),
        ...(standing && { standing }),
      }),
    close: async () => {},
  };
}
