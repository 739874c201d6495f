/** `sluicegate explain`: how one call is decided, check by check, on a session that exists on paper alone. */
import type { Command } from "commander";
import {
  type Call,
  consequencesOf,
  type Decision,
  type Label,
  type Policy,
  type SessionState,
  trailOf,
  visibleTools,
} from "../../core/index.ts";
import { toPlanned } from "../../core/plan/planned-call.ts";
import { type PlayedStep, playPlan } from "../../core/plan/play-plan.ts";
import { toWireReasons } from "../../gateway/rest/wire.ts";
import { loadConfig } from "../../policy-file/index.ts";
import { wordReasons } from "../../runtime/approvals/worded-reasons.ts";
import { describeCommand, POLICY_BROKEN } from "../terminal/command-help.ts";
import { exitWithFailure, printJson } from "../terminal/terminal.ts";
import { askingCondition, printExplanation } from "./explain-words.ts";
import { openOnPaper, type SourcedCall, withSources } from "./paper-session.ts";
import { parseArguments } from "./parse-arguments.ts";

export function setUp(command: Command): void {
  describeCommand(command, {
    does: "Shows how a call would be decided and why: every check, the session's label before it, what it would add to that and which tools it would block. Nothing is run; a database only looks at what a query would read.",
    examples: [
      "sluicegate explain sluicegate.yaml --tool web_search",
      "sluicegate explain sluicegate.yaml --tool web_search --after search_email",
      `sluicegate explain sluicegate.yaml --tool send_email --args '{"to":"ada@acme.example"}' --role analyst`,
      `sluicegate explain sluicegate.yaml --tool send_email --args '{"to":"ada@acme.example"}' --after search_email --task "Write to ada@acme.example"`,
    ],
    exits: { 0: "the call would be allowed", 1: "it would be denied, or a person asked", 2: POLICY_BROKEN },
    json: "print { tool, effect, reasons, trail, condition?, user_word, label, raises, shuts, after } as one JSON document",
  })
    .argument("<file>", "the policy file, usually sluicegate.yaml")
    .requiredOption("--tool <name>", "the tool to call, by any of its names")
    .option("--args <json>", "the call's arguments, a JSON object")
    .option("--after <names>", "tools called before it, in this order, with commas between them")
    .option("--role <name>", "the session's role")
    .option("--task <text>", "what the user asked for; what it names needs no person")
    .action((file: string, options: ExplainOptions) => explain(file, options));
}

interface ExplainOptions {
  readonly tool: string;
  readonly args?: string;
  readonly after?: string;
  readonly role?: string;
  readonly task?: string;
  readonly json?: true;
}

/** Everything that is told about a call. */
export interface Explanation {
  readonly policy: Policy;
  readonly call: SourcedCall;
  readonly decision: Decision;
  readonly after: readonly PlayedStep[];
  /** The session's label before the call. */
  readonly label: Label;
  /** What the call would add to the label; null where it adds nothing or is denied. */
  readonly raises: Label | null;
  /** The tools that would be shut by it. */
  readonly shuts: readonly string[];
  /** Which critical arguments are the user's word, and by what; null where a person is asked for one. */
  readonly userWord: readonly { readonly argument: string; readonly by: string | null }[];
}

async function explain(file: string, options: ExplainOptions): Promise<void> {
  const call = toCall(options.tool, options.args);
  const config = await loadConfig(file);
  const { policy } = config;
  const { state, compared } = openOnPaper(policy, options);
  const [sourced = call] = await withSources(config, [compared(call)]);
  const before = splitNames(options.after ?? "").map((tool) => ({ tool }));
  const explanation = explainCall(policy, state, sourced, before);
  if (explanation.decision.effect !== "allow") exitWithFailure();
  if (options.json) printJson(toWire(explanation));
  else printExplanation(explanation);
}

const toCall = (tool: string, args: string | undefined): Call =>
  args === undefined ? { tool } : { tool, arguments: parseArguments(args) };

const splitNames = (list: string): readonly string[] =>
  list.split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()]));

function explainCall(
  policy: Policy,
  start: SessionState,
  call: SourcedCall,
  before: readonly Call[],
): Explanation {
  const after = playPlan(policy, start, [...before, call].map(toPlanned), {});
  const last = after.at(-1);
  if (last === undefined) throw new TypeError("A call that was played is missing.");
  const { decision, raises } = last;
  const state = after.at(-2)?.state ?? start;
  const { tool } = decision;
  const seen = visibleTools(policy, state);
  const consequences = tool === null || raises === null ? undefined : consequencesOf(state, [...seen, tool]);
  const shuts = (consequences?.get(tool?.id ?? "") ?? []).map(({ name }) => name);
  return {
    policy,
    call,
    decision,
    after: after.slice(0, -1),
    label: state.label,
    raises,
    shuts: [...new Set(shuts)],
    userWord: userWordOf(decision),
  };
}

function userWordOf({ reasons, endorsed = [] }: Decision): Explanation["userWord"] {
  const missing = reasons.flatMap((reason) =>
    reason.code === "not-endorsed" && reason.argument !== null
      ? [{ argument: reason.argument, by: null }]
      : [],
  );
  return [...endorsed, ...missing];
}

function toWire({ policy, call, decision, after, label, raises, shuts, userWord }: Explanation): object {
  const condition = askingCondition(call, decision);
  return {
    tool: call.tool,
    effect: decision.effect,
    reasons: toWireReasons(wordReasons(policy, decision.reasons, call.tool)),
    trail: trailOf(decision).map(({ check, result, reasons }) => ({
      check,
      result,
      reasons: toWireReasons(wordReasons(policy, reasons, call.tool)),
    })),
    ...(condition && { condition }),
    user_word: userWord,
    label,
    raises,
    shuts,
    after: after.map((before) => ({
      tool: before.step.tool,
      effect: before.decision.effect,
      reasons: toWireReasons(wordReasons(policy, before.decision.reasons, before.step.tool)),
      raises: before.raises,
      label: before.state.label,
    })),
  };
}
