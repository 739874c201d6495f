/**
 * The scenarios as a coding agent plays them that asks its hook before each call of its own MCP servers, runs what may
 * run, and tells the hook how that went.
 */
import { explainClass, lookUp, type Policy, parseToolId } from "../../../src/core/index.ts";
import { SluicegateError } from "../../../src/errors/index.ts";
import { answerEvent } from "../../../src/hooks/claude-code/answer-event.ts";
import type { HookSettings } from "../../../src/hooks/claude-code/hook-settings.ts";
import { createHookGate } from "../../../src/hooks/index.ts";
import { canonicalJson } from "../../../src/json/canonical-json.ts";
import type { ToolProvider } from "../../../src/runtime/index.ts";
import { createMemoryStore } from "../../../src/stores/index.ts";
import {
  type Answer,
  DIGEST_KEY,
  type Door,
  type Json,
  type PlannedToolCall,
  sentencesOf,
  toResult,
} from "./door.ts";
import { asHost } from "./library-door.ts";
import type { Scenario, Step, Transcript } from "./transcript.ts";

/**
 * What a hook can't carry. `edit`: the agent runs a call itself, with its own arguments. `lease`: the hook has no tools,
 * so its agent can't put a plan before anybody. `decide`: the agent asks about one call at a time. `reset`: the
 * conversation's next call would open another session.
 */
const NOT_CARRIED: readonly (keyof Step)[] = ["edit", "lease", "decide", "reset"];

/** What is left out of a scenario, since the agent has no way to ask for it and nothing depends on it. */
const LEFT_OUT: readonly (keyof Step)[] = ["manifest", "plan", "appeal"];

/** The names of its agent's conversation, and of whoever it works for. */
const CONVERSATION = "scenario";
const PRINCIPAL = `claude-code:${CONVERSATION}`;

/**
 * A scenario as a hook can carry it; null where it can't. An agent names its servers' tools in full, so each call names
 * its tool by its identity; what means none is a tool of the agent's own to a hook. The agent's servers aren't the
 * gateway's: the hook knows neither whether they run nor their tools' schemas.
 */
export function toHookScenario(scenario: Scenario, policy: Policy): Scenario | null {
  const { session, steps, name } = scenario;
  const isCarried = steps.every((step) => NOT_CARRIED.every((key) => !(key in step)));
  if (!isCarried || session?.tools !== undefined || name.startsWith("arguments that")) return null;
  // A prompt that comes once untrusted content is in may be a stranger's.
  if (steps.findLastIndex(({ say }) => say !== undefined) > 0) return null;
  const kept = steps.filter((step) => LEFT_OUT.every((key) => !(key in step)));
  const named = kept.flatMap((step): readonly Step[] => {
    if (step.call === undefined) return [step];
    const { tool } = lookUp(policy, step.call);
    return tool?.classified && tool.server !== "ghost" ? [{ ...step, call: tool.id }] : [];
  });
  if (named.every(({ call }) => call === undefined)) return null;
  return { ...scenario, session: { ...session, principal: PRINCIPAL }, steps: named };
}

/** What the library was told, with the words that a hook says after a denial: what is left to do. */
export function toHookTranscript(transcript: Transcript): Transcript {
  const seen = transcript.seen.map((entry) => {
    if (!entry.answers) return entry;
    const answers = entry.answers.map((answer): Answer => {
      const { decision, effect, sentences } = answer;
      if (effect !== "deny" || decision.repeated !== undefined) return answer;
      const last = `${sentences.at(-1)} ${explainClass(decision.class)}`;
      return { ...answer, sentences: [...sentences.slice(0, -1), last] };
    });
    return { ...entry, answers };
  });
  return { ...transcript, seen };
}

const SETTINGS: HookSettings = {
  config: "sluicegate.yaml",
  store: ":memory:",
  role: null,
  unlisted: "policy",
  waitSeconds: 0,
  environment: {},
  settings: null,
};

const WAITS = / The approval is appr_[0-9a-f]{32}; nothing was run\.$/;

/** A conversation for each scenario, each with a gate of its own. */
export const createHookDoor = (policy: Policy, providers: ReadonlyMap<string, ToolProvider>): Door => ({
  name: "the hook",
  open: async ({ role = null }) => {
    const hooks = await createHookGate({
      policy,
      file: SETTINGS.config,
      root: null,
      protect: [],
      plain: [],
      store: createMemoryStore(),
      key: DIGEST_KEY,
      onFault: () => {},
    });
    const tell = async (event: Json): Promise<Json> => {
      const text = JSON.stringify({ session_id: CONVERSATION, cwd: "/", ...event });
      return JSON.parse(await answerEvent(text, { ...SETTINGS, role }, () => hooks));
    };
    const session = await hooks.gate.sticky(PRINCIPAL, role === null ? {} : { role });
    const call = async ({ tool, arguments: args = {} }: PlannedToolCall): Promise<Answer> => {
      const event = { tool_name: tool, tool_use_id: "toolu_1", tool_input: args };
      const { hookSpecificOutput: said } = await tell({ hook_event_name: "PreToolUse", ...event });
      if (said.permissionDecision !== "allow") return toAnswer(said.permissionDecisionReason);
      const { server, tool: name } = parseToolId(tool);
      // The servers repeat what they get, and everybody else sends it in the canonical order.
      const sent = JSON.parse(canonicalJson(args));
      const ran = await providers
        .get(server ?? "")
        ?.run(name, sent, {})
        .catch((cause: unknown) => cause);
      const failure = SluicegateError.isInstance(ran) ? ran : null;
      await tell(
        failure
          ? { hook_event_name: "PostToolUseFailure", ...event, error: "it failed" }
          : { hook_event_name: "PostToolUse", ...event, tool_response: ran },
      );
      const sentences = failure ? sentencesOf(failure) : [];
      return { decision: null, effect: "allow", sentences, result: failure ? null : toResult(ran) };
    };
    const cant = () => Promise.reject(new Error("A hook can't carry this."));
    return {
      ...asHost(hooks.gate, session),
      say: async (prompt) => void (await tell({ hook_event_name: "UserPromptSubmit", prompt })),
      call,
      decide: cant,
      plan: cant,
      requestPlan: cant,
      manifest: cant,
      appeal: cant,
    };
  },
});

function toAnswer(reason: string): Answer {
  const sentences = reason.replace(WAITS, "").split("\n");
  return { decision: null, effect: WAITS.test(reason) ? "ask" : "deny", sentences, result: null };
}
