/** A call that a person must say yes to: shown, answered, run once, and not again. */
import type { AgentDoor } from "../agent-door.ts";
import type { Approval, OpenedSession } from "../operator.ts";
import { assertTold, type Findings, type Scene, tellCall } from "../scene.ts";
import { writePage } from "../scripted-agent.ts";

const SECONDS_TO_ANSWER = 15;

/** Chapter: an approval. */
export async function tellApproval(
  scene: Scene,
  session: OpenedSession,
  door: AgentDoor,
  found: Findings,
): Promise<void> {
  const { stage, office } = scene;
  await stage.chapter("Some calls wait for a person");
  const call = writePage(found);
  const path = String(call.arguments.path);
  const asked = await tellCall(scene, session, door, call, path);
  assertTold(asked.effect === "ask" && asked.approval !== null, "The call didn't wait for a person.");
  const yes = await askPerson(scene, session, asked.approval.id);
  await stage.pause(1);
  const again = await tellCall(scene, session, door, call, "the same call again");
  if (yes) {
    assertTold(again.effect === "allow" && !again.failed, `The approved call didn't run: ${again.text}`);
    assertTold(office.document(path) === call.arguments.content, "What was written isn't what was shown.");
    const replay = await tellCall(scene, session, door, call, "and once more");
    assertTold(replay.effect === "ask", "The approval admitted the call twice.");
    stage.say(
      "The yes was for that very call, and is used up: any other, and a repetition, asks anew.",
      "dim",
    );
  } else {
    assertTold(again.effect === "deny" && office.document(path) === null, "A denied call ran.");
    stage.say(again.text, "dim");
  }
  await stage.pause(4);
}

/** Shows an approval as a person sees it, and answers it. Returns whether it was approved. */
export async function askPerson(
  { stage, operator }: Scene,
  session: OpenedSession,
  id: string,
): Promise<boolean> {
  const waiting = (await operator.pending(session.session_id)).find((one) => one.id === id);
  assertTold(waiting !== undefined, "The approval isn't in the operator's queue.");
  stage.show("");
  for (const [name, value] of detailsOf(waiting)) stage.verdict(name, value);
  stage.show("");
  const yes = await stage.ask("Approve this call?", SECONDS_TO_ANSWER);
  await operator.answer(id, yes ? "approve" : "deny");
  stage.show("");
  return yes;
}

function detailsOf({
  tool,
  arguments: args,
  reasons,
  label,
  principal,
}: Approval): readonly [string, string][] {
  return [
    ["tool", tool],
    ...Object.entries(args).map(([name, value]): [string, string] => [
      name,
      typeof value === "string" ? value.trimEnd() : JSON.stringify(value),
    ]),
    ["why", reasons.map(({ message }) => message.replace(/ Call it again.*$/, "")).join(" ")],
    ["for", `${principal}, in a session that holds ${label.level} data (${label.trust})`],
  ];
}
