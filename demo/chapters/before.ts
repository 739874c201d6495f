/** What happens before anything is read or sent: the manifest, the plan check, and the order that is safe. */
import { styled } from "../../src/cli/terminal/terminal.ts";
import type { AgentDoor, McpDoor } from "../agent-door.ts";
import type { OpenedSession } from "../operator.ts";
import { assertTold, type Findings, type Scene, tellCall } from "../scene.ts";
import { FIRST_IDEA, inOrder } from "../scripted-agent.ts";

const CLASSES: ReadonlyMap<string, string> = new Map([
  ["internal_source", "reads inside"],
  ["external", "sends outside"],
  ["both", "both"],
  ["neutral", "neither"],
]);

/** Chapter: what each tool costs. */
export async function tellManifest({ stage }: Scene, { tools }: OpenedSession): Promise<void> {
  await stage.chapter("Before it starts, the agent is told what each tool costs");
  for (const { name, sensitivity, consequence } of tools) {
    const cost = consequence.replace(/^calling this tool will block: /, "shuts ");
    const kind = CLASSES.get(sensitivity) ?? sensitivity;
    stage.show(
      name.padEnd(18),
      styled("dim", kind.padEnd(15)),
      cost.startsWith("none") ? "shuts nothing" : cost,
    );
  }
  const mail = tools.find(({ name }) => name === "search_email");
  assertTold(
    mail?.consequence.includes("web_search") === true,
    "The manifest doesn't say that reading mail shuts the web.",
  );
  await stage.pause(5);
}

/** Chapter: the first plan fails its check. */
export async function tellPlan({ stage }: Scene, door: AgentDoor): Promise<void> {
  await stage.chapter("Its first plan fails the check, and nothing has run yet");
  const planned = FIRST_IDEA.map(({ tool }) => tool);
  const check = await door.checkPlan(planned);
  stage.verdict("plan", planned.join(" → "));
  for (const { reason, suggestion } of check.violations) stage.verdict("no", `${reason}: ${suggestion}`);
  assertTold(!check.valid && check.violations.length === 1, "The plan didn't fail its check.");
  assertTold(check.safe_ordering !== null, "No safe order was found.");
  stage.verdict("safe", check.safe_ordering.join(" → "));
  await stage.pause(5.5);
}

/** Chapter: the safe order runs. */
export async function tellSafeOrder(scene: Scene, session: OpenedSession, door: McpDoor): Promise<Findings> {
  const { stage, office } = scene;
  await stage.chapter("In the safe order everything runs");
  const { safe_ordering } = await door.checkPlan(FIRST_IDEA.map(({ tool }) => tool));
  const texts = new Map<string, string>();
  for (const call of inOrder(FIRST_IDEA, safe_ordering ?? [])) {
    const told = await tellCall(
      scene,
      session,
      door,
      call,
      String(call.arguments.query ?? call.arguments.title),
    );
    assertTold(told.effect === "allow" && !told.failed, `\`${call.tool}\` was blocked in the safe order.`);
    texts.set(call.tool, told.text);
    await stage.pause(1);
  }
  assertTold(office.arrived("forge.jsonl").length === 1, "The pull request didn't arrive.");
  stage.say(
    "Reading the mail raised the session's label to internal, for good. The pull request goes to our own forge, which may receive internal data.",
    "dim",
  );
  await stage.pause(3.5);
  return { mail: texts.get("search_email") ?? "", web: texts.get("web_search") ?? "" };
}
