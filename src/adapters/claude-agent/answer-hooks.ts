/** Answers the SDK: its hooks before a call, after it and after all calls of a step, and `canUseTool`. */
import { dataSetOf, topLabel } from "../../core/index.ts";
import { describeRefusal, type Session } from "../../runtime/index.ts";
import {
  answerFailure,
  type HookAnswer,
  type HookVerdict,
  sentencesOf,
  toPermissionAnswer,
  toQuietAnswer,
  toStopAnswer,
} from "../claude-code/hook-answer.ts";
import { type HookEvent, parseHookEvent } from "../claude-code/hook-event.ts";
import { sessionOf } from "../guarded-call.ts";
import {
  decideCall,
  endUnrun,
  type Guarding,
  isOwn,
  keyOf,
  meaningOf,
  propertyOf,
  type SdkCall,
} from "./guarding.ts";
import type { CanUseTool, HookCallback, PermissionResult } from "./sdk-shapes.ts";

/** Called before each call. Any failure denies. */
export const createPreToolUse =
  (guarding: Guarding): HookCallback =>
  async (input, _, { signal }) => {
    let event: HookEvent | null = null;
    try {
      event = parseHookEvent(input);
      if (guarding.ungoverned.has(event.tool)) return {};
      return toPermissionAnswer(await decideBefore(guarding, event, input, signal));
    } catch (cause) {
      return answerFailure(event ?? { name: "PreToolUse", response: undefined }, cause);
    }
  };

/** Called when a call has ended or failed. A result that can't be recorded doesn't reach the model. */
export const createPostToolUse =
  (guarding: Guarding): HookCallback =>
  async (input) => {
    let event: HookEvent | null = null;
    try {
      event = parseHookEvent(input);
      if (guarding.ungoverned.has(event.tool) || isOwn(guarding, event.tool, propertyOf(input, "mcp_server")))
        return {};
      return await answerAfter(guarding, event);
    } catch (cause) {
      return answerFailure(
        event ?? { name: "PostToolUse", response: propertyOf(input, "tool_response") },
        cause,
      );
    }
  };

/**
 * Called once all calls of a step are over. An admitted call without a report counts as not run; what the model is
 * told about it is inspected nevertheless.
 */
export const createPostToolBatch =
  (guarding: Guarding): HookCallback =>
  async (input) => {
    const [calls, agent] = [propertyOf(input, "tool_calls"), propertyOf(input, "agent_id")];
    try {
      const session = sessionOf(guarding.source);
      for (const call of Array.isArray(calls) ? calls : []) {
        const use = String(propertyOf(call, "tool_use_id"));
        const asked = { use, agent: typeof agent === "string" ? agent : null };
        await endUnrun(guarding, session, asked, propertyOf(call, "tool_response"));
      }
      return {};
    } catch (cause) {
      return toStopAnswer({ name: "PostToolUseFailure", response: undefined }, sentencesOf(cause));
    }
  };

async function decideBefore(
  guarding: Guarding,
  event: HookEvent,
  input: unknown,
  signal: AbortSignal,
): Promise<HookVerdict> {
  const { source, order } = guarding;
  const session = sessionOf(source);
  const { tool, arguments: args, use, agent } = event;
  order.expect(session, use);
  let isLeft = true;
  try {
    if (isOwn(guarding, tool, propertyOf(input, "mcp_server"))) {
      const asked = await askedFor(session, guarding.own.get(tool) ?? tool, args);
      isLeft = asked !== null;
      return asked === null ? PASS : { decision: "ask", reason: asked };
    }
    const { outcome } = await order.inOrder(session, use, () => ({
      outcome: decideCall(guarding, session, { tool, input: args, use, agent, signal }),
    }));
    const decided = await outcome;
    return decided.effect === "allow" ? PASS : { decision: decided.effect, reason: decided.message };
  } finally {
    if (isLeft) order.leave(session, use);
  }
}

/** The SDK's own rules, and its host, may still deny. */
const PASS: HookVerdict = { decision: "pass" };

/** A guarded tool is decided when it runs; here it only pauses. Null if it needn't. */
async function askedFor(
  session: Session,
  tool: string,
  args: HookEvent["arguments"],
): Promise<string | null> {
  const preview = await session.preview({ tool, arguments: args });
  return preview.effect === "ask" ? describeRefusal(preview) : null;
}

async function answerAfter({ source, running }: Guarding, event: HookEvent): Promise<HookAnswer> {
  const session = sessionOf(source);
  const call = running.take(session, keyOf(event));
  if (call !== null) {
    await call.end({ failed: event.failed, result: event.response });
    return toQuietAnswer();
  }
  const { id } = meaningOf(session, { tool: event.tool, input: event.arguments });
  const tool = id === null ? null : session.tool(id);
  const label = tool === null ? topLabel(session.state.lattice) : tool.source;
  if (label !== null) await session.addDataset(tool === null ? "unknown" : dataSetOf(tool), label);
  await session.inspect(event.response, id ?? event.tool);
  return toQuietAnswer(
    `Sluicegate wasn't asked before a call of ${event.tool} ran. It counts in the session all the same.`,
  );
}

/** The host's function is called first, and its denial is final. Its approval has no effect at the gate. */
export const createCanUseTool =
  (guarding: Guarding): CanUseTool =>
  async (tool, input, asked) => {
    const { toolUseID: use, agentID: agent = null, signal } = asked;
    try {
      const said = await askHost(guarding, tool, input, asked);
      const call: SdkCall = { tool, input: said.input, use, agent, signal };
      const session = guarding.ungoverned.has(tool) ? null : sessionOf(guarding.source);
      if (said.no !== null) {
        if (session !== null) await endUnrun(guarding, session, call);
        return said.no;
      }
      const allowed: PermissionResult = { behavior: "allow", updatedInput: said.input };
      // A guarded tool is decided when it runs.
      if (session === null || isOwn(guarding, tool, asked.mcpServer)) return allowed;
      const decided = await decideCall(guarding, session, call, guarding.waitSeconds);
      return decided.effect === "allow" ? allowed : { behavior: "deny", message: decided.message };
    } catch (cause) {
      return { behavior: "deny", message: sentencesOf(cause) };
    }
  };

interface Said {
  /** The host's answer if it isn't an approval; otherwise null. */
  readonly no: PermissionResult | null;
  /** The arguments with which the call runs. */
  readonly input: Record<string, unknown>;
}

async function askHost(
  { canUseTool, ungoverned }: Guarding,
  ...given: Parameters<CanUseTool>
): Promise<Said> {
  const [tool, input] = given;
  if (canUseTool === undefined) return { no: ungoverned.has(tool) ? NOBODY : null, input };
  // A host may answer the SDK in another way; without an answer here, the call isn't approved.
  const said = await canUseTool(...given);
  return said?.behavior === "allow"
    ? { no: null, input: said.updatedInput ?? input }
    : { no: said ?? NOBODY, input };
}

const NOBODY: PermissionResult = {
  behavior: "deny",
  message: "Nobody was there to be asked about this call, so it was not run.",
};
