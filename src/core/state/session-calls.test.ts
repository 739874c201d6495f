import { describe, expect, it } from "vitest";
import { RunningCalls } from "./session-calls.ts";

const running = (step: number) => ({ step, tool: "search", arguments: `hmac-sha256:${step}` });
const many = (count: number): RunningCalls =>
  Array.from({ length: count }, (_, step) => step).reduce(
    (calls, step) => calls.with(`call_${step}`, running(step)),
    RunningCalls.NONE,
  );
const names = (calls: RunningCalls): readonly string[] => [...calls].map(([call]) => call);

describe("the calls that run", () => {
  it("are none at first", () => {
    expect([RunningCalls.NONE.size, [...RunningCalls.NONE], RunningCalls.NONE.has("call_0")]).toEqual([
      0,
      [],
      false,
    ]);
    expect(RunningCalls.NONE.get("call_0")).toBeUndefined();
  });

  it("are kept in the order in which they came, each under its own name only", () => {
    const calls = many(100).with("__proto__", running(100));
    expect(names(calls)).toEqual([...Array.from({ length: 100 }, (_, step) => `call_${step}`), "__proto__"]);
    expect([calls.get("call_70"), calls.get("__proto__")]).toEqual([running(70), running(100)]);
    expect(["call_99", "constructor"].map((call) => calls.has(call))).toEqual([true, false]);
  });

  it("stay as they are when others are made from them", () => {
    const before = many(40);
    const [added, ended] = [before.with("call_40", running(40)), before.without("call_3")];
    expect([before.size, added.size, ended.size]).toEqual([40, 41, 39]);
    expect([before.has("call_40"), before.has("call_3"), ended.has("call_3")]).toEqual([false, true, false]);
    expect(before.without("call_77")).toBe(before);
  });

  it("behave as a map that is copied, whatever comes and goes", () => {
    let [calls, map] = [RunningCalls.NONE, new Map<string, ReturnType<typeof running>>()];
    for (let step = 0; step < 3000; step += 1) {
      const name = `call_${(step * 7919) % 301}`;
      map = new Map(map);
      map.delete(name);
      if ((step * 31) % 5 < 3) {
        map.set(name, running(step));
        calls = calls.with(name, running(step));
      } else {
        calls = calls.without(name);
      }
      if (step % 50 === 0) expect([...calls]).toEqual([...map]);
      if (calls.size !== map.size) expect(calls.size).toBe(map.size);
    }
  });

  it("are at most 1,024: the oldest one goes", () => {
    const calls = many(1100);
    expect([calls.size, names(calls)[0], names(calls).at(-1)]).toEqual([1024, "call_76", "call_1099"]);
  });
});
