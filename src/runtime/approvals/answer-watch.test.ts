import { describe, expect, it } from "vitest";
import { AnswerWatch, type Waiter } from "./answer-watch.ts";

const newWatch = () => {
  let listening = 0;
  let now = 0;
  const store = {
    watch: () => {
      listening += 1;
      return () => {
        listening -= 1;
      };
    },
  };
  const watch = new AnswerWatch(store, () => now);
  const pass = (milliseconds: number): void => {
    now += milliseconds;
  };
  return { watch, pass, listening: () => listening };
};

describe("calls that are held for a person", () => {
  it("have places by label holder, so that forks gain none (D5-queue)", () => {
    const { watch } = newWatch();
    const hold = (session: string, labelHolder: string): Waiter | null =>
      watch.begin({ session, labelHolder, principal: null, approval: session });
    const held = Array.from({ length: 10_000 }, (_, at) => hold(`fork ${at % 100}`, "flood"));
    expect(held.filter((waiter) => waiter !== null)).toHaveLength(100);
    expect(hold("victim", "victim")).not.toBeNull();
    held[0]?.end();
    held[0]?.end();
    expect([hold("fork 0", "flood"), hold("fork 1", "flood")].map((one) => one !== null)).toEqual([
      true,
      false,
    ]);
  });

  it("leave places to other principals, however many sessions one has (D5-queue)", () => {
    const { watch } = newWatch();
    const hold = (session: string, principal: string): boolean =>
      watch.begin({ session, labelHolder: session, principal, approval: session }) !== null;
    const held = Array.from({ length: 10_000 }, (_, at) => hold(`session ${at}`, "ada"));
    expect(held.filter((isHeld) => isHeld)).toHaveLength(8750);
    expect(hold("other", "bob")).toBe(true);
  });

  it("are known by their approval until a minute after they end", () => {
    const { watch, pass, listening } = newWatch();
    const [one, other] = ["appr_1", "appr_1"].map((approval) =>
      watch.begin({ session: "s", labelHolder: "s", principal: null, approval }),
    );
    one?.holdFor("appr_2");
    expect(["appr_1", "appr_2"].map((id) => watch.isHeld(id))).toEqual([true, true]);
    other?.end();
    one?.end();
    expect(["appr_1", "appr_2"].map((id) => watch.isHeld(id))).toEqual([true, true]);
    pass(60_000);
    expect(["appr_1", "appr_2"].map((id) => watch.isHeld(id))).toEqual([false, false]);
    expect(listening()).toBe(0);
  });
});
