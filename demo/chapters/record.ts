/** The record: what was written, that it is whole, and that a changed letter shows. */
import { DatabaseSync } from "node:sqlite";
import { styled } from "../../src/cli/terminal/terminal.ts";
import { runCommand } from "../gateway-process.ts";
import type { OpenedSession } from "../operator.ts";
import { assertTold, type Scene } from "../scene.ts";

/** Chapter: the journal. Ends the gateway: what is verified is its store at rest. */
export async function tellRecord(scene: Scene, { session_id }: OpenedSession): Promise<void> {
  const { stage, office, operator, gateway } = scene;
  await stage.chapter("All of it stands in the journal, chained by hashes");
  for (const { seq, kind, data, prev, hash } of await operator.journal(session_id)) {
    const tool = (data.tool ?? "").replace(/^mcp__\w+?__/, "");
    const chain = `${prev.slice(0, 6)} → ${hash.slice(0, 6)}`;
    stage.show(
      String(seq).padStart(2),
      "  ",
      kind.padEnd(16),
      tool.padEnd(14),
      (data.label?.level ?? "").padEnd(10),
      styled("dim", chain),
    );
  }
  await stage.pause(4);
  await gateway.stop();
  stage.show("");
  stage.show(styled("bold", "$ sluicegate journal verify"));
  const whole = await runCommand(["journal", "verify", "--store", `sqlite:${office.store}`]);
  for (const line of whole.out.split("\n")) stage.show(line);
  assertTold(whole.status === 0, "The journal isn't whole.");
  await stage.pause(2);
  const copy = `${office.store}.copy`;
  changeOneLetter(office.store, copy);
  stage.show("");
  stage.show(
    styled("bold", "$ sluicegate journal verify"),
    styled("dim", "   # a copy, with one letter changed"),
  );
  const broken = await runCommand(["journal", "verify", "--store", `sqlite:${copy}`]);
  for (const line of broken.out.split("\n").filter((text) => text !== "")) stage.say(line);
  assertTold(broken.status === 1, "The changed letter didn't show.");
  await stage.pause(4);
}

/** Copies a store, and changes one letter of one entry of the copy: a refusal's reason. */
function changeOneLetter(store: string, copy: string): void {
  const original = new DatabaseSync(store);
  original.prepare("VACUUM INTO ?").run(copy);
  original.close();
  const database = new DatabaseSync(copy);
  const changed = database
    .prepare(
      `UPDATE events SET body = replace(body, '"flow-blocked"', '"flow-clocked"')
       WHERE position = (SELECT max(position) FROM events WHERE body LIKE '%"flow-blocked"%')`,
    )
    .run();
  database.close();
  assertTold(Number(changed.changes) === 1, "There is no refusal to change in the journal.");
}
