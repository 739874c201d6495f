/** What the SDK is told where it asks its host: the gate's questions and the SDK's own come by the same way. */
import { sentencesOf } from "../claude-code/hook-answer.ts";
import { sessionOf } from "../guarded-call.ts";
import { decideCall, endUnrun, type Guarding, isOwn, type SdkCall } from "./guarding.ts";
import type { CanUseTool, PermissionResult } from "./sdk-shapes.ts";

/** The host's own function is asked first, and its no is final. Its yes is none of the gate's. */
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
      // A guarded tool decides where it is run.
      if (session === null || isOwn(guarding, tool, asked.mcpServer)) return allowed;
      const decided = await decideCall(guarding, session, call, guarding.waitSeconds);
      return decided.effect === "allow" ? allowed : { behavior: "deny", message: decided.message };
    } catch (cause) {
      return { behavior: "deny", message: sentencesOf(cause) };
    }
  };

interface Said {
  /** What it answered instead of an approval; null if it approved. */
  readonly no: PermissionResult | null;
  /** What the call is to be run with. */
  readonly input: Record<string, unknown>;
}

async function askHost(
  { canUseTool, ungoverned }: Guarding,
  ...given: Parameters<CanUseTool>
): Promise<Said> {
  const [tool, input] = given;
  if (canUseTool === undefined) return { no: ungoverned.has(tool) ? NOBODY : null, input };
  // A host may answer the SDK by another way, and say nothing here: that is no yes.
  const said = await canUseTool(...given);
  return said?.behavior === "allow"
    ? { no: null, input: said.updatedInput ?? input }
    : { no: said ?? NOBODY, input };
}

const NOBODY: PermissionResult = {
  behavior: "deny",
  message: "Nobody was there to be asked about this call, so it was not run.",
};
