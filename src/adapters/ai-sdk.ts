/**
 * Tools of the AI SDK (`ai` 7) behind a session: `generateText`, `streamText`, `ToolLoopAgent`. The SDK checks all
 * calls of a step before the first one runs, so that check can only pause a call; the decision is made in `execute`.
 */
import type { ModelMessage, ToolExecutionOptions, ToolSet } from "ai";
import { BoundedMap } from "../json/bounded-map.ts";
import { parseJson } from "../json/parse-json.ts";
import { describeEdit, describeRefusal, type Outcome } from "../runtime/index.ts";
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
import { describeFor } from "./model-notes.ts";
import { approvalIdIn, isRefusal, toRefusal } from "./refusal.ts";
import { streamGuarded } from "./stream-guarded.ts";
import { StepOrder } from "./turns.ts";

export type { GuardOptions, SessionSource } from "./guarded-call.ts";
export { isRefusal, type Refusal } from "./refusal.ts";

type Tool = ToolSet[string];

/** A call that the SDK asks about before its step. */
export interface CheckedCall {
  readonly toolCall: { readonly toolName: string; readonly toolCallId: string; readonly input: unknown };
  readonly messages: ModelMessage[];
  readonly toolsContext?: unknown;
}

/** The settings for the SDK, each under its name. */
export interface Guarded<Tools extends ToolSet> {
  /** The same tools, whose calls are decided on when they are executed. A `Refusal` replaces the result, unlike its type. */
  readonly tools: Tools;
  /** Pauses a call that needs approval. It admits nothing, and an approval in the SDK alone has no effect. */
  readonly toolApproval: (
    call: CheckedCall,
  ) => Promise<{ type: "not-applicable" } | { type: "user-approval"; reason?: string }>;
  /** Shows the model the tools that the session sees at this step. */
  readonly prepareStep: () => Promise<{ activeTools: (keyof Tools & string)[] }>;
}

/**
 * Puts tools behind a session.
 * @throws SluicegateError `invalid-tool` for tools that the provider or a client runs, unless they are named in
 *   `ungoverned`.
 */
export function guard<Tools extends ToolSet>(
  session: SessionSource,
  tools: Tools,
  options: GuardOptions = {},
): Guarded<Tools> {
  assertGuard(session, options);
  const { ungoverned = [] } = options;
  const entries = Object.entries<Tool>(tools);
  assertGoverned(
    entries.filter(([, tool]) => runsElsewhere(tool)).map(([name]) => name),
    ungoverned,
  );
  const governed = new Map(entries.filter(([, tool]) => !runsElsewhere(tool)));
  assertNames(session, [...governed.keys()]);
  const order = new StepOrder();
  const edits = new BoundedMap<string, string>(MAX_EDITS);
  const wrap = (name: string, tool: Tool): Tool => guardTool({ name, tool, session, options, order, edits });
  return {
    // Each tool has its original parameters; `isRefusal` recognises refusals.
    tools: Object.fromEntries(
      entries.map(([name, tool]) => [name, governed.has(name) ? wrap(name, tool) : tool]),
    ) as Tools,
    toolApproval: (call) => pause({ session, order, tool: governed.get(call.toolCall.toolName) }, call),
    prepareStep: async () => {
      const now = await sessionOf(session).refresh();
      const seen = entries.filter(([name]) => !governed.has(name) || now.tool(name) !== null);
      return { activeTools: seen.map(([name]) => name) };
    },
  };
}

/** The id of the approval for which the SDK paused, from a `tool-approval-request` of its result; null for others. */
export const approvalIdOf = (request: { readonly reason?: string | undefined }): string | null =>
  approvalIdIn(request.reason);

/** Run by the provider, or by the caller: without a function, nothing can be guarded. */
const runsElsewhere = (tool: Tool): boolean =>
  tool.execute === undefined || (tool.type === "provider" && tool.isProviderExecuted);

interface Pausing {
  readonly session: SessionSource;
  readonly order: StepOrder;
  readonly tool: Tool | undefined;
}

async function pause(
  { session, order, tool }: Pausing,
  call: CheckedCall,
): ReturnType<Guarded<ToolSet>["toolApproval"]> {
  const { toolName, toolCallId, input } = call.toolCall;
  if (tool === undefined) return { type: "not-applicable" };
  const preview = await sessionOf(session)
    .preview({ tool: toolName, arguments: toArguments(input) })
    // An error is reported by the decision of the call, which fails then.
    .catch(() => null);
  if (preview?.effect === "ask") return { type: "user-approval", reason: describeRefusal(preview) };
  if (await asksItself(tool, call)) return { type: "user-approval" };
  order.expect(call.messages, toolCallId);
  return { type: "not-applicable" };
}

/** With `toolApproval`, the SDK ignores a tool's own `needsApproval`, so it is called here. */
async function asksItself(
  { needsApproval }: Tool,
  { toolCall, messages, toolsContext }: CheckedCall,
): Promise<boolean> {
  if (typeof needsApproval !== "function") return needsApproval === true;
  const { toolName, toolCallId, input } = toolCall;
  const contexts = new Map(Object.entries(toolsContext ?? {}));
  return needsApproval(input, { toolCallId, messages, context: contexts.get(toolName) });
}

interface Guarding {
  readonly name: string;
  readonly tool: Tool;
  readonly session: SessionSource;
  readonly options: GuardOptions;
  readonly order: StepOrder;
  /** Notes for the model about calls that a person changed, by call id. */
  readonly edits: Map<string, string>;
}

/** Notes whose results the model hasn't got yet. */
const MAX_EDITS = 1000;

type Execute = (input: unknown, options: ToolExecutionOptions<unknown>) => unknown;

function guardTool(guarding: Guarding): Tool {
  const { name, tool, session, edits } = guarding;
  const { description, toModelOutput } = tool;
  const describe = (given: Parameters<Exclude<typeof description, string | undefined>>[0]): string =>
    describeFor(
      sessionOf(session),
      name,
      typeof description === "function" ? description(given) : description,
    );
  const toOutput = async (shown: Shown): Promise<ModelOutput> => {
    if (isRefusal(shown.output)) return { type: "error-text", value: shown.output.message };
    const output = toModelOutput ? await toModelOutput(shown) : toDefaultOutput(shown.output);
    return withNote(output, edits.get(shown.toolCallId));
  };
  return {
    ...tool,
    ...(tool.type !== "provider" && { description: describe }),
    execute: toExecute(guarding, tool.execute as Execute),
    toModelOutput: toOutput,
  } as Tool;
}

type Shown = Parameters<NonNullable<Tool["toModelOutput"]>>[0];
type ModelOutput = Awaited<ReturnType<NonNullable<Tool["toModelOutput"]>>>;

/** The SDK's output for a tool without a function of its own for that. */
function toDefaultOutput(output: unknown): ModelOutput {
  if (typeof output === "string") return { type: "text", value: output };
  const text = JSON.stringify(output);
  return { type: "json", value: text === undefined ? null : parseJson(text) };
}

/** The same after a note; a result that isn't text becomes a separate part. */
function withNote(output: ModelOutput, note: string | undefined): ModelOutput {
  if (note === undefined || output.type === "execution-denied") return output;
  const text = (value: string) => ({ type: "text" as const, text: value });
  switch (output.type) {
    case "text":
    case "error-text":
      return { ...output, value: `${note}\n${output.value}` };
    case "content":
      return { ...output, value: [text(note), ...output.value] };
    default:
      return { type: "content", value: [text(note), text(JSON.stringify(output.value))] };
  }
}

/**
 * The SDK checks whether the value that `execute` returns is a stream. An async function never streams; any other
 * may, so its result is passed on as a stream, with a single value if it was one.
 */
function toExecute(guarding: Guarding, execute: Execute): Execute {
  const toCall = (input: unknown, options: ToolExecutionOptions<unknown>) => ({
    tool: guarding.name,
    input,
    run: (copy: unknown) => execute(copy, options),
    signal: options.abortSignal,
    waitSeconds: guarding.options.waitSeconds,
  });
  const inOrder = <Value>({ messages, toolCallId }: ToolExecutionOptions<unknown>, take: () => Value) =>
    guarding.order.inOrder(messages, toolCallId, take);
  const settle = ({ toolCallId }: ToolExecutionOptions<unknown>, { edited }: Outcome<unknown>): void => {
    if (edited) guarding.edits.set(toolCallId, describeEdit(edited));
    // A model may reuse an id.
    else guarding.edits.delete(toolCallId);
  };
  const isAsync = Object.prototype.toString.call(execute) === "[object AsyncFunction]";
  return isAsync
    ? async (input, options) => {
        const session = sessionOf(guarding.session);
        const { outcome } = await inOrder(options, () => ({
          outcome: callGuarded(session, toCall(input, options)),
        }));
        const decided = await outcome;
        settle(options, decided);
        return decided.effect === "allow" ? decided.result : toRefusal(decided);
      }
    : async function* (input, options) {
        const session = sessionOf(guarding.session);
        const stream = await inOrder(options, () => streamGuarded(session, toCall(input, options)));
        const outcome = yield* stream;
        settle(options, outcome);
        if (outcome.effect !== "allow") yield toRefusal(outcome);
      };
}
