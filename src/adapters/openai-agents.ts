/**
 * Tools of the OpenAI Agents SDK (`@openai/agents`) behind a session. The SDK asks for all approvals of a turn before
 * its first tool has run, so what it is told there decides nothing but a pause; the decision is made in `invoke`.
 */
import type { RunToolApprovalItem, Tool } from "@openai/agents";
import { quoteName } from "../core/index.ts";
import { type CallContext, canonicalJson, describeRefusal } from "../runtime/index.ts";
import { withEditNote } from "./edit-note.ts";
import {
  assertGuard,
  assertNames,
  callGuarded,
  type GuardOptions,
  type SessionSource,
  sessionOf,
  toArguments,
} from "./guarded-call.ts";
import { describeFor } from "./tool-notes.ts";
import { StepOrder } from "./turns.ts";
import { assertGoverned } from "./ungoverned.ts";

export type { GuardOptions, SessionSource } from "./guarded-call.ts";

/** What an `Agent` takes. */
export interface Guarded<Context> {
  /** The same tools, each of whose calls is decided on when it is invoked. A refusal is what the model is answered. */
  readonly tools: Tool<Context>[];
}

/**
 * Puts tools behind a session. Those that the session doesn't see are not enabled; a call that a person must approve
 * to interrupts the run, and `state.approve` alone admits nothing.
 * @throws SluicegateError `invalid-tool` for hosted tools, computers, shells and patches, which are no functions that
 * could be decided on, unless they are named as `ungoverned`.
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
 * The id of the approval that a run was interrupted for; null if the call asks for none (any more). Where the
 * approval is over it is asked for anew.
 * THREAT: show the person what `gate.approval(id)` holds. An interruption out of a state that lay elsewhere may name
 * other arguments than those that were shown before.
 */
export async function approvalIdOf(
  session: SessionSource,
  item: RunToolApprovalItem,
): Promise<string | null> {
  const { rawItem } = item;
  if (rawItem.type !== "function_call") return null;
  const input = parseInput(rawItem.arguments);
  // The SDK interrupts for arguments that it can't read as well; the call runs nothing, and the model is told why.
  if (input === null) return null;
  const call = { tool: rawItem.name, arguments: toArguments(input.value) };
  return (await sessionOf(session).preview(call)).approval?.id ?? null;
}

/** Arguments as the model wrote them; null for what is no JSON, or has no canonical form to decide on. */
function parseInput(text: string): { readonly value: unknown } | null {
  try {
    const value: unknown = JSON.parse(text);
    canonicalJson(toArguments(value));
    return { value };
  } catch {
    return null;
  }
}

/** What the SDK makes of an error where the host has said nothing else: it comes as a result. */
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

/** Outside of a session, a shared tool has its host's description. */
function describeNow(source: SessionSource, name: string, description: string): string {
  try {
    return describeFor(sessionOf(source), name, description);
  } catch {
    return description;
  }
}

/** Asked for the calls of a turn in the order in which the model gave them. */
async function pause<Context>(
  { tool, session, order }: Guarding<Context>,
  given: Parameters<Function<Context>["needsApproval"]>,
): Promise<boolean> {
  const [runContext, input, callId = ""] = given;
  order.expect(runContext, callId);
  // An error here is reported when the call is decided, which then fails.
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
