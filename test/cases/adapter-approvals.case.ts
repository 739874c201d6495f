/** Calls that wait for a person, through each adapter: nothing that an SDK was told admits one, only the gate's answer. */
import { expect, it } from "vitest";
import type { Play } from "./adapter.case.ts";
import type { Adapter, Played } from "./adapter-driver.ts";
import type { Office } from "./adapter-office.ts";

type Open = () => Promise<Office>;

const pay = { id: "c-pay", tool: "pay", args: { amount: 5, to: "acme" } };
const yes = { answer: "approved", by: "grace" } as const;

const isApproval = expect.stringMatching(/^appr_[0-9a-f]{32}$/);

/** The approval that a run stands still for. */
const approvalOf = ({ waiting }: Played): string => {
  expect(waiting).toEqual({ "c-pay": isApproval });
  return waiting["c-pay"] ?? "";
};

export function describeAdapterApprovals(adapter: Adapter, open: Open, play: Play): void {
  it("pauses with the approval's id for a call that a person must say yes to, and runs nothing (D5-queue)", async () => {
    const office = await open();
    const played = await play(office, [[pay]]);
    const [pending] = await office.gate.pendingApprovals();
    expect(approvalOf(played)).toBe(pending?.id);
    expect(pending?.arguments).toEqual(pay.args);
    expect(office.ran).toEqual([]);
  });

  it("runs the call once that the gate's approval was given for (law-7, D6-binding)", async () => {
    const office = await open();
    const paused = await play(office, [[pay], [{ ...pay, id: "c-more" }]]);
    await office.gate.answerApproval(approvalOf(paused), yes);
    const resumed = await paused.resume(true);
    expect(office.ran).toEqual(["pay"]);
    expect(office.args).toEqual([pay.args]);
    // The same call once more waits for a yes of its own.
    expect(resumed.waiting).toEqual({ "c-more": isApproval });
    expect(resumed.waiting["c-more"]).not.toBe(paused.waiting["c-pay"]);
  });

  it("runs a call as the person changed it, and tells the model that they did (X20)", async () => {
    const office = await open();
    const paused = await play(office, [[pay]]);
    const edit = { amount: 1, to: "acme" };
    await office.gate.answerApproval(approvalOf(paused), { ...yes, arguments: edit });
    const { told } = await paused.resume(true);
    expect(office.args).toEqual([edit]);
    const note = "A person approved this call after changing `amount`; it ran as changed.";
    if (!adapter.isHost) expect(told["c-pay"]).toContain(note);
    expect(told["c-pay"]).toContain("paid");
  });

  it("doesn't run a call on the SDK's yes alone (law-7)", async () => {
    const office = await open();
    const paused = await play(office, [[pay]]);
    const { told } = await paused.resume(true);
    expect(office.ran).toEqual([]);
    expect(told["c-pay"]).toContain("Tool `pay` waits for a person.");
    expect(told["c-pay"]).toContain(approvalOf(paused));
  });

  it("doesn't run a call that the gate's approval was denied for, whatever the SDK was told (law-7)", async () => {
    const office = await open();
    const paused = await play(office, [[pay]]);
    await office.gate.answerApproval(approvalOf(paused), { ...yes, answer: "denied" });
    const { told } = await paused.resume(true);
    expect(office.ran).toEqual([]);
    expect(told["c-pay"]).toContain("A person was asked about this very call and said no.");
  });

  it("doesn't run a call that the SDK was told no for, though the gate's approval was given", async () => {
    if (!adapter.pauses) return;
    const office = await open();
    const paused = await play(office, [[pay]]);
    await office.gate.answerApproval(approvalOf(paused), yes);
    await paused.resume(false);
    expect(office.ran).toEqual([]);
  });

  it("doesn't run a resumed call whose arguments are others than those that were approved (D6-binding)", async () => {
    const office = await open();
    const paused = await play(office, [[pay]]);
    const approval = approvalOf(paused);
    await office.gate.answerApproval(approval, yes);
    const { told, waiting } = await paused.resume(true, { amount: 5000, to: "mallory" });
    expect(office.ran).toEqual([]);
    const again = await office.gate.pendingApprovals();
    expect(again.map((one) => one.arguments)).toEqual([{ amount: 5000, to: "mallory" }]);
    expect(told["c-pay"] ?? waiting["c-pay"]).toContain(again[0]?.id);
    expect(again[0]?.id).not.toBe(approval);
  });

  it("doesn't run a call whose approval has expired, and asks anew (D6-binding)", async () => {
    const office = await open();
    const paused = await play(office, [[pay]]);
    const approval = approvalOf(paused);
    await office.gate.answerApproval(approval, yes);
    office.time.now += 61_000;
    const { told, waiting } = await paused.resume(true);
    expect(office.ran).toEqual([]);
    const [again] = await office.gate.pendingApprovals();
    expect(again?.id).not.toBe(approval);
    expect(told["c-pay"] ?? waiting["c-pay"]).toContain(again?.id);
  });

  it("checks a resumed call again: what was read meanwhile shuts it (B8, law-7)", async () => {
    const office = await open();
    const paused = await play(office, [[pay]]);
    await office.gate.answerApproval(approvalOf(paused), yes);
    await office.gate.reset(office.session.id);
    const { told, failed } = await paused.resume(true);
    expect(office.ran).toEqual([]);
    expect(told["c-pay"] ?? failed).toMatch(/session|not found/);
  });

  it("runs the other calls of a step in which one waits", async () => {
    const office = await open();
    const paused = await play(office, [[pay, { id: "c-note", tool: "note", args: {} }]]);
    expect(office.ran).not.toContain("pay");
    await office.gate.answerApproval(approvalOf(paused), yes);
    await paused.resume(true);
    expect([...office.ran].sort()).toEqual(["note", "pay"]);
  });
}
