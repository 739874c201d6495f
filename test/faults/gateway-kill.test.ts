/** kill −9 of the real program, in the middle of calls: no raise is lost, and the journal verifies. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { OFFICE_POLICY } from "../scenarios/running-gateway.ts";

const SLUICEGATE = resolve(import.meta.dirname, "../../bin/sluicegate");
const TOKEN = "operator-token-for-tests";

let folder: string;
let config: string;
let child: ChildProcess | null = null;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sluicegate-"));
  mkdirSync(join(folder, "state"));
  config = join(folder, "sluicegate.yaml");
  writeFileSync(config, OFFICE_POLICY);
});
afterEach(() => {
  child?.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

/** Starts the program and resolves with its address once it listens. */
async function start(): Promise<string> {
  const started = spawn(SLUICEGATE, ["serve", "--json", "--port", "0", "--config", config], {
    env: { ...process.env, SLUICEGATE_TOKEN: TOKEN, OFFICE_STATE: join(folder, "state") },
    stdio: ["ignore", "pipe", "ignore"],
  });
  child = started;
  let text = "";
  for await (const chunk of started.stdout) {
    text += chunk;
    const [, url] = /"url": "([^"]+)"[\s\S]*\}\s*$/.exec(text) ?? [];
    if (url) return url;
  }
  throw new Error(`The gateway ended before it listened: ${text}`);
}

async function kill(): Promise<void> {
  const killed = child;
  if (killed === null) return;
  const gone = new Promise((done) => killed.once("exit", done));
  killed.kill("SIGKILL");
  await gone;
}

const request = async (url: string, method: string, path: string, body?: unknown): Promise<any> => {
  const reply = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return reply.json();
};

const verify = (): { status: number; text: string } => {
  try {
    return {
      status: 0,
      text: execFileSync(SLUICEGATE, ["journal", "verify", "--config", config], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      }),
    };
  } catch (error) {
    const { status, stdout } = error as { status: number; stdout: string };
    return { status, text: stdout };
  }
};

describe("a gateway that is killed", () => {
  it("has the label again when it is started, and goes on refusing (X15-sqlite, law-3)", async () => {
    const before = await start();
    const { session_id } = await request(before, "POST", "/v1/session", {});
    const read = await request(before, "POST", `/v1/session/${session_id}/call`, {
      tool: "search_email",
      arguments: { query: "Q3" },
    });
    expect(read.effect).toBe("allow");
    await kill();
    const after = await start();
    expect((await request(after, "GET", `/v1/session/${session_id}`)).label.level).toBe("internal");
    const web = await request(after, "POST", `/v1/session/${session_id}/call`, {
      tool: "web_search",
      arguments: { query: "market" },
    });
    expect(web.reasons[0].code).toBe("flow-blocked");
    await kill();
    expect(verify().status).toBe(0);
  });

  it("at any moment of its calls has released nothing that its label doesn't cover, and called nothing that it hadn't admitted (X15-sqlite, law-8)", async () => {
    const released: string[] = [];
    for (let round = 0; round < 5; round += 1) {
      const url = await start();
      const sessions = await Promise.all(
        Array.from({ length: 8 }, () => request(url, "POST", "/v1/session", {})),
      );
      const enough = Promise.withResolvers<void>();
      let answered = 0;
      const calls = sessions.flatMap(({ session_id }, index) =>
        ["web_search", "search_email", "web_search"].map(async (tool, step) => {
          const query = `market ${round} ${index} ${step}`;
          const path = `/v1/session/${session_id}/call`;
          const answer = await request(url, "POST", path, { tool, arguments: { query } }).catch(() => null);
          if (tool === "search_email" && answer?.result) released.push(session_id);
          if (answer !== null) answered += 1;
          if (answered > round * 5) enough.resolve();
        }),
      );
      await enough.promise;
      await kill();
      await Promise.allSettled(calls);
    }
    expect(released.length).toBeGreaterThan(0);
    const url = await start();
    const admitted: string[] = [];
    for (const session of new Set(released)) {
      expect((await request(url, "GET", `/v1/session/${session}`)).label.level).toBe("internal");
    }
    await kill();
    const database = new DatabaseSync(join(folder, "sluicegate.db"));
    for (const { body } of database.prepare("SELECT body FROM events").all()) {
      const entry = JSON.parse(String(body));
      if (entry.kind === "call-admitted" && entry.data.tool === "mcp__outside__web_search")
        admitted.push(entry.data.call);
    }
    database.close();
    const searches = readFileSync(join(folder, "state", "searches.jsonl"), "utf8")
      .trim()
      .split("\n");
    expect(searches.length).toBeLessThanOrEqual(admitted.length);
    expect(new Set(searches.map((line) => JSON.parse(line).query)).size).toBe(searches.length);
    expect(verify()).toMatchObject({ status: 0 });
  });

  it("whose database was changed by one byte, or cut, is found out by verify", async () => {
    const url = await start();
    const { session_id } = await request(url, "POST", "/v1/session", {});
    await request(url, "POST", `/v1/session/${session_id}/call`, {
      tool: "search_email",
      arguments: { query: "Q3" },
    });
    await kill();
    expect(verify().status).toBe(0);
    const file = join(folder, "sluicegate.db");
    const change = (sql: string): void => {
      const database = new DatabaseSync(file);
      database.exec(sql);
      database.close();
    };
    change(
      "UPDATE events SET body = replace(body, '\"internal\"', '\"internam\"') WHERE body LIKE '%call-admitted%'",
    );
    expect(verify().status).toBe(1);
    change("UPDATE events SET body = replace(body, '\"internam\"', '\"internal\"')");
    expect(verify().status).toBe(0);
    change("DELETE FROM events WHERE position = (SELECT max(position) FROM events)");
    const cut = verify();
    expect(cut.status).toBe(1);
    expect(cut.text).toContain(session_id);
  });

  it("refuses to begin anew where its secrets lie and its database is gone (X15-sqlite)", async () => {
    await start();
    await kill();
    for (const suffix of ["", "-wal", "-shm"])
      rmSync(join(folder, `sluicegate.db${suffix}`), { force: true });
    await expect(start()).rejects.toThrow("ended before it listened");
  });
});
