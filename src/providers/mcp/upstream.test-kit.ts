/** What the tests of upstreams share: the servers that they start, and ways to wait for events. */
import { join } from "node:path";
import { SluicegateError } from "../../errors/index.ts";
import type { ToolProvider, ToolResult } from "../../runtime/index.ts";
import type { Schedule } from "./calls/schedule.ts";
import { connectUpstream, type UpstreamOptions, type UpstreamServer } from "./upstream.ts";

export const ROOT = join(import.meta.dirname, "../../..");
export const TOKEN = "token-123456";
const HOSTILE = join(ROOT, "test/fixtures/upstream-hostile.ts");

export const program = (command: string, args: readonly string[] = [], cwd = ROOT): UpstreamServer => ({
  id: "files",
  transport: { kind: "stdio", command, args, env: {}, cwd },
});

/** The fixture that misbehaves, in this mode. */
export const hostile = (mode: string, ...args: readonly string[]): UpstreamServer => ({
  id: "hostile",
  transport: {
    kind: "stdio",
    command: "node",
    args: [HOSTILE, mode, ...args],
    env: { API_TOKEN: TOKEN, SLUICEGATE_TOKEN: "not for servers" },
    cwd: ROOT,
  },
});

export const overHttp = (url: string): UpstreamServer => ({
  id: "web",
  transport: { kind: "http", url, headers: { authorization: `Bearer ${TOKEN}`, "x-team": "harbour" } },
});

/** Upstreams that `closeAll` closes. */
export function createUpstreams(): {
  open(server: UpstreamServer, options?: UpstreamOptions): Promise<ToolProvider>;
  closeAll(): Promise<void>;
} {
  const opened: ToolProvider[] = [];
  return {
    open: async (server, options) => {
      const provider = connectUpstream(server, options);
      opened.push(provider);
      await provider.settled;
      return provider;
    },
    closeAll: async () => {
      await Promise.all(opened.splice(0).map((provider) => provider.close()));
    },
  };
}

/** Resolves as soon as the condition holds; it is examined whenever the provider says that it changed. */
export function until(provider: ToolProvider, condition: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const check = (): void => {
      if (!condition()) return;
      stop();
      resolve();
    };
    const stop = provider.watch(check);
    check();
  });
}

export const textOf = ({ content }: ToolResult): unknown => content.at(-1)?.text;

export const callText = async (provider: ToolProvider, tool: string, args = {}): Promise<unknown> =>
  textOf(await provider.run(tool, args, {}));

/** The error that a call ends in. */
export async function failureOf(running: Promise<unknown>): Promise<SluicegateError> {
  try {
    await running;
  } catch (error) {
    if (SluicegateError.isInstance(error)) return error;
    throw error;
  }
  throw new Error("The call did not fail.");
}

/** A log that can be waited for. */
export function createTestLog(): {
  readonly lines: string[];
  readonly onLog: (line: string) => void;
  /** Resolves once this line has come so many times since the beginning. */
  seen(line: string, times?: number): Promise<void>;
} {
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  return {
    lines,
    onLog: (line) => {
      lines.push(line);
      for (const check of [...waiting]) check();
    },
    seen: (line, times = 1) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (lines.filter((other) => other === line).length < times) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
  };
}

export interface ManualSchedule {
  readonly schedule: Schedule;
  /** The delays that wait now, in the order they were asked for. */
  delays(): readonly number[];
  /** Lets what waits for this long happen now. */
  elapse(delayMs: number): void;
}

/** Nothing happens by itself. */
export function createManualSchedule(): ManualSchedule {
  const waiting = new Set<{ readonly run: () => void; readonly delayMs: number }>();
  return {
    schedule: (run, delayMs) => {
      const entry = { run, delayMs };
      waiting.add(entry);
      return () => waiting.delete(entry);
    },
    delays: () => [...waiting].map(({ delayMs }) => delayMs),
    elapse: (delayMs) => {
      for (const entry of [...waiting]) {
        if (entry.delayMs !== delayMs) continue;
        waiting.delete(entry);
        entry.run();
      }
    },
  };
}
