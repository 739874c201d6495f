/** An approval as the gateway lists it, for tests of what the page makes of it. */
import type { Approval } from "../api/queries.ts";

export const approvalWith = (given: Partial<Approval>): Approval => ({
  id: "appr_1",
  status: "pending",
  session_id: "session_1",
  principal: "ada",
  call_id: "call_1",
  tool: "slack_post",
  what: "`ada`'s agent wants to send data to `slack_post`.",
  facts: null,
  arguments: {},
  folded: [],
  held: [],
  gauge: { level: 0, gates: [] },
  reasons: [],
  why: [],
  release: false,
  targets: [],
  diff: null,
  label: { level: "public", categories: [], trust: "trusted" },
  requested_at: "2026-11-22T09:00:00Z",
  expires_at: "2026-11-22T10:00:00Z",
  waiting_behind: 0,
  caller_waits: true,
  ...given,
});
