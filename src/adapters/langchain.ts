/**
 * Tools of LangChain (`langchain` 1) behind a session: `createAgent`. Filtering the tools for its model doesn't
 * prevent calls of others, so the decision is made when a tool is invoked.
 */
import type { ClientTool, ServerTool } from "@langchain/core/tools";
import { interrupt, isGraphBubbleUp } from "@langchain/langgraph";
import { AIMessage, createMiddleware, MiddlewareError, ToolInvocationError, ToolMessage } from "langchain";
import { explain } from "../core/index.ts";
import { type CallContext, describeRefusal } from "../runtime/index.ts";
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
import { approvalIdIn } from "./refusal.ts";
import { StepOrder } from "./turns.ts";

export type { GuardOptions, SessionSource } from "./guarded-call.ts";

/** What a paused agent asks its host, in the shape of LangChain's own human in the loop. */
export interface ApprovalRequest {
  readonly actionRequests: readonly [
    { name: string; args: Readonly<Record<string, unknown>>; description: string },
  ];
  readonly reviewConfigs: readonly [{ actionName: string; allowedDecisions: readonly ["approve", "reject"] }];
}

/**
 * Puts tools behind a session. Returns settings for `createAgent`; put other middleware after this one. An agent with
 * a checkpointer is interrupted for a call that needs approval, and resuming it alone admits nothing.
 * @throws SluicegateError `invalid-tool` for tools that the provider runs, unless they are named in `ungoverned`.
 */
export function guard<Guarded extends ClientTool | ServerTool>(
  session: SessionSource,
  tools: readonly Guarded[],
  options: GuardOptions = {},
) {
  assertGuard(session, options);
  const elsewhere = tools.filter((tool) => !isClientTool(tool));
  assertGoverned(elsewhere.map(nameOf), options.ungoverned);
  const order = new StepOrder();
  const names = new Set(tools.filter(isClientTool).map(({ name }) => name));
  assertNames(session, [...names]);
  const guarded = tools.map(
    (tool): Guarded => (isClientTool(tool) ? guardTool({ tool, session, options, order }) : tool),
  );
  const ungoverned = new Set(options.ungoverned);
  return {
    tools: guarded,
    middleware: [createGuard({ session, order, names, guarded: new Set(guarded), ungoverned })] as const,
  };
}

/** The id of the approval for which an agent was interrupted, from the interrupt's value; null for others. */
export function approvalIdOf(interrupted: { readonly value?: unknown }): string | null {
  const { actionRequests: [request] = [] } = (interrupted.value ?? {}) as Partial<
    Record<"actionRequests", unknown[]>
  >;
  return approvalIdIn((request as { readonly description?: string } | undefined)?.description);
}

const isClientTool = <Some extends ClientTool | ServerTool>(tool: Some): tool is Some & ClientTool =>
  "invoke" in tool && typeof tool.invoke === "function";

const nameOf = (tool: ClientTool | ServerTool): string =>
  String(tool.name ?? ("type" in tool ? tool.type : "?"));

interface Guard {
  readonly session: SessionSource;
  readonly order: StepOrder;
  /** The names of the tools that are guarded. */
  readonly names: ReadonlySet<string>;
  /** The guarded tools themselves: other middleware may add a tool of the same name. */
  readonly guarded: ReadonlySet<unknown>;
  readonly ungoverned: ReadonlySet<string>;
}

function createGuard({ session, order, names, guarded, ungoverned }: Guard) {
  const refuse = ({ name, id = "" }: { readonly name: string; readonly id?: string }): ToolMessage => {
    const { lattice } = sessionOf(session).state;
    return toRefused({ id, name }, explain(lattice, { code: "unknown-tool", tool: name }));
  };
  return createMiddleware({
    name: "sluicegate",
    wrapModelCall: async (request, handler) => {
      const now = await sessionOf(session).refresh();
      const isSeen = (name: string): boolean =>
        ungoverned.has(name) || (names.has(name) && now.tool(name) !== null);
      const answer = await handler({
        ...request,
        tools: request.tools.filter((tool) => isSeen(nameOf(tool))),
      });
      for (const { name, id } of answer.tool_calls ?? []) if (id && names.has(name)) order.expect(now, id);
      return answer;
    },
    // LangChain itself would run a tool of other middleware, and answer a call of one that doesn't exist. Calls with
    // an answer of a given shape are answered before this.
    afterModel: {
      canJumpTo: ["model"],
      hook: ({ messages }) => {
        const calls = messages.findLast((message) => AIMessage.isInstance(message))?.tool_calls ?? [];
        const answered = new Set(
          messages.flatMap((message) => (ToolMessage.isInstance(message) ? [message.tool_call_id] : [])),
        );
        const strange = calls.filter(
          ({ name, id }) => !names.has(name) && !ungoverned.has(name) && !answered.has(id ?? ""),
        );
        if (strange.length === 0) return undefined;
        return {
          messages: strange.map(refuse),
          ...(strange.length === calls.length && { jumpTo: "model" as const }),
        };
      },
    },
    // THREAT: other middleware can jump to the tools without `afterModel`, and its tools can have any name.
    wrapToolCall: async (request, handler) => {
      const { toolCall, tool } = request;
      if (!guarded.has(tool) && !ungoverned.has(toolCall.name)) return refuse(toolCall);
      try {
        return await handler(request);
      } catch (cause) {
        if (isFatal(cause) || request.runtime.signal?.aborted) throw cause;
        // As LangChain does without this hook; with it, a tool's error would end the agent.
        return toRefused(
          { id: toolCall.id ?? "", name: toolCall.name },
          `${cause}\n Please fix your mistakes.`,
        );
      }
    },
  });
}

/**
 * Whether an error isn't a tool's: a pause, or an error of other middleware. LangChain reports wrong arguments
 * itself.
 */
const isFatal = (cause: unknown): boolean =>
  isGraphBubbleUp(cause) || MiddlewareError.isInstance(cause) || ToolInvocationError.isInstance(cause);

interface CallOfTool {
  readonly id: string;
  readonly name: string;
}

const toRefused = ({ id, name }: CallOfTool, content: string): ToolMessage =>
  new ToolMessage({ content, name, tool_call_id: id, status: "error" });

interface Guarding<Guarded> {
  readonly tool: Guarded;
  readonly session: SessionSource;
  readonly options: GuardOptions;
  readonly order: StepOrder;
}

/** A copy of a tool with another function and description; LangChain recognises tools by their class. */
function guardTool<Guarded extends ClientTool>(guarding: Guarding<Guarded>): Guarded {
  const { tool, session } = guarding;
  const run = (input: unknown, config: Config): Promise<unknown> => invoke(guarding, input, config ?? {});
  const description = (): string => {
    try {
      return describeFor(sessionOf(session), tool.name, tool.description);
    } catch {
      // Outside of a session, a shared tool has its original description.
      return tool.description ?? "";
    }
  };
  return Object.create(tool, {
    invoke: { value: run },
    call: { value: run },
    _call: { value: (input: unknown, _manager: unknown, config: Config) => run(input, config) },
    func: { value: (input: unknown, _manager: unknown, config: Config) => run(input, config) },
    description: { get: description, enumerable: true },
  });
}

type Config = { readonly signal?: AbortSignal; readonly configurable?: Record<string, unknown> } | undefined;

async function invoke(
  { tool, session: source, options, order }: Guarding<ClientTool>,
  given: unknown,
  config: NonNullable<Config>,
): Promise<unknown> {
  const session = sessionOf(source);
  const call = isToolCall(given) ? given : null;
  const input = call ? call.args : given;
  const tell = (text: string): unknown => (call ? toRefused(call, text) : text);
  try {
    const no = await pause({ session, name: tool.name, input, config });
    if (no !== null) return tell(no);
  } catch (cause) {
    order.leave(session, call?.id ?? "");
    throw cause;
  }
  const run = async (copy: unknown, { fail }: CallContext): Promise<unknown> => {
    const result: unknown = await tool.invoke((call ? { ...call, args: copy } : copy) as never, config);
    if (ToolMessage.isInstance(result) && result.status === "error") fail();
    return result;
  };
  const { signal } = config;
  const guarded = { tool: tool.name, input, run, signal, waitSeconds: options.waitSeconds };
  const { outcome } = await order.inOrder(session, call?.id ?? "", () => ({
    outcome: callGuarded(session, guarded),
  }));
  const decided = await outcome;
  return decided.effect === "allow" ? withEditNote(decided) : tell(describeRefusal(decided));
}

interface ToolCall extends CallOfTool {
  readonly args: unknown;
}

const isToolCall = (given: unknown): given is ToolCall =>
  typeof given === "object" &&
  given !== null &&
  "type" in given &&
  given.type === "tool_call" &&
  "args" in given;

interface Asked {
  readonly session: ReturnType<typeof sessionOf>;
  readonly name: string;
  readonly input: unknown;
  readonly config: NonNullable<Config>;
}

/**
 * Interrupts the agent for a call that needs approval. A host's denial is final; after its approval the gate decides.
 * Returns the model's message about a denial.
 */
async function pause({ session, name, input, config }: Asked): Promise<string | null> {
  // Without a checkpointer nothing can be paused, and the refusal names the pending approval.
  if (config.configurable?.__pregel_checkpointer === undefined) return null;
  const args = toArguments(input);
  // An error is reported by the decision of the call, which fails then.
  const preview = await session.preview({ tool: name, arguments: args }).catch(() => null);
  if (preview?.effect !== "ask" && !isResumed(config)) return null;
  const description = preview ? describeRefusal(preview) : "";
  const request: ApprovalRequest = {
    actionRequests: [{ name, args, description }],
    reviewConfigs: [{ actionName: name, allowedDecisions: ["approve", "reject"] }],
  };
  return readAnswer(interrupt(request));
}

/**
 * Whether the host has answered an interrupt of exactly this call: the answer must be used here, or it goes to
 * another.
 */
function isResumed({ configurable }: NonNullable<Config>): boolean {
  const pad = configurable?.__pregel_scratchpad as { resume?: unknown[]; nullResume?: unknown } | undefined;
  return pad !== undefined && ((pad.resume?.length ?? 0) > 0 || pad.nullResume !== undefined);
}

/** Anything but one explicit approval is a denial. */
function readAnswer(answer: unknown): string | null {
  const { decisions } = (answer ?? {}) as {
    readonly decisions?: readonly { type?: unknown; message?: unknown }[];
  };
  const [decision, ...others] = decisions ?? [];
  if (decision?.type === "approve" && others.length === 0) return null;
  const { message } = decision ?? {};
  return typeof message === "string" ? message : "A person said no to this call, and it was not run.";
}
