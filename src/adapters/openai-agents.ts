/**
 * Tools of the OpenAI Agents SDK (`@openai/agents`) behind a session. The SDK asks for all approvals of a turn before
 * its first tool runs, so that can only pause a call; the decision is made in `invoke`.
 */
import type { RunToolApprovalItem, Tool } from "@openai/agents";
import { quoteName } from "../core/index.ts";
import { parseJson } from "../json/parse-json.ts";
import { type CallContext, canonicalJson, describeRefusal } from "../runtime/index.ts";
import {
  assertGoverned,
  assertGuard,
  assertNames,
  callGuarded,
  type GuardOptions,
  type SessionSource,
  sessionOf,
  toArguments,
} from "./guarded-call.ts";
import { describeFor, withEditNote } from "./model-notes.ts";
import { StepOrder } from "./turns.ts";

export type { GuardOptions, SessionSource } from "./guarded-call.ts";

/** The settings for an `Agent`. */
export interface Guarded<Context> {
  /** The same tools, whose calls are decided on when they are invoked. A refusal replaces the result. */
  readonly tools: Tool<Context>[];
}

/**
 * Puts tools behind a session. Tools that the session doesn't see aren't enabled; a call that needs approval
 * interrupts the run, and `state.approve` alone admits nothing.
 * @throws SluicegateError `invalid-tool` for hosted tools, computers, shells and patches, which have no function to
 *   guard, unless they are named in `ungoverned`.
 */
export function guard<Context = unknown>(
  session: SessionSource,
  tools: readonly Tool<Context>[],
  options: GuardOptions = {},
): Guarded<Context> {
  assertGuard(session, options);
  const elsewhere = tools.filter(({ type }) => type !== "function");
  assertGoverned(
    elsewhere.map(({ name }) => name),
    options.ungoverned,
  );
  assertNames(
    session,
    tools.filter(({ type }) => type === "function").map(({ name }) => name),
  );
  const order = new StepOrder();
  return {
    tools: tools.map((tool) =>
      tool.type === "function" ? guardTool({ tool, session, options, order }) : tool,
    ),
  };
}

/**
 * The id of the approval for which a run was interrupted; null if the call needs none (any more). An ended approval
 * is requested again. THREAT: show the person the content of `gate.approval(id)`. An interruption from a stored state
 * may have other arguments than those shown before.
 */
export async function approvalIdOf(
  session: SessionSource,
  item: RunToolApprovalItem,
): Promise<string | null> {
  const { rawItem } = item;
  if (rawItem.type !== "function_call") return null;
  const input = parseInput(rawItem.arguments);
  // The SDK also interrupts for arguments that it can't parse; then nothing runs, and the model is told why.
  if (input === null) return null;
  const call = { tool: rawItem.name, arguments: toArguments(input.value) };
  return (await sessionOf(session).preview(call)).approval?.id ?? null;
}

/** Arguments as the model wrote them; null for invalid JSON, or without a canonical form. */
function parseInput(text: string): { readonly value: unknown } | null {
  try {
    const value: unknown = parseJson(text);
    canonicalJson(toArguments(value));
    return { value };
  } catch {
    return null;
  }
}

/** The SDK's default for a tool's error, which is returned as a result. */
const SDK_ERROR = "An error occurred while running the tool. Please try again.";

type Function<Context> = Extract<Tool<Context>, { readonly type: "function" }>;

interface Guarding<Context> {
  readonly tool: Function<Context>;
  readonly session: SessionSource;
  readonly options: GuardOptions;
  readonly order: StepOrder;
}

function guardTool<Context>(guarding: Guarding<Context>): Function<Context> {
  const { tool, session } = guarding;
  const guarded: Function<Context> = {
    ...tool,
    invoke: (...given) => invoke(guarding, given),
    needsApproval: (...given) => pause(guarding, given),
    isEnabled: async (...given) => {
      if (!(await tool.isEnabled(...given))) return false;
      return (await sessionOf(session).refresh()).tool(tool.name) !== null;
    },
  };
  // The SDK reads it at each turn.
  const get = (): string => describeNow(session, tool.name, tool.description);
  return Object.defineProperty(guarded, "description", { get, enumerable: true });
}

/** Outside of a session, a shared tool has its original description. */
function describeNow(source: SessionSource, name: string, description: string): string {
  try {
    return describeFor(sessionOf(source), name, description);
  } catch {
    return description;
  }
}

/** Called for the calls of a turn in the model's order. */
async function pause<Context>(
  { tool, session, order }: Guarding<Context>,
  given: Parameters<Function<Context>["needsApproval"]>,
): Promise<boolean> {
  const [runContext, input, callId = ""] = given;
  order.expect(runContext, callId);
  // An error is reported by the decision of the call, which fails then.
  const asks = async (): Promise<boolean> => {
    const call = { tool: tool.name, arguments: toArguments(input) };
    const preview = await sessionOf(session)
      .preview(call)
      .catch(() => null);
    return preview?.effect === "ask";
  };
  const pauses = (await asks()) || (await tool.needsApproval(...given));
  if (pauses) order.leave(runContext, callId);
  return pauses;
}

async function invoke<Context>(
  { tool, session, options, order }: Guarding<Context>,
  [runContext, text, details]: Parameters<Function<Context>["invoke"]>,
): Promise<unknown> {
  const caller = sessionOf(session);
  const parsed = parseInput(text);
  if (parsed === null) {
    order.leave(runContext, details?.toolCall?.callId ?? "");
    return `The arguments of tool ${quoteName(tool.name)} can't be read, and it was not run. Call it again with a JSON object.`;
  }
  const input = parsed.value;
  const run = async (copy: unknown, { fail }: CallContext): Promise<unknown> => {
    const result: unknown = await tool.invoke(runContext, JSON.stringify(copy), details);
    if (result === SDK_ERROR) fail();
    return result;
  };
  const call = { tool: tool.name, input, run, signal: details?.signal, waitSeconds: options.waitSeconds };
  const { outcome } = await order.inOrder(runContext, details?.toolCall?.callId ?? "", () => ({
    outcome: callGuarded(caller, call),
  }));
  const decided = await outcome;
  return decided.effect === "allow" ? withEditNote(decided) : describeRefusal(decided);
}
