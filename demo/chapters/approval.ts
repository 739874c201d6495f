/** A call that a person must say yes to: shown, answered, run once, and not again. */
import type { AgentDoor } from "../agent-door.ts";
import type { Approval, OpenedSession } from "../operator.ts";
import { assertTold, type Findings, type Scene, tellHeldCall } from "../scene.ts";
import { writePage } from "../scripted-agent.ts";

const SECONDS_TO_ANSWER = 15;

/** Chapter: an approval. */
export async function tellApproval(
  scene: Scene,
  session: OpenedSession,
  door: AgentDoor,
  found: Findings,
): Promise<void> {
  const { stage, office, operator } = scene;
  await stage.chapter("Some calls wait for a person");
  const call = writePage(found);
  const path = String(call.arguments.path);
  let isYes = false;
  const answered = await tellHeldCall(scene, session, door, call, path, async (approval) => {
    isYes = await askPerson(scene, approval);
  });
  if (isYes) {
    assertTold(
      answered.effect === "allow" && !answered.failed,
      `The approved call didn't run: ${answered.text}`,
    );
    assertTold(office.document(path) === call.arguments.content, "What was written isn't what was shown.");
    await stage.pause(1);
    let asks = 0;
    const again = await tellHeldCall(scene, session, door, call, "the same call again", async ({ id }) => {
      asks += 1;
      await operator.answer(id, "deny");
    });
    assertTold(asks === 1 && again.effect === "deny", "The approval admitted the call twice.");
    stage.say(
      "The yes was for that one call, and is used up. The same call asked again, and this time the operator said no.",
      "dim",
    );
  } else {
    assertTold(answered.effect === "deny" && office.document(path) === null, "A denied call ran.");
    stage.say(answered.text, "dim");
  }
  await stage.pause(4);
}

/** Shows an approval as a person sees it, and answers it. Returns whether it was approved. */
export async function askPerson({ stage, operator }: Scene, approval: Approval): Promise<boolean> {
  stage.show("");
  for (const [name, value] of detailsOf(approval)) stage.verdict(name, value);
  stage.show("");
  const yes = await stage.ask("Approve this call?", SECONDS_TO_ANSWER);
  await operator.answer(approval.id, yes ? "approve" : "deny");
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
