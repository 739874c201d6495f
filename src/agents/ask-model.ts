/** The AI SDK's loop, streamed or not, with one result: the messages, or an error. */
import type {
  generateText,
  LanguageModel,
  ModelMessage,
  PrepareStepFunction,
  StepResult,
  StopCondition,
  ToolSet,
} from "ai";
import { SluicegateError } from "../errors/index.ts";

type Settings = Parameters<typeof generateText>[0];

/** Settings of the model's calls for the SDK. */
export type ModelSettings = Pick<
  Settings,
  "headers" | "maxOutputTokens" | "maxRetries" | "providerOptions" | "seed" | "temperature" | "topK" | "topP"
>;

interface Asking {
  readonly model: LanguageModel;
  readonly settings: ModelSettings;
  readonly messages: readonly ModelMessage[];
  readonly tools: ToolSet;
  readonly prepareStep: PrepareStepFunction<ToolSet>;
  readonly toolApproval: NonNullable<Settings["toolApproval"]>;
  readonly stopWhen: StopCondition<ToolSet>;
  readonly signal: AbortSignal | undefined;
  readonly onStep: (step: StepResult<ToolSet>) => void;
  /** Called for each call that was run or refused, with its id and outcome. */
  readonly onCall: (
    id: string,
    tool: string,
    ended: { readonly output: unknown } | { readonly error: unknown },
  ) => void;
  /** Called with the model's text as it comes. Left out: it isn't streamed. */
  readonly onText: ((text: string) => void) | undefined;
}

/**
 * Runs the loop; returns the messages that it added.
 * @throws SluicegateError `upstream-failed` if the model fails, and what the gate throws.
 */
export async function askModel(asking: Asking): Promise<readonly ModelMessage[]> {
  const { model, settings, tools, prepareStep, toolApproval, stopWhen, signal, onText } = asking;
  const { generateText, streamText } = await import("ai");
  const given = {
    ...settings,
    model,
    tools,
    prepareStep,
    toolApproval,
    stopWhen,
    messages: [...asking.messages],
    ...(signal && { abortSignal: signal }),
    onStepEnd: asking.onStep,
    onToolExecutionEnd: ({ toolCall, toolOutput }: Ended) =>
      asking.onCall(
        toolCall.toolCallId,
        toolCall.toolName,
        toolOutput.type === "tool-result" ? { output: toolOutput.output } : { error: toolOutput.error },
      ),
  };
  try {
    if (onText === undefined) return (await generateText(given)).responseMessages;
    const result = streamText({ ...given, onError: () => {} });
    for await (const part of result.fullStream) {
      if (part.type === "text-delta") onText(part.text);
      else if (part.type === "error") throw part.error;
      else if (part.type === "abort") throw signal?.reason;
    }
    return await result.responseMessages;
  } catch (cause) {
    if (signal?.aborted || SluicegateError.isInstance(cause)) throw cause;
    throw new SluicegateError("upstream-failed", "The run has failed.", {
      why: `The model, or what was to take its words, threw${cause instanceof Error ? ` \`${cause.name}\`` : ""}.`,
      fix: "Look at the cause, and run the task again; what was read stays in the session's label.",
      cause,
    });
  }
}

interface Ended {
  readonly toolCall: { readonly toolCallId: string; readonly toolName: string };
  readonly toolOutput:
    | { readonly type: "tool-result"; readonly output: unknown }
    | { readonly type: "tool-error"; readonly error: unknown };
}
