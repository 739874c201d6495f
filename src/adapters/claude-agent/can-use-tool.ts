/** Answers `canUseTool`, where the SDK asks its host: the gate's questions and the SDK's own come here. */
import { sentencesOf } from "../claude-code/hook-answer.ts";
import { sessionOf } from "../guarded-call.ts";
import { decideCall, endUnrun, type Guarding, isOwn, type SdkCall } from "./guarding.ts";
import type { CanUseTool, PermissionResult } from "./sdk-shapes.ts";

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
