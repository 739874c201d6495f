/** What is refused while an agent is at work: the wrong order, and the orders of a stranger. */
import { styled } from "../../src/cli/terminal/terminal.ts";
import { restDoor } from "../agent-door.ts";
import type { OpenedSession } from "../operator.ts";
import { assertTold, type Scene, tellCall } from "../scene.ts";
import { FIRST_IDEA, findOrders } from "../scripted-agent.ts";

/** Chapter: an agent that doesn't plan. */
export async function tellWrongOrder(scene: Scene, session: OpenedSession): Promise<void> {
  const { stage, office } = scene;
  await stage.chapter("Another agent doesn't plan: mail first, the web after it");
  const door = restDoor(scene.gateway, session);
  const searches = office.arrived("searches.jsonl").length;
  const [mail, web] = FIRST_IDEA;
  assertTold(mail !== undefined && web !== undefined, "There is no first idea.");
  const read = await tellCall(scene, session, door, mail, String(mail.arguments.query));
  assertTold(read.effect === "allow", "Reading mail was refused.");
  await stage.pause(1);
  const refused = await tellCall(scene, session, door, web, String(web.arguments.query));
  assertTold(refused.effect === "deny", "The web was open after the mail.");
  stage.say(refused.text, "dim");
  assertTold(office.arrived("searches.jsonl").length === searches, "The refused search reached the web.");
  await stage.pause(6);
}

/** Chapter: a mail that tries to command the agent. */
export async function tellOrders(scene: Scene, session: OpenedSession): Promise<void> {
  const { stage, office } = scene;
  await stage.chapter("A stranger's mail gives the agent orders, and it obeys");
  const door = restDoor(scene.gateway, session);
  const before = [office.arrived("chat.jsonl").length, office.arrived("searches.jsonl").length];
  const benchmark = { tool: "search_email", arguments: { query: "free Q3 benchmark", limit: 1 } };
  const mail = await tellCall(scene, session, door, benchmark, benchmark.arguments.query);
  const orders = findOrders(mail.text);
  assertTold(orders !== null, "The mail with the orders isn't in the mailbox.");
  stage.say(`"… ${orders.quote}"`, "dim");
  await stage.pause(4.5);
  const found = await tellCall(scene, session, door, orders.search, String(orders.search.arguments.query));
  assertTold(found.effect === "allow", "Reading mail was refused.");
  for (const call of orders.pass(found.text)) {
    const refused = await tellCall(
      scene,
      session,
      door,
      call,
      String(call.arguments.text ?? call.arguments.query),
    );
    assertTold(refused.effect === "deny", `\`${call.tool}\` sent a secret out.`);
    await stage.pause(1);
  }
  const after = [office.arrived("chat.jsonl").length, office.arrived("searches.jsonl").length];
  assertTold(before.join() === after.join(), "Something reached the outside.");
  stage.show(
    styled("bold", "Nothing arrived outside."),
    " No model had to see through the trick: the way was shut.",
  );
  await stage.pause(4);
}
