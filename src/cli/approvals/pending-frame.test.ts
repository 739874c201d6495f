import { expect, it } from "vitest";
import { approvalOf } from "../approvals.test-kit.ts";
import type { Part } from "../terminal/terminal.ts";
import type { WireApproval } from "./parse-approval.ts";
import { frameOf } from "./pending-frame.ts";
import { emptyView, step, type View } from "./pending-view.ts";

const NOW = new Date("2026-11-22T08:00:00.000Z");
const SIZE = { columns: 80, rows: 24 };
const PLACE = "http://127.0.0.1:7311";
const viewOf = (...approvals: readonly WireApproval[]): View =>
  step(emptyView, { kind: "listed", approvals }).view;
const textOf = (part: Part): string => (typeof part === "string" ? part : part.text);
const textsOf = (view: View, size = SIZE): readonly string[] =>
  frameOf(view, PLACE, size, NOW).lines.map((line) => line.map(textOf).join(""));

const LONG = approvalOf({ arguments: { body: "word ".repeat(2000) } });

it("fills the terminal exactly, whatever is long, and cuts nothing from what scrolls (D7-data)", () => {
  const hostile = approvalOf({ tool: "t".repeat(500), principal: "\u202e".repeat(90), release: true });
  for (const approval of [approvalOf(), LONG, hostile]) {
    for (const size of [SIZE, { columns: 40, rows: 10 }, { columns: 200, rows: 60 }]) {
      const lines = textsOf(viewOf(approval), size);
      expect(lines).toHaveLength(size.rows);
      expect(lines.every((line) => [...line].length <= size.columns)).toBe(true);
    }
  }
});

it("shows at any place of a long value what is asked, whether it is a release, how long, and who waits behind it (D7-data)", () => {
  const view = {
    ...viewOf({ ...LONG, release: true, waiting_behind: 2 }, approvalOf({ id: "appr_2" })),
    top: 50,
  };
  const lines = textsOf(view);
  expect(lines.slice(0, 3)).toEqual([
    `Approvals at ${PLACE}   1 of 2 sessions`,
    "RELEASE  wire_transfer  for ada",
    "expires in 60 min   2 more of this session wait behind it",
  ]);
  expect(lines[21]).toMatch(/─ lines 51-67 of \d+, space goes on ──$/);
});

it("is at the end once the last line is in view, and judges nothing where there is no room", () => {
  const view = viewOf(LONG);
  const first = frameOf(view, PLACE, SIZE, NOW);
  expect(first).toMatchObject({ isEnd: false, revision: view.revision });
  const { height, lines } = first.page;
  expect(frameOf({ ...view, top: lines - height - 1 }, PLACE, SIZE, NOW).isEnd).toBe(false);
  expect(frameOf({ ...view, top: lines - height }, PLACE, SIZE, NOW).isEnd).toBe(true);
  expect(frameOf(viewOf(approvalOf()), PLACE, SIZE, NOW).isEnd).toBe(true);
  expect(frameOf(view, PLACE, { columns: 80, rows: 9 }, NOW)).toMatchObject({ isEnd: false, revision: null });
  expect(frameOf(viewOf(), PLACE, SIZE, NOW)).toMatchObject({ isEnd: false, revision: null });
});

it("asks for the reason on the line above the keys, and says so where its approval is over", () => {
  const view = { ...viewOf(approvalOf()), reason: { id: approvalOf().id, text: "wrong account" } };
  expect(textsOf(view).at(-2)).toMatch(/^Why not\? wrong account_ {2}\(Enter denies/);
  expect(textsOf({ ...view, reason: { id: "another", text: "x" } }).at(-2)).toMatch(/^That one is over\./);
});
