/** The shapes of options for planners and role agents. A misspelt option is an error, and isn't ignored. */
import { POLICY_SHAPE, shape } from "../core/index.ts";
import type { ModelSettings } from "./ask-model.ts";
import type { PlannerOptions, PlannerResumeOptions, PlannerRunOptions } from "./planner.ts";
import type { RoleRunOptions } from "./roles/role-agent.ts";
import type { RoleAgentOptions } from "./roles/role-host.ts";

const { anything, callable, collectionOf, either, flag, having, listOf } = shape;
const { matching, name, record, text } = shape;

const session = having("a session, such as `await gate.open()`", "call", "preview");
const provider = having("a tool provider", "run", "watch");
const signal = having("an abort signal", "throwIfAborted");
const model = matching(
  "a model of the AI SDK, or the id of one",
  (value) => (typeof value === "string" && value !== "") || (typeof value === "object" && value !== null),
);
const questions = matching(
  '`"per-plan"` or `"per-call"`',
  (value) => value === "per-plan" || value === "per-call",
);
/** Tool policies are checked when they are compiled, labels and budgets when they are used. */
const checkedLater = anything;

const settings = record<ModelSettings>({
  headers: anything,
  maxOutputTokens: anything,
  maxRetries: anything,
  providerOptions: anything,
  seed: anything,
  temperature: anything,
  topK: anything,
  topP: anything,
});

const NARROWING = {
  session,
  principal: name,
  visibility: having("a visibility policy", "visibleTools"),
  context: anything,
  permissions: either(callable, collectionOf(checkedLater)),
  toolPolicy: checkedLater,
  signal,
  onText: callable,
};

const SHAPES = Object.freeze({
  planner: record<PlannerOptions>(
    {
      model,
      tools: matching("tools, a provider or a list of both", (value) => Object(value) === value),
      policy: checkedLater,
      instructions: either(callable, text),
      plan: flag,
      questions,
      maxSteps: checkedLater,
      maxTokens: checkedLater,
      pauseSeconds: checkedLater,
      settings,
      order: having("an order of runs", "enter"),
    },
    ["model", "tools"],
  ),
  plannerRun: record<PlannerRunOptions>({ ...NARROWING, prompt: text, messages: listOf(anything) }, [
    "session",
  ]),
  plannerResume: record<PlannerResumeOptions>(NARROWING, ["session"]),
  plannerFork: record<{ readonly toolPolicy?: unknown }>({ toolPolicy: checkedLater }),
  agent: record<RoleAgentOptions>(
    {
      model,
      root: text,
      allowedTools: collectionOf(text),
      servers: listOf(provider),
      unattended: flag,
      policy: POLICY_SHAPE,
      role: text,
      store: having("a store, such as `openSqliteStore(path)`", "append", "read", "head"),
      digestKey: matching("bytes", (key) => key instanceof Uint8Array),
      gate: having("a gate, such as `createGate(…)`", "open", "session"),
      session,
      workspace: provider,
      protect: listOf(text),
      principal: name,
      plan: flag,
      questions,
      systemPrompt: text,
      maxSteps: checkedLater,
      maxTokens: checkedLater,
      settings,
    },
    ["model"],
  ),
  agentRun: record<RoleRunOptions>({ signal, onText: callable, label: checkedLater }),
});

const MESSAGES: Readonly<Record<keyof typeof SHAPES, string>> = Object.freeze({
  planner: "The planner can't be created.",
  plannerRun: "The run can't start.",
  plannerResume: "The run can't be resumed.",
  plannerFork: "The planner can't be forked.",
  agent: "The agent can't be made of this.",
  agentRun: "The agent can't run.",
});

/** @throws SluicegateError `invalid-request` for a value of another shape. */
export function assertOptions(kind: keyof typeof SHAPES, value: unknown): void {
  shape.assertShape(SHAPES[kind], value, { code: "invalid-request", message: MESSAGES[kind], path: "" });
}
