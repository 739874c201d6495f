/** An agent that the cases drive: tools of the Claude Agent SDK, in a loop that is its own's likeness. */
import { approvalIdOf, guard, type PermissionResult } from "../../src/adapters/claude-agent.ts";
import type {
  Adapter,
  AgentParts,
  AgentTools,
  Played,
  Script,
  ScriptedCall,
  SharedAgent,
} from "../cases/adapter-driver.ts";
import { createLoop, type Loop, type LoopParts } from "./claude-agent-loop.ts";
import { collect } from "./collect.ts";

/** As the SDK's `tool()` makes them. */
export const toSdkTools = (tools: AgentTools) =>
  [...tools].map(([name, { description, run }]) => ({
    name,
    description,
    inputSchema: {},
    handler: async (args: unknown) => ({ content: [{ type: "text", text: await collect(run(args)) }] }),
  }));

const PREFIX = "mcp__tools__";
const own = (name: string): string => name.replace(PREFIX, "");

interface Waiting {
  readonly approval: string | null;
  readonly input: Record<string, unknown>;
  readonly answer: (said: PermissionResult) => void;
}

/** What lies before the agent's person until the test says what they say, by the ids of its calls. */
type Desk = Map<string, Waiting>;

/** One set of guarded tools; each run of it is a query of its own. */
function createAgent({ session, tools, bare }: AgentParts): SharedAgent {
  const desk: Desk = new Map();
  const guarded = guard(session, toSdkTools(tools), {
    canUseTool: async (_, input, asked) => {
      const approval = approvalIdOf(asked);
      if (approval === null) return { behavior: "allow", updatedInput: input };
      const { promise, resolve } = Promise.withResolvers<PermissionResult>();
      desk.set(asked.toolUseID, { approval, input, answer: resolve });
      return promise;
    },
  });
  const parts = (): LoopParts => (bare ? { ...guarded, options: UNGATED } : guarded);
  return { run: async (script) => play({ loop: createLoop(parts()), desk }, script, null) };
}

const UNGATED: LoopParts["options"] = {
  hooks: { PreToolUse: [], PostToolUse: [], PostToolUseFailure: [], PostToolBatch: [] },
  canUseTool: async () => ({ behavior: "allow" }),
  tools: [],
  disallowedTools: [],
};

interface Playing {
  readonly loop: Loop;
  readonly desk: Desk;
}

/** Goes on until all is done, or until every call of a step that isn't over stands before the person. */
async function play(playing: Playing, script: Script, open: Promise<void> | null): Promise<Played> {
  const { loop, desk } = playing;
  const names = Object.keys(loop.shown).map(own);
  const toPlayed = (waiting: Played["waiting"], resume: Played["resume"]): Played => ({
    shown: [names],
    described: [Object.fromEntries(Object.entries(loop.shown).map(([name, text]) => [own(name), text]))],
    told: { ...loop.told },
    waiting,
    resume,
  });
  const [step, ...rest] = script;
  if (step === undefined) return toPlayed({}, () => Promise.reject(new Error("Nothing waits.")));
  const over = open ?? loop.step(step.map((call) => ({ ...call, tool: PREFIX + call.tool })));
  if (await isOver(over, playing, step)) return play(playing, rest, null);
  const waiting = [...desk].map(([id, { approval }]) => [id, approval]);
  return toPlayed(Object.fromEntries(waiting), (approved, forged) => {
    for (const [id, { input, answer }] of desk) {
      desk.delete(id);
      answer(
        approved
          ? { behavior: "allow", updatedInput: { ...(forged ?? input) } }
          : { behavior: "deny", message: "The person said no." },
      );
    }
    return play(playing, script, over);
  });
}

/** Whether a step is over, once it is or once every call of it that isn't stands before the person. */
async function isOver(
  over: Promise<void>,
  { loop, desk }: Playing,
  step: readonly ScriptedCall[],
): Promise<boolean> {
  const isStill = ({ id }: ScriptedCall): boolean => desk.has(id) || Object.hasOwn(loop.told, id);
  for (;;) {
    if (desk.size > 0 && step.every(isStill)) return false;
    const turn = new Promise<false>((next) => setImmediate(next, false));
    if (await Promise.race([over.then(() => true), turn])) return true;
  }
}

export const claudeAgent: Adapter = {
  name: "the Claude Agent SDK",
  pauses: true,
  looksOnce: true,
  run: ({ script, ...parts }) => createAgent(parts).run(script),
  share: createAgent,
};
