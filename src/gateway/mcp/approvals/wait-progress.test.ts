import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { ServerMessage } from "../../../runtime/index.ts";
import { WaitProgress } from "./wait-progress.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const create = (progress = true) => {
  const told: ServerMessage[] = [];
  return { told, waits: new WaitProgress({ progress, notify: (notice) => told.push(notice) }) };
};
const steps = (told: readonly ServerMessage[]): number[] => told.map(({ params }) => Number(params.progress));
const fromServer = (progress: number): ServerMessage => ({
  method: "notifications/progress",
  params: { progress, total: 100 },
});

it("tells at once and then every ten seconds that a call waits, each time with more progress (D5-mcp)", () => {
  const { told, waits } = create();
  waits.begin("Waits.");
  expect(told).toMatchObject([{ method: "notifications/progress", params: { message: "Waits." } }]);
  vi.advanceTimersByTime(600_000);
  expect(told).toHaveLength(61);
  expect(steps(told)).toEqual([...new Set(steps(told))].sort((a, b) => a - b));
  waits.end();
  vi.advanceTimersByTime(60_000);
  expect(told).toHaveLength(61);
});

it("tells nothing to a client that asked for no progress", () => {
  const { told, waits } = create(false);
  waits.begin("Waits.");
  vi.advanceTimersByTime(60_000);
  expect(told).toEqual([]);
});

it("passes on what the server tells afterwards, but for progress that would fall back", () => {
  const { told, waits } = create();
  waits.begin("Waits.");
  vi.advanceTimersByTime(600_000);
  waits.end();
  told.splice(0);
  const message = { method: "notifications/message", params: { level: "info", data: 0 } };
  for (const notice of [fromServer(0), message, fromServer(0.5), fromServer(100)]) waits.notify(notice);
  expect(told).toEqual([message, fromServer(0.5), fromServer(100)]);
});

it("passes on all progress of a server whose call never waited", () => {
  const { told, waits } = create();
  waits.notify(fromServer(0));
  expect(told).toEqual([fromServer(0)]);
});
