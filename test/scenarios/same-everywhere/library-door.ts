/** The scenarios in a host's own code: a gate, sessions, and providers that run the calls. */

import { isWithin, type Label, type Policy, parseToolId, withOffered } from "../../../src/core/index.ts";
import { SluicegateError } from "../../../src/errors/index.ts";
import { parseConfig } from "../../../src/policy-file/index.ts";
import { connectUpstream } from "../../../src/providers/mcp/upstream.ts";
import {
  createGate,
  examineCalls,
  type Gate,
  type Session,
  type ToolProvider,
} from "../../../src/runtime/index.ts";
import { createMemoryStore } from "../../../src/stores/index.ts";
import {
  type Answer,
  DIGEST_KEY,
  type Door,
  type Json,
  type PlannedToolCall,
  type Player,
  readFinished,
  SCENARIO_POLICY,
  sentencesOf,
  toldBy,
  toResult,
} from "./door.ts";

/** How a host makes calls, other than by hand: one, or those of a batch. */
export interface Host {
  readonly name: string;
  play(
    providers: ReadonlyMap<string, ToolProvider>,
    session: Session,
    calls: readonly PlannedToolCall[],
  ): Promise<readonly Answer[]>;
}

/** A door with what is behind it. */
export interface LibraryDoor extends Door {
  readonly policy: Policy;
  readonly providers: ReadonlyMap<string, ToolProvider>;
  close(): Promise<void>;
}

/** A gate of its own, over its own servers. */
export async function openLibraryDoor(host?: Host): Promise<LibraryDoor> {
  const config = await parseConfig(SCENARIO_POLICY, { file: "sluicegate.yaml", environment: {} });
  const providers = [...config.servers.values()].map((server) => connectUpstream(server));
  const gate: Gate = createGate({
    policy: config.policy,
    store: createMemoryStore(),
    digestKey: DIGEST_KEY,
    facts: examineCalls(providers),
  });
  await Promise.all(providers.map(({ settled }) => settled));
  const policy = providers.reduce(withTools, config.policy);
  gate.usePolicy(policy);
  const running = new Map(providers.map((provider) => [provider.id, provider]));
  return {
    policy,
    providers: running,
    name: host?.name ?? "the library",
    open: async (options) => {
      const session = await gate.open(options);
      const player = createPlayer(gate, running, session);
      if (host === undefined) return player;
      const playAll = (calls: readonly PlannedToolCall[]) => host.play(running, session, calls);
      return {
        ...player,
        call: async (call) => (await playAll([call]))[0] as Answer,
        decide: async (calls) => (await playAll(calls)).map((answer) => ({ ...answer, result: null })),
      };
    },
    close: async () => {
      await Promise.all(providers.map((provider) => provider.close()));
      await gate.close();
    },
  };
}

const withTools = (policy: Policy, { id, status, tools }: ToolProvider): Policy =>
  status === "ready" ? withOffered(policy, id, [...tools.keys()]) : policy;

/** What the host of a gate does with a session, whoever makes the calls. */
export const asHost = (
  gate: Gate,
  session: Session,
): Pick<Player, "say" | "answer" | "reset" | "state" | "journal"> => ({
  say: (text) => session.say(text),
  answer: async ({ answer, edit, standing }) => {
    const { pending } = stateOf(session);
    await gate.answerApproval(pending.id, {
      answer,
      by: "operator",
      ...(edit && { arguments: edit }),
      ...(standing && { standing: toStanding(standing) }),
    });
    await session.refresh();
  },
  reset: async () => {
    await gate.reset(session.id);
    await session.refresh();
  },
  state: async () => toWire(stateOf(session)),
  journal: () =>
    readFinished(async () => {
      await session.flush();
      return session.journal();
    }),
});

function createPlayer(gate: Gate, providers: ReadonlyMap<string, ToolProvider>, session: Session): Player {
  return {
    ...asHost(gate, session),
    manifest: async () =>
      toWire({
        sessionId: session.id,
        ...session.manifest(),
        prompt: session.planningPrompt(),
        label: session.label,
      }),
    plan: async (planned) => {
      const check = await session.examinePlan(planned as Json);
      return toWire({ ...check, steps: toSteps(session, check.steps) });
    },
    requestPlan: async (planned) => {
      const decided = await session.plan(planned as Json);
      const { isDenied: _, lease, ...check } = decided;
      const granted = lease && {
        approvalId: lease.approval,
        expiresAt: lease.expiresAt,
        stepsLeft: lease.left,
      };
      return toWire({ ...check, steps: toSteps(session, check.steps), lease: granted });
    },
    appeal: (text) => session.appeal({ callId: session.state.refusals.open.at(-1)?.call ?? "", text }),
    call: (call) => run(providers, session, call),
    decide: async (calls) => {
      const decisions = await session.decide(calls);
      for (const { callId, effect } of decisions) {
        if (effect === "allow") await session.report({ callId });
      }
      return decisions.map((decision) => toAnswer(decision, null, null));
    },
  };
}

const toSteps = (session: Session, steps: Json): Json =>
  steps.map((step: Json, at: number) => ({
    ...step,
    shut: shutBetween(session, steps[at - 1]?.label ?? session.label, step.label),
    depends_on_arguments: step.dependsOnArguments ?? false,
  }));

function shutBetween({ state: { lattice }, tools }: Session, before: Label, after: Label): string[] {
  const open = tools.filter((tool) => isWithin({ lattice, label: before }, tool));
  return open.filter((tool) => !isWithin({ lattice, label: after }, tool)).map(({ name }) => name);
}

/** As a host runs a call: a failure of the tool is kept as a value, so that the decision isn't lost over it. */
async function run(
  providers: ReadonlyMap<string, ToolProvider>,
  session: Session,
  call: PlannedToolCall,
): Promise<Answer> {
  let failure: SluicegateError | null = null;
  const outcome = await session.call(call, async (args, { tool: id, fail }) => {
    const { server, tool } = parseToolId(id);
    try {
      const result = await providers.get(server ?? "")?.run(tool, args, {});
      if (result?.isError) fail();
      return result ?? null;
    } catch (cause) {
      if (!SluicegateError.isInstance(cause)) throw cause;
      fail();
      failure = cause;
      return null;
    }
  });
  if (outcome.effect !== "allow") return toAnswer(outcome, null, null);
  const { result, ...decision } = outcome;
  return toAnswer(decision, result, failure);
}

function toAnswer(decision: Json, result: Json | null, failure: Json | null): Answer {
  const { reasons, effect } = decision;
  return {
    // The wire tells causes always, the library where there are any.
    decision: toWire({ ...decision, reasons: reasons.map((one: Json) => ({ causedBy: [], ...one })) }),
    effect,
    sentences: failure ? sentencesOf(failure) : toldBy(decision),
    result: result && toResult(result),
  };
}

function stateOf(session: Session): Json {
  const { id, principal, role, label, datasets, state } = session;
  const pending = state.pending.find(({ expires }) => Date.parse(expires) > Date.now());
  return {
    sessionId: id,
    principal,
    role,
    private: session.private,
    label,
    datasets,
    effects: [],
    calls: state.calls,
    pending: pending ? { id: pending.id, tool: pending.tool, expiresAt: pending.expires } : null,
    impossible: state.impossible,
    closed: state.closed,
  };
}

const RULE_NAMES: ReadonlyMap<string, string> = new Map([
  ["one_of", "oneOf"],
  ["at_most", "atMost"],
]);

/** The wire's rules in the library's spelling. */
function toStanding({ arguments: rules = {}, ...standing }: Json): Json {
  const spelt = (rule: Json): Json =>
    Object.fromEntries(Object.entries(rule).map(([name, value]) => [RULE_NAMES.get(name) ?? name, value]));
  return {
    ...standing,
    arguments: Object.fromEntries(Object.entries(rules).map(([name, rule]) => [name, spelt(rule)])),
  };
}

/** The library's names in the wire's spelling, at every depth; nothing else is changed. */
function toWire(value: Json): Json {
  if (Array.isArray(value)) return value.map(toWire);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [
    key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    toWire(inner),
  ]);
  return Object.fromEntries(entries);
}
