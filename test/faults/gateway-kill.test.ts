/** kill −9 of the real program, in the middle of calls: no raise is lost, and the journal verifies. */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createKillableGateway, type KillableGateway } from "../fixtures/killable-gateway.ts";
import { OFFICE_POLICY } from "../scenarios/running-gateway.ts";

let gateway: KillableGateway;
beforeEach(() => {
  gateway = createKillableGateway(OFFICE_POLICY);
});
afterEach(() => gateway.remove());

describe("a gateway that is killed", () => {
  it("has the label again when it is started, and goes on refusing (X15-sqlite, law-3)", async () => {
    await gateway.start();
    const { session_id } = await gateway.request("POST", "/v1/session", {});
    const read = await gateway.request("POST", `/v1/session/${session_id}/call`, {
      tool: "search_email",
      arguments: { query: "Q3" },
    });
    expect(read.effect).toBe("allow");
    await gateway.kill();
    await gateway.start();
    expect((await gateway.request("GET", `/v1/session/${session_id}`)).label.level).toBe("internal");
    const web = await gateway.request("POST", `/v1/session/${session_id}/call`, {
      tool: "web_search",
      arguments: { query: "market" },
    });
    expect(web.reasons[0].code).toBe("flow-blocked");
    await gateway.kill();
    expect(await gateway.verifyCopy()).toMatchObject({ status: 0 });
  });

  it("at any moment of its calls has released nothing that its label doesn't cover, and called nothing that it hadn't admitted (X15-sqlite, law-8)", async () => {
    const released: string[] = [];
    for (let round = 0; round < 2; round += 1) {
      await gateway.start();
      // The server writes its file with its first search, and the kill may come before any of those below.
      const searching = await gateway.request("POST", "/v1/session", {});
      const query = `market ${round}`;
      const search = { tool: "web_search", arguments: { query } };
      const first = await gateway.request("POST", `/v1/session/${searching.session_id}/call`, search);
      expect(first.effect).toBe("allow");
      const sessions = await Promise.all(
        Array.from({ length: 8 }, () => gateway.request("POST", "/v1/session", {})),
      );
      const enough = Promise.withResolvers<void>();
      let answered = 0;
      const calls = sessions.flatMap(({ session_id }, index) =>
        ["web_search", "search_email", "web_search"].map(async (tool, step) => {
          const query = `market ${round} ${index} ${step}`;
          const path = `/v1/session/${session_id}/call`;
          const answer = await gateway
            .request("POST", path, { tool, arguments: { query } })
            .catch(() => null);
          if (tool === "search_email" && answer?.result) released.push(session_id);
          if (answer !== null) answered += 1;
          const isEnough = round === 0 || released.length > 0;
          if (answered > round * 5 && isEnough) enough.resolve();
        }),
      );
      await enough.promise;
      await gateway.kill();
      await Promise.allSettled(calls);
    }
    expect(released.length).toBeGreaterThan(0);
    await gateway.start();
    const admitted: string[] = [];
    for (const session of new Set(released)) {
      expect((await gateway.request("GET", `/v1/session/${session}`)).label.level).toBe("internal");
    }
    await gateway.kill();
    const database = new DatabaseSync(gateway.storeFile);
    for (const { body } of database.prepare("SELECT body FROM events").all()) {
      const entry = JSON.parse(String(body));
      if (entry.kind === "call-admitted" && entry.data.tool === "mcp__outside__web_search")
        admitted.push(entry.data.call);
    }
    database.close();
    const searches = readFileSync(join(gateway.folder, "state", "searches.jsonl"), "utf8")
      .trim()
      .split("\n");
    expect(searches.length).toBeLessThanOrEqual(admitted.length);
    expect(new Set(searches.map((line) => JSON.parse(line).query)).size).toBe(searches.length);
    expect(await gateway.verifyCopy()).toMatchObject({ status: 0 });
  });

  it("whose database was changed by one byte, or cut, is found out by verify", async () => {
    await gateway.start();
    const { session_id } = await gateway.request("POST", "/v1/session", {});
    await gateway.request("POST", `/v1/session/${session_id}/call`, {
      tool: "search_email",
      arguments: { query: "Q3" },
    });
    await gateway.kill();
    expect(await gateway.verifyCopy()).toMatchObject({ status: 0 });
    const change = (sql: string): void => {
      const database = new DatabaseSync(gateway.storeFile);
      database.exec(sql);
      database.close();
    };
    change(
      "UPDATE events SET body = replace(body, '\"internal\"', '\"internam\"') WHERE body LIKE '%call-admitted%'",
    );
    expect(await gateway.verifyCopy()).toMatchObject({ status: 1 });
    change("UPDATE events SET body = replace(body, '\"internam\"', '\"internal\"')");
    expect(await gateway.verifyCopy()).toMatchObject({ status: 0 });
    change("DELETE FROM events WHERE position = (SELECT max(position) FROM events)");
    const lost = { status: 1, text: expect.stringContaining("The store has lost its last writes") };
    expect(await gateway.verifyCopy()).toEqual(lost);
    rmSync(`${gateway.storeFile}-mark`);
    expect(await gateway.verifyCopy()).toEqual({ status: 1, text: expect.stringContaining(session_id) });
  });

  it("refuses to begin anew where its secrets lie and its database is gone (X15-sqlite)", async () => {
    await gateway.start();
    await gateway.kill();
    for (const suffix of ["", "-wal", "-shm"]) rmSync(gateway.storeFile + suffix, { force: true });
    await expect(gateway.start()).rejects.toThrow("ended before it listened");
  });
});
