/** The commands that look at a policy, on one with databases and APIs in files of their own. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { createFolder, ROOT, sluicegate } from "../cli.test-kit.ts";

const cwd = join(ROOT, "test", "fixtures", "seed-connectors");
const env = { LEDGER_PASSWORD: "hunter2", TICKETS_URL: "http://127.0.0.1:9200" };
const run = (...args: readonly string[]) => sluicegate(args, { cwd, env });

it("checks the seed's two files as they are, included in a policy (A5)", async () => {
  const [words, json] = await Promise.all([
    run("check", "sluicegate.yaml"),
    run("check", "sluicegate.yaml", "--json"),
  ]);
  expect(words).toMatchObject({ status: 0, err: "" });
  expect(words.out).toMatch(
    /^usable: `sluicegate\.yaml` has 17 tools, no servers, 3 databases, 1 API, 1 role \(support\)\.\n/,
  );
  expect(json.json()).toMatchObject({ valid: true, warnings: [], tools: 17, databases: 3, apis: 1 });
});

it("tells what is wrong with an included file at its place in that file", async () => {
  const dbs = "databases:\n  crm: { type: sqlite, path: crm.db, sensitivity: secrt }\n";
  using folder = createFolder({ "p.yaml": "version: 1\ninclude: [dbs.yaml]\n", "dbs.yaml": dbs });
  const [words, json] = await Promise.all([
    sluicegate(["check", join(folder.path, "p.yaml")]),
    sluicegate(["check", "p.yaml", "--json"], { cwd: folder.path }),
  ]);
  expect(words.status).toBe(1);
  expect(words.out).toContain(
    `${join(folder.path, "dbs.yaml")}:2:51: Unknown level \`secrt\`; did you mean \`secret\`?`,
  );
  expect(json.json()).toMatchObject({ problems: [{ file: "dbs.yaml", line: 2, column: 51 }] });
});

it("explains a call of a database, with the most that it may bring in, and what that shuts", async () => {
  const { status, out } = await run("explain", "sluicegate.yaml", "--tool", "mcp__orders__query");
  expect(status).toBe(0);
  expect(out).toContain("the call adds   confidential data (trusted) at most\n");
  expect(out).toMatch(/that shuts .*post_update/);
});

it("explains what is blocked after a query, and that an API may be asked on after its own answers", async () => {
  const explain = (tool: string, after: string) =>
    run("explain", "sluicegate.yaml", "--tool", tool, "--after", after);
  const [blocked, again, catalogue] = await Promise.all([
    explain("post_update", "mcp__orders__query"),
    explain("comment_on_ticket", "getTicket,listTickets"),
    explain("post_update", "mcp__catalogue__query,mcp__catalogue__list_tables"),
  ]);
  expect(blocked.status).toBe(1);
  expect(blocked.out).toContain(
    "`orders__query` (call 1) loaded confidential data, and `post_update` may receive public data at most.",
  );
  expect(blocked.out).toContain(
    "1. mcp__orders__query  allow  brings in confidential data (trusted) at most\n",
  );
  expect(again).toMatchObject({ status: 0, err: "" });
  expect(again.out).toContain("1. getTicket  allow  brings in internal data (trusted)\n");
  expect(catalogue.status).toBe(0);
});

it("plans with databases at their worst", async () => {
  const [blocked, fine] = await Promise.all([
    run("plan", "sluicegate.yaml", "mcp__orders__query", "post_update", "getTicket"),
    run("plan", "sluicegate.yaml", "mcp__catalogue__query", "post_update"),
  ]);
  expect(blocked.status).toBe(1);
  expect(blocked.out).toContain("Safe order: post_update, getTicket, mcp__orders__query\n");
  expect(fine.status).toBe(0);
});

it("knows what a query would read where its database is there, and takes it at the worst where it isn't (X11-sqlite)", async () => {
  const database =
    "{ type: sqlite, path: crm.db, sensitivity: confidential, columns: { orders.status: public } }";
  const policy = `version: 1\ndatabases: { crm: ${database} }\ntools: { post: { permissions: [connect], sink: public } }\n`;
  using folder = createFolder({ "p.yaml": policy });
  const query = (sql: string) => ({ tool: "mcp__crm__query", arguments: { sql } });
  const open = query("SELECT status FROM orders");
  const explain = async (call: ReturnType<typeof query>) => {
    const args = ["explain", "p.yaml", "--tool", call.tool, "--args", JSON.stringify(call.arguments)];
    return (await sluicegate(args, { cwd: folder.path })).out;
  };
  expect(await explain(open)).toContain("the call adds   confidential data (trusted) at most\n");
  const crm = new DatabaseSync(join(folder.path, "crm.db"));
  crm.exec("CREATE TABLE orders (id INTEGER PRIMARY KEY, status TEXT, name TEXT)");
  crm.close();
  const secret = query("SELECT status FROM orders WHERE name = 'Ada'");
  expect(await explain(open)).toContain("the call adds   nothing new\n");
  expect(await explain(secret)).toContain("the call adds   confidential data (trusted)\n");
  writeFileSync(join(folder.path, "open.json"), JSON.stringify([open, "post"]));
  writeFileSync(join(folder.path, "secret.json"), JSON.stringify([secret, "post"]));
  const plan = (file: string) => sluicegate(["plan", "p.yaml", "--steps", file], { cwd: folder.path });
  expect((await plan("open.json")).status).toBe(0);
  expect((await plan("secret.json")).out).toContain("Safe order: post, mcp__crm__query\n");
});
