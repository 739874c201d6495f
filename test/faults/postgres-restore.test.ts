/** A PostgreSQL store in whose place an older copy of its database is put, as `pg_restore` does. */
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createKillableGateway, type KillableGateway } from "../fixtures/killable-gateway.ts";
import { startPostgres } from "../fixtures/postgres.ts";
import { OFFICE_POLICY } from "../scenarios/running-gateway.ts";

const LOST = "The store has lost its last writes";

/** What a session answers when it reads, and its level then. */
async function read(gateway: KillableGateway, session: string) {
  const body = { tool: "search_email", arguments: { query: "Q3" } };
  return gateway.request("POST", `/v1/session/${session}/call`, body);
}

it("says that a database is older than what it acknowledged, while it runs and when it starts, until an operator deletes the mark (X15-postgres, law-3)", async () => {
  const server = await startPostgres();
  await server.execute("CREATE DATABASE gate");
  const database = `postgres://${server.user}:${server.password}@${server.host}:${server.port}/gate`;
  const gateway = createKillableGateway(OFFICE_POLICY, { database });
  const open = async (): Promise<string> => (await gateway.request("POST", "/v1/session", {})).session_id;
  const levelOf = async (session: string): Promise<string> =>
    (await gateway.request("GET", `/v1/session/${session}`)).label.level;
  try {
    await gateway.start();
    const [early, late] = [await open(), await open()];
    expect(await read(gateway, early)).toMatchObject({ effect: "allow" });
    // A copy by the server itself, which nobody may use meanwhile.
    await gateway.kill();
    await server.execute("CREATE DATABASE copy TEMPLATE gate");
    await gateway.start();
    expect(await read(gateway, late)).toMatchObject({ effect: "allow" });
    expect([await levelOf(early), await levelOf(late)]).toEqual(["internal", "internal"]);

    await server.execute("DROP DATABASE gate WITH (FORCE)");
    await server.execute("ALTER DATABASE copy RENAME TO gate");
    const refused = await read(gateway, early);
    expect(refused.error).toMatchObject({
      code: "store-damaged",
      message: expect.stringContaining(LOST),
      why: expect.stringContaining("restored from a backup"),
      fix: expect.stringContaining("mark"),
    });
    await gateway.kill();
    await expect(gateway.start()).rejects.toThrow(LOST);

    const state = join(gateway.folder, ".sluicegate");
    const marks = readdirSync(state).filter((name) => /^postgres-.*-mark$/.test(name));
    expect(marks).toHaveLength(1);
    for (const mark of marks) rmSync(join(state, mark));
    await gateway.start();
    // What the copy has is in force again, and nothing else.
    expect([await levelOf(early), await levelOf(late)]).toEqual(["internal", "public"]);
    expect(marks.every((mark) => existsSync(join(state, mark)))).toBe(true);
  } finally {
    await gateway.remove();
    await server.stop();
  }
});
