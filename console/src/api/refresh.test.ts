import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { LiveEvent } from "./live.ts";
import { keysOf, Refresher } from "./refresh.ts";

const SESSION = `sess_${"0".repeat(32)}`;
const event = (kind: string, session: string | null = SESSION): LiveEvent => ({ kind, session, data: {} });

describe("what an event puts out of date", () => {
  it("is its session, the list of sessions, and approvals where it is about one", () => {
    expect(keysOf(event("call-finished"))).toEqual([["sessions"], ["session", SESSION]]);
    for (const kind of ["approval-answered", "refusal-appealed"])
      expect(keysOf(event(kind))).toEqual([["approvals"], ["sessions"], ["session", SESSION]]);
  });

  it("is the policy where the gateway's own chain grows, and everything where a stream begins", () => {
    expect(keysOf(event("tool-pinned", "gateway"))).toEqual([["policy"], ["tools"], ["session"]]);
    expect(keysOf(event("hello", null))).toEqual([[]]);
  });

  it("is the standing approvals too where one was given, used or revoked", () => {
    for (const kind of ["standing-given", "standing-used", "standing-revoked"])
      expect(keysOf(event(kind, "gateway"))).toContainEqual(["approvals", "standing"]);
  });

  it("is everything where the policy in force is another, since cards and rows tell of its tools too", () => {
    expect(keysOf(event("policy-changed", null))).toEqual([[]]);
  });

  it("is the queue as well where a session that a card tells of comes to hold more", () => {
    const client = new QueryClient();
    const asked = vi.spyOn(client, "invalidateQueries").mockResolvedValue();
    const isAskedAnew = (): boolean =>
      asked.mock.calls.some(([given]) => given?.queryKey?.[0] === "approvals");
    client.setQueryData(["approvals", "waiting"], [{ session_id: `sess_${"1".repeat(32)}` }]);
    new Refresher(client).take(event("call-admitted"));
    expect(isAskedAnew()).toBe(false);
    client.setQueryData(["approvals", "waiting"], [{ session_id: SESSION }]);
    new Refresher(client).take(event("call-finished"));
    expect(isAskedAnew()).toBe(false);
    new Refresher(client).take(event("call-admitted"));
    expect(isAskedAnew()).toBe(true);
  });
});

describe("asking anew", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("asks once at once, and once more for all that came meanwhile", async () => {
    const client = new QueryClient();
    const asked = vi.spyOn(client, "invalidateQueries").mockResolvedValue();
    const refresher = new Refresher(client);
    for (let count = 0; count < 50; count += 1) refresher.take(event("call-finished"));
    const lists = (): number =>
      asked.mock.calls.filter(([given]) => given?.queryKey?.[0] === "sessions").length;
    expect(lists()).toBe(1);
    await vi.advanceTimersByTimeAsync(1_001);
    expect(lists()).toBe(2);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(lists()).toBe(2);
  });

  it("asks once more where the first answer was on its way, which may be from before", async () => {
    const client = new QueryClient();
    const answers: PromiseWithResolvers<string>[] = [];
    const queryFn = (): Promise<string> => {
      const answer = Promise.withResolvers<string>();
      answers.push(answer);
      return answer.promise;
    };
    const observer = new QueryObserver(client, { queryKey: ["sessions"], queryFn });
    const stop = observer.subscribe(() => {});
    new Refresher(client).take(event("call-finished"));
    answers[0]?.resolve("before");
    await vi.advanceTimersByTimeAsync(0);
    expect(answers.length).toBe(2);
    answers[1]?.resolve("after");
    await vi.advanceTimersByTimeAsync(0);
    expect(client.getQueryData(["sessions"])).toBe("after");
    stop();
  });
});
