/** The story's chapters, in order. */
import { mcpDoor } from "./agent-door.ts";
import { tellApproval } from "./chapters/approval.ts";
import { tellManifest, tellPlan, tellSafeOrder } from "./chapters/before.ts";
import { tellModel } from "./chapters/model.ts";
import { tellRecord } from "./chapters/record.ts";
import { tellOrders, tellWrongOrder } from "./chapters/refusals.ts";
import type { ModelMaker } from "./model/model.ts";
import { createOperator, type OpenedSession } from "./operator.ts";
import type { Scene } from "./scene.ts";
import { TASK } from "./scripted-agent.ts";
import type { Stage } from "./stage.ts";

export interface StoryOptions extends Omit<Scene, "operator"> {
  /** Who plays the careful agent; null for the script. */
  readonly model: ModelMaker | null;
}

/** Tools of the office that the story is about. */
export const TOOLS = ["search_email", "web_search", "slack_post", "github_create_pr", "write_file"] as const;

/** What it is about. */
export function introduce(stage: Stage): void {
  stage.show("Sluicegate stands between an AI agent and its tools, and decides call by call.");
  stage.show("");
  stage.say(`An agent's task: "${TASK}"`);
  stage.say(
    "Mail is private, and what is typed into a web search leaves the house. Each is fine alone. Mail first and the web after it is how secrets get out.",
  );
  stage.show("");
  stage.say("A real gateway and real MCP servers start for this, on a copy of examples/office.", "dim");
  if (stage.watched) stage.say("(Any key goes on, q ends.)", "dim");
}

/** Tells it all. Throws where an answer of the gateway isn't what the story says. */
export async function tellStory({ model, ...rest }: StoryOptions): Promise<void> {
  const scene: Scene = { ...rest, operator: createOperator(rest.gateway) };
  const { stage } = scene;
  // The introduction is read while the gateway starts.
  await stage.pause(2);
  const session = await openSession(scene);
  const door = await mcpDoor(scene.gateway, session);
  try {
    await tellManifest(scene, session);
    await tellPlan(scene, door);
    const played = model === null ? null : await tellModel(scene, session, door, model);
    await tellApproval(scene, session, door, played ?? (await tellSafeOrder(scene, session, door)));
  } finally {
    await door.close();
  }
  const careless = await openSession(scene);
  await tellWrongOrder(scene, careless);
  await tellOrders(scene, careless);
  await tellRecord(scene, careless);
  stage.show("");
  stage.say("That is the idea. Try it yourself: `npm start` prints what to paste.");
}

const openSession = (scene: Scene): Promise<OpenedSession> =>
  scene.operator.open({ principal: "ada", task: TASK, tools: TOOLS });
