/** That the program which sets the limit does all the work that makes it one. */
import { hash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import { openChainWriter } from "./group-commit.ts";
import { measureLoad } from "./load.ts";
import { startLimit } from "./paths.ts";
import { limitDoors } from "./raw-doors.ts";

/** A folder that is gone after the test. */
function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), "limit-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

it("says that a row is written only once it is committed, though many are committed together", async () => {
  const file = join(scratch(), "rows.db");
  const writer = openChainWriter(file);
  let reader: DatabaseSync | null = null;
  const seen = async (body: string): Promise<unknown> => {
    await writer.append("session", body);
    reader ??= new DatabaseSync(file, { readOnly: true });
    return reader.prepare("SELECT body FROM rows WHERE body = ?").get(body)?.body;
  };
  expect(await Promise.all(["a", "b", "c"].map(seen))).toEqual(["a", "b", "c"]);
  expect(await seen("d")).toBe("d");
});

it("answers each call with the server's result after a chained row is in the database", async () => {
  const file = join(scratch(), "limit.db");
  const limit = await startLimit(file);
  onTestFinished(() => limit.program.stop());
  const { call, decide } = limitDoors(limit);
  const loads = [call(0), call(1), decide(2)].map((post) => measureLoad([post], 50));
  const answered = (await Promise.all(loads)).reduce((sum, { latencies }) => sum + latencies.length, 0);
  const database = new DatabaseSync(file, { readOnly: true });
  const rows = database.prepare("SELECT hash, body FROM rows ORDER BY seq").all();
  database.close();
  expect(rows).toHaveLength(answered);
  let head = "";
  for (const row of rows) {
    head = hash("sha256", `${head}${row.body}`, "hex");
    expect(row.hash).toBe(head);
  }
});
