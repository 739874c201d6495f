/** What the chapters share: where they play, and how a call is told. */
import { setTimeout as delay } from "node:timers/promises";
import type { AgentDoor, Told } from "./agent-door.ts";
import type { DemoGateway } from "./gateway-process.ts";
import type { OfficeCopy } from "./office-copy.ts";
import type { Approval, OpenedSession, Operator } from "./operator.ts";
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

/** Makes a call, prints how it went, and returns it; `shown` is the argument worth seeing. */
export async function tellCall(
  scene: Scene,
  session: OpenedSession,
  door: AgentDoor,
  call: WantedCall,
  shown: string,
): Promise<Told> {
  const told = await door.call(call.tool, call.arguments);
  await printVerdict(scene, session, told.effect, `${call.tool}: ${shorten(shown)}`);
  return told;
}

/**
 * Makes a call that may wait for a person. The gateway holds it meanwhile: `answer` is given the approval, and the
 * call goes on as soon as it was answered.
 */
export async function tellHeldCall(
  scene: Scene,
  session: OpenedSession,
  door: AgentDoor,
  call: WantedCall,
  shown: string,
  answer: (approval: Approval) => Promise<unknown>,
): Promise<Told> {
  const about = `${call.tool}: ${shorten(shown)}`;
  const done = new AbortController();
  const running = door.call(call.tool, call.arguments);
  // Where the story is stopped meanwhile, nobody waits for the call any more.
  running.then(
    () => done.abort(),
    () => done.abort(),
  );
  const waiting = await findApproval(scene, session, done.signal);
  if (waiting !== null) {
    await printVerdict(scene, session, "ask", about);
    await answer(waiting);
  }
  const told = await running;
  await printVerdict(scene, session, told.effect, waiting === null ? about : `${call.tool}: once answered`);
  return told;
}

async function printVerdict(
  { stage, operator }: Scene,
  { session_id }: OpenedSession,
  word: string,
  about: string,
): Promise<void> {
  const { level } = await operator.label(session_id);
  stage.verdict(word, about, `session: ${level}`);
}

const POLL_MS = 50;

/** The approval that a session's call waits for; null once `done` is aborted and none was found. */
async function findApproval(
  { operator, stage }: Scene,
  { session_id }: OpenedSession,
  done: AbortSignal,
): Promise<Approval | null> {
  while (!done.aborted) {
    stage.stopped.throwIfAborted();
    const [waiting] = await operator.pending(session_id);
    if (waiting !== undefined) return waiting;
    await delay(POLL_MS);
  }
  return null;
}

const MAX_SHOWN_LENGTH = 36;

export function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > MAX_SHOWN_LENGTH ? `${line.slice(0, MAX_SHOWN_LENGTH)}…` : line;
}

/** @throws Error where the story isn't true. */
export function assertTold(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(what);
}
