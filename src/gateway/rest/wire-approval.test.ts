import { expect, it } from "vitest";
import { apply, definePolicy, initialState, type SessionEvent } from "../../core/index.ts";
import type { WaitingApproval } from "../../runtime/index.ts";
import { toWireWaiting } from "./wire-approval.ts";

const policy = definePolicy({ tools: { post: { permissions: ["connect"] } } });
const label = { level: "public", categories: [], trust: "trusted" };
const approval = {
  id: "appr_1",
  before: 0,
  session: "sess_1",
  principal: "ada",
  call: "call_1",
  tool: "post",
  arguments: {},
  reasons: [],
  why: [],
  release: false,
  targets: [],
  preview: null,
  label,
  at: "",
  expiresAt: "",
  behind: 0,
  folded: [],
  proposal: null,
  alike: 0,
  callerGone: false,
  callerWaits: false,
  policy: policy.version,
} satisfies WaitingApproval;

const raised = (at: number, reported?: true): SessionEvent => ({
  kind: "label-raised",
  call: null,
  step: null,
  tool: null,
  source: { ...label, categories: Array.from({ length: 4 * (at + 1) }, (_, index) => `c${100 + index}`) },
  dataset: `set ${at}`,
  label,
  ...(reported && { reported }),
});

it("shows of a session that was raised often where the first of it came from, and counts the rest (D7-console)", () => {
  const state = Array.from({ length: 50 }).reduce(
    (held: ReturnType<typeof initialState>, _, at) => apply(held, raised(at), ""),
    initialState(policy.lattice),
  );
  const wire = toWireWaiting(policy, state, approval);
  expect([wire.held.length, wire.more_held]).toEqual([20, 30]);
  expect(wire.held[3]?.label.categories).toHaveLength(8);
  expect(wire.held[3]?.more_categories).toBe(8);
  expect(wire.session_label).toEqual(state.label);
  expect(JSON.stringify(wire.held).length).toBeLessThan(8000);
});

it("tells what the agent reported from what was found (D7-console)", () => {
  const state = [raised(0), raised(1, true)].reduce(
    (held, event) => apply(held, event, ""),
    initialState(policy.lattice),
  );
  expect(
    toWireWaiting(policy, state, approval).held.map(({ dataset, reported }) => [dataset, reported]),
  ).toEqual([
    ["set 0", false],
    ["set 1", true],
  ]);
});
