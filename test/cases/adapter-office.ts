/** An office whose tools write down what they did: the tools, the policy and the clock of the adapters' cases. */

import type { PolicyDeclaration } from "../../src/index.ts";
import {
  createGate,
  createMemoryStore,
  currentSession,
  definePolicy,
  type Gate,
  type Session,
} from "../../src/index.ts";
import type { AgentTool, AgentTools } from "./adapter-driver.ts";

const TOOLS: NonNullable<PolicyDeclaration["tools"]> = {
  read_mail: { permissions: ["read"], source: { level: "internal", trust: "untrusted" } },
  web_search: { permissions: ["connect"], source: { level: "public", trust: "untrusted" } },
  pay: { permissions: ["write"], approval: "always" },
  note: { permissions: ["write"] },
  meet: { permissions: ["read"] },
  fail: { permissions: ["read"], source: { level: "confidential" } },
  stream: { permissions: ["read"], source: { level: "internal" } },
  delegate: { permissions: ["read"] },
};

export interface Office {
  readonly gate: Gate;
  readonly session: Session;
  readonly tools: AgentTools;
  /** The names of what ran, in the order in which it began. */
  readonly ran: string[];
  /** The arguments that each was run with. */
  readonly args: unknown[];
  /** The current session's durable level at each chunk of a stream. */
  readonly labels: string[];
  /** Tools whose facts take long to find out. */
  readonly slow: Set<string>;
  /** What is done when a tool runs; what it gives is the tool's result. */
  readonly onRun: Map<string, () => unknown>;
  readonly time: { now: number };
  takeAway(tool: string): void;
  /** Entries of these kinds, each with its tool, or with how it ended; once every admitted call has ended. */
  journal(...kinds: readonly string[]): Promise<readonly (readonly unknown[])[]>;
}

export async function openOffice(): Promise<Office> {
  const time = { now: Date.parse("2026-11-22T08:00:00.000Z") };
  const slow = new Set<string>();
  const policyWithout = (...denied: readonly string[]) =>
    definePolicy({ tools: TOOLS, policy: { deniedTools: denied } }, { version: `without ${denied}` });
  const gate = createGate({
    policy: policyWithout(),
    store: createMemoryStore(),
    clock: { now: () => new Date(time.now) },
    approvalSeconds: 60,
    facts: async ({ tool }) => {
      for (let turn = 0; slow.has(tool) && turn < 20; turn += 1) await new Promise(setImmediate);
      return {};
    },
  });
  const session = await gate.open({ principal: "ada" });
  const [ran, args, labels]: [string[], unknown[], string[]] = [[], [], []];
  const onRun = new Map<string, () => unknown>();
  const run: Readonly<Record<string, (given: any) => unknown>> = {
    read_mail: () => "Q3 is up 4 percent.",
    web_search: () => "The market is calm.",
    pay: ({ amount }) => `paid ${amount}`,
    note: () => "noted",
    meet: createMeeting(),
    fail: () => {
      throw new Error("the index is broken");
    },
    delegate: () => "nobody was asked",
  };
  const tools: AgentTools = new Map<string, { description: string; run: AgentTool }>([
    ...Object.keys(run).map((name) => {
      const describedAs = name === "web_search" ? "Searches the web." : `Does ${name}.`;
      const tool = async (given: unknown): Promise<unknown> => {
        ran.push(name);
        args.push(given);
        return (await onRun.get(name)?.()) ?? run[name]?.(given);
      };
      return [name, { description: describedAs, run: tool }] as const;
    }),
    ["stream", { description: "Streams.", run: (given: any) => stream(given.count, ran, labels) }],
  ]);
  return {
    gate,
    session,
    tools,
    ran,
    args,
    labels,
    slow,
    onRun,
    time,
    takeAway: (tool) => gate.usePolicy(policyWithout(tool)),
    journal: (...kinds) => readJournal(session, kinds),
  };
}

async function* stream(count: number, ran: string[], labels: string[]): AsyncGenerator<string> {
  ran.push("stream");
  for (let index = 1; index <= count; index += 1) {
    const admitted = (await currentSession().journal()).find(({ kind }) => kind === "call-admitted");
    labels.push((admitted?.data.label as { level: string } | undefined)?.level ?? "none");
    yield `chunk ${index}`;
  }
}

/** Ends for nobody before as many as `of` says have come. */
function createMeeting(): (given: { readonly of: number }) => Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let come = 0;
  return ({ of }) => {
    come += 1;
    if (come === of) resolve("met");
    return promise;
  };
}

async function readJournal(
  session: Session,
  kinds: readonly string[],
): Promise<readonly (readonly unknown[])[]> {
  for (let turn = 0; turn < 1000; turn += 1) {
    const entries = await session.journal();
    const count = (kind: string): number => entries.filter((entry) => entry.kind === kind).length;
    if (count("call-finished") === count("call-admitted")) {
      const chosen = entries.filter(({ kind }) => kinds.includes(kind));
      return chosen.map(({ kind, data }) => [kind, data.outcome ?? data.tool]);
    }
    await new Promise(setImmediate);
  }
  throw new Error("A call's end never came into the journal.");
}
