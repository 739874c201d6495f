/** What the chapters share: where they play, and how a call is told. */
import type { AgentDoor, Told } from "./agent-door.ts";
import type { DemoGateway } from "./gateway-process.ts";
import type { OfficeCopy } from "./office-copy.ts";
import type { OpenedSession, Operator } from "./operator.ts";
import type { WantedCall } from "./scripted-agent.ts";
import type { Stage } from "./stage.ts";

export interface Scene {
  readonly stage: Stage;
  readonly office: OfficeCopy;
  readonly gateway: DemoGateway;
  readonly operator: Operator;
}

/** What the careful agent has read. */
export interface Findings {
  readonly mail: string;
  readonly web: string;
}

/** Makes a call, tells how it went, and returns it; `shown` is the argument worth seeing. */
export async function tellCall(
  { stage, operator }: Scene,
  { session_id }: OpenedSession,
  door: AgentDoor,
  call: WantedCall,
  shown: string,
): Promise<Told> {
  const told = await door.call(call.tool, call.arguments);
  const { level } = await operator.label(session_id);
  stage.verdict(told.effect, `${call.tool}: ${shorten(shown)}`, `session: ${level}`);
  return told;
}

const LONGEST_SHOWN = 36;

export function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > LONGEST_SHOWN ? `${line.slice(0, LONGEST_SHOWN)}…` : line;
}

/** @throws Error where the story isn't true. */
export function assertTold(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(what);
}
