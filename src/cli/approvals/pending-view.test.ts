import { describe, expect, it } from "vitest";
import { approvalOf } from "../approvals.test-kit.ts";
import {
  type Effect,
  emptyView,
  type Key,
  QUIET_MS,
  step,
  type View,
  type ViewEvent,
} from "./pending-view.ts";

const ONE = approvalOf({ id: "appr_one", session_id: "sess_1" });
const TWO = approvalOf({ id: "appr_two", session_id: "sess_2", tool: "send_email" });
const NEXT = approvalOf({ id: "appr_next", session_id: "sess_1" });

/** A view that is driven: its clock stands still but for `wait`. */
function drive() {
  let view: View = emptyView;
  let now = 1000;
  const done: Effect[] = [];
  const take = (event: ViewEvent): void => {
    const stepped = step(view, event);
    view = stepped.view;
    done.push(...stepped.effects);
  };
  const driver = {
    get view() {
      return view;
    },
    done,
    list: (...approvals: readonly (typeof ONE)[]) => take({ kind: "listed", approvals }),
    drawn: (isEnd = true) => take({ kind: "drawn", revision: view.revision, isEnd, now }),
    wait: (milliseconds = QUIET_MS) => {
      now += milliseconds;
    },
    press: (...keys: readonly (string | Key)[]) => {
      for (const key of keys) {
        const pressed = typeof key === "string" ? { name: key, sequence: key } : key;
        take({ kind: "key", key: pressed, now, page: { height: 10, lines: 25 } });
      }
    },
    take,
  };
  return driver;
}

/** One that is shown, was read, and can be answered. */
function driveTo(...approvals: readonly (typeof ONE)[]) {
  const driver = drive();
  driver.list(...approvals);
  driver.drawn();
  driver.wait();
  return driver;
}

describe("an answer in the live view", () => {
  it("is a yes to what is shown, by `a`, and a no by `d` with or without words (D5-terminal)", () => {
    const yes = driveTo(ONE, TWO);
    yes.press("a");
    expect(yes.done).toEqual([{ kind: "answer", approval: ONE, answer: "approved" }]);
    const no = driveTo(ONE);
    no.press("d", "n", "o", "t", { name: "space", sequence: " " }, "a", "return");
    expect(no.done).toEqual([{ kind: "answer", approval: ONE, answer: "denied", why: "not a" }]);
    const plain = driveTo(ONE);
    plain.press("d", "x", "backspace", "return");
    expect(plain.done).toEqual([{ kind: "answer", approval: ONE, answer: "denied" }]);
    const kept = driveTo(ONE);
    kept.press("d", "x", "escape", "return");
    expect([kept.done, kept.view.word]).toEqual([[], "Not denied: it still waits."]);
  });

  it("counts for nothing that was pressed before the approval was on the terminal, or just after (D5-terminal)", () => {
    const driver = drive();
    driver.list(ONE);
    driver.press("a", "d", "return");
    driver.drawn();
    driver.press("a");
    driver.wait(QUIET_MS - 1);
    driver.press("a", "d");
    expect([driver.done, driver.view.reason]).toEqual([[], null]);
    driver.wait();
    driver.press("a");
    expect(driver.done).toHaveLength(1);
  });

  it("counts for nothing where what was drawn was another one (D5-terminal)", () => {
    const driver = driveTo(ONE, TWO);
    const { revision } = driver.view;
    driver.press("n");
    driver.take({ kind: "drawn", revision, isEnd: true, now: 0 });
    driver.press("a");
    expect(driver.done).toEqual([]);
  });

  it("needs the key to be let go: one that is held down answers no approval that follows (D5-terminal)", () => {
    const driver = driveTo(ONE, TWO);
    driver.press("a");
    driver.take({ kind: "answered", id: ONE.id, word: "approved" });
    expect(driver.view.shown).toEqual(TWO);
    driver.drawn();
    for (let time = 0; time < 3000; time += 30) {
      driver.wait(30);
      driver.press("a");
    }
    expect(driver.done).toHaveLength(1);
  });

  it("is no yes before the end of a long value was on the terminal (D5-terminal)", () => {
    const driver = drive();
    driver.list(ONE);
    driver.drawn(false);
    driver.wait();
    driver.press("a");
    expect(driver.done).toEqual([]);
    expect(driver.view.word).toMatchObject({ text: expect.stringContaining("scroll to its end") });
    driver.press("space");
    driver.drawn(true);
    driver.press("up");
    driver.drawn(false);
    driver.press("a");
    expect(driver.done).toHaveLength(1);
  });

  it("is given once, however often the key is pressed while it is on its way", () => {
    const driver = driveTo(ONE);
    driver.press("a", "a", "d", "return");
    expect(driver.done).toHaveLength(1);
    driver.take({ kind: "failed", id: ONE.id, word: "no" });
    driver.press("a");
    expect(driver.done).toHaveLength(2);
  });

  it("isn't taken from pasted text, from control keys, or from a reason that outlives its approval (D5-terminal)", () => {
    const driver = driveTo(ONE, TWO);
    driver.press({ name: "paste-start" }, "a", "d", "return", { name: "paste-end" });
    driver.press(
      { name: "a", sequence: "\u0001", ctrl: true },
      { name: "a", sequence: "\u001ba", meta: true },
    );
    driver.press(
      { name: "q", sequence: "\u001bq", meta: true },
      { name: "n", sequence: "\u000e", ctrl: true },
    );
    expect([driver.done, driver.view.reason, driver.view.shown]).toEqual([[], null, ONE]);
    driver.press("d", "b", "a");
    driver.list(TWO);
    driver.drawn();
    driver.wait();
    driver.press("a", "d", "return");
    expect(driver.done).toEqual([{ kind: "gone", approval: ONE }]);
    expect(driver.view.reason).toBeNull();
  });
});

describe("what the live view shows", () => {
  it("stays where it was read while the list is read again, and starts anew where its content has changed", () => {
    const driver = driveTo(ONE);
    driver.press("down", "down");
    driver.list({ ...ONE, waiting_behind: 3 }, TWO);
    expect(driver.view).toMatchObject({ top: 2, isRead: true, shown: { waiting_behind: 3 } });
    driver.list({ ...ONE, arguments: { amount: 12_000 } }, TWO);
    expect(driver.view).toMatchObject({ top: 0, isRead: false, quietSince: null });
    driver.press("a");
    expect(driver.done).toEqual([]);
  });

  it("keeps what was made of long arguments while the list is read again", () => {
    const driver = driveTo(ONE);
    driver.list(structuredClone(ONE));
    expect(driver.view.shown?.arguments).toBe(ONE.arguments);
  });

  it("goes on with the same session, else with the next one, when an approval is over", () => {
    const driver = driveTo(TWO, ONE);
    driver.press("n");
    expect(driver.view.shown).toEqual(ONE);
    driver.list(TWO, NEXT);
    expect(driver.view.shown).toEqual(NEXT);
    driver.list(TWO);
    expect(driver.view.shown).toEqual(TWO);
    driver.list();
    expect(driver.view.shown).toBeNull();
    expect(driver.done.map((effect) => effect.kind)).toEqual(["gone", "gone", "gone"]);
    driver.press("a", "n", "space");
    expect(driver.done).toHaveLength(3);
  });

  it("moves in circles among sessions, and scrolls no further than to the end", () => {
    const driver = driveTo(ONE, TWO);
    driver.press("right");
    expect(driver.view.shown).toEqual(TWO);
    driver.press("n");
    expect(driver.view.shown).toEqual(ONE);
    driver.press("left");
    expect(driver.view.shown).toEqual(TWO);
    driver.press("space", "down");
    expect(driver.view.top).toBe(10);
    driver.press("pagedown", "pagedown");
    expect(driver.view.top).toBe(15);
    driver.press("pageup", "up");
    expect(driver.view.top).toBe(5);
    driver.press("b", "up");
    expect(driver.view.top).toBe(0);
    driver.press("space");
    driver.take({ kind: "resized" });
    expect(driver.view.top).toBe(0);
  });

  it("leaves by `q` and by Ctrl+C, from the reason's line by Ctrl+C alone", () => {
    const driver = driveTo(ONE);
    driver.press("q");
    driver.press("d", "q", { name: "c", sequence: "\u0003", ctrl: true });
    expect(driver.done).toEqual([{ kind: "leave" }, { kind: "leave" }]);
    expect(driver.view.reason?.text).toBe("q");
  });
});
