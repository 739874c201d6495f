/**
 * A real model in the agent's part. What it does is its own; the story tells what it met, and holds the gate alone
 * to its word.
 */
import type { McpDoor, Told } from "../agent-door.ts";
import {
  type Conversation,
  type ModelAnswer,
  type ModelCall,
  ModelError,
  type ModelMaker,
} from "../model/model.ts";
import type { OpenedSession } from "../operator.ts";
import { type Findings, type Scene, tellHeldCall } from "../scene.ts";
import { TASK } from "../scripted-agent.ts";
import { askPerson } from "./approval.ts";

/** A model that isn't done after so many turns is left. */
const MAX_TURNS = 12;
const MAX_SAID_LENGTH = 400;

const HINTS =
  "The mail of 8 October has the figures; the mail about firmware 4.2 names repository and branch. Work with the tools alone, ask nobody, and end with two sentences on what you did.";

interface Played {
  readonly told: Told;
  readonly tool: string;
}

/** Chapter: the model at work. Null where it can't be had; then the script goes on in its place. */
export async function tellModel(
  scene: Scene,
  session: OpenedSession,
  door: McpDoor,
  model: ModelMaker,
): Promise<Findings | null> {
  const { stage } = scene;
  await stage.chapter(`A real model at work: ${model.name}`);
  stage.say(`(${model.key} is set. Unset it, and a script plays this part.)`, "dim");
  const played: Played[] = [];
  try {
    const conversation = model.converse(door.instructions, await door.tools());
    await converse(scene, session, door, conversation, played);
  } catch (cause) {
    if (!(cause instanceof ModelError)) throw cause;
    stage.say(`The model doesn't answer: ${cause.message} A script goes on in its place.`);
    if (played.length === 0) return null;
  }
  const blocked = played.filter(({ told }) => told.effect === "deny").length;
  stage.say(
    `It made ${played.length} calls; ${blocked === 0 ? "none was blocked" : `${blocked} were blocked`}.`,
  );
  await stage.pause(4);
  const last = (tool: string): string =>
    played.findLast((one) => one.tool === tool && one.told.effect === "allow")?.told.text ?? "";
  return { mail: last("search_email"), web: last("web_search") };
}

async function converse(
  scene: Scene,
  session: OpenedSession,
  door: McpDoor,
  conversation: Conversation,
  played: Played[],
): Promise<void> {
  const { stage } = scene;
  let turn = await conversation.begin(`${TASK} ${HINTS}`);
  for (let turns = 1; turns < MAX_TURNS; turns += 1) {
    stage.stopped.throwIfAborted();
    if (turn.text.trim() !== "") stage.say(`"${turn.text.trim().slice(0, MAX_SAID_LENGTH)}"`, "dim");
    if (turn.calls.length === 0) return;
    const answers: ModelAnswer[] = [];
    for (const call of turn.calls) {
      const told = await makeCall(scene, session, door, call);
      played.push({ told, tool: call.tool });
      answers.push({ id: call.id, text: told.text, failed: told.failed });
    }
    turn = await conversation.answer(answers);
  }
  stage.say(`It wasn't done after ${MAX_TURNS} turns.`);
}

/** Makes one call of the model; where it waits for a person, whoever watches is asked. */
async function makeCall(scene: Scene, session: OpenedSession, door: McpDoor, call: ModelCall): Promise<Told> {
  const shown = Object.values(call.arguments).map(String).join(", ");
  const told = await tellHeldCall(scene, session, door, call, shown, (approval) =>
    askPerson(scene, approval),
  );
  if (told.effect === "deny") scene.stage.say(told.text, "dim");
  return told;
}
