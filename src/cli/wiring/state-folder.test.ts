/** What a gateway keeps lies in one folder beside the policy, out of git; stores of older versions move there whole. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/temporary-folder.ts";
import { assertPrivate } from "../../gateway/state/secrets.ts";
import { createGate, definePolicy } from "../../index.ts";
import { openSqliteStore } from "../../stores/sqlite/sqlite.ts";
import { runGateway } from "./run-gateway.ts";
import { prepareStateFolder } from "./state-folder.ts";

const { path } = temporaryFolder();

function createProject(): { readonly folder: string; readonly config: string } {
  const folder = path("project");
  mkdirSync(folder);
  const config = join(folder, "sluicegate.yaml");
  writeFileSync(config, "version: 1\ntools:\n  read_mail: { permissions: [read], source: internal }\n");
  return { folder, config };
}

/** A store of an older version: beside the policy, with a session that has read mail. Returns that session's id. */
async function writeOlderStore(folder: string): Promise<string> {
  const store = openSqliteStore(join(folder, "sluicegate.db"));
  const policy = definePolicy({
    tools: { read_mail: { permissions: ["read"], source: { level: "internal" } } },
  });
  const session = await createGate({ policy, store }).open();
  await session.call({ tool: "read_mail", arguments: {} }, () => "mail");
  await store.close();
  writeFileSync(join(folder, "sluicegate.db.token"), `sgo_${"a".repeat(64)}\n`, { mode: 0o600 });
  writeFileSync(join(folder, "sluicegate.db.key"), `${"b".repeat(64)}\n`, { mode: 0o600 });
  return session.id;
}

it("keeps store, token and key in `.sluicegate`, and nothing of it lands in git", async () => {
  const { folder, config } = createProject();
  const { gateway, storeFile } = await runGateway({ config, log: () => {} });
  try {
    expect(storeFile).toBe(join(folder, ".sluicegate", "sluicegate.db"));
    expect(readdirSync(folder).sort()).toEqual([".sluicegate", "sluicegate.yaml"]);
    const kept = join(folder, ".sluicegate");
    expect(readdirSync(kept)).toEqual(
      expect.arrayContaining([".gitignore", "key", "sluicegate.db", "token"]),
    );
    expect(statSync(kept).mode & 0o777).toBe(0o700);
    execFileSync("git", ["init", "-q"], { cwd: folder });
    execFileSync("git", ["add", "-A"], { cwd: folder });
    expect(execFileSync("git", ["ls-files"], { cwd: folder, encoding: "utf8" })).toBe("sluicegate.yaml\n");
  } finally {
    await gateway.close();
  }
});

it("moves an older store with its labels, token and key, and says so once", async () => {
  const { folder, config } = createProject();
  const id = await writeOlderStore(folder);
  const lines: string[] = [];
  const options = { config, log: (line: string) => void lines.push(line) };
  const first = await runGateway(options);
  expect((await first.gateway.gate.session(id))?.label.level).toBe("internal");
  expect(first.freshToken, "the token is the older one").toBeNull();
  await first.gateway.close();
  await (await runGateway(options)).gateway.close();
  expect(lines).toEqual([`The store and its secrets were moved from ${folder} into .sluicegate/.`]);
  expect(readFileSync(join(folder, ".sluicegate/token"), "utf8")).toBe(`sgo_${"a".repeat(64)}\n`);
  expect(readdirSync(folder).sort()).toEqual([".sluicegate", "sluicegate.yaml"]);
});

it("goes on where a move was cut off before the database moved", async () => {
  const { folder, config } = createProject();
  const id = await writeOlderStore(folder);
  mkdirSync(join(folder, ".sluicegate"));
  writeFileSync(join(folder, ".sluicegate/token"), readFileSync(join(folder, "sluicegate.db.token")), {
    mode: 0o600,
  });
  const { gateway } = await runGateway({ config, log: () => {} });
  expect((await gateway.gate.session(id))?.label.level).toBe("internal");
  await gateway.close();
});

it("refuses to begin anew where the secrets of an older store lie and its database doesn't", async () => {
  const { folder, config } = createProject();
  await writeOlderStore(folder);
  rmSync(join(folder, "sluicegate.db"));
  await expect(runGateway({ config, log: () => {} })).rejects.toMatchObject({ code: "store-damaged" });
});

it("leaves an older store where it is while another program has it open", async () => {
  const { folder, config } = createProject();
  await writeOlderStore(folder);
  const other = new DatabaseSync(join(folder, "sluicegate.db"));
  other.exec("PRAGMA journal_mode = WAL; CREATE TABLE of_another (one); INSERT INTO of_another VALUES (1)");
  await expect(prepareStateFolder({ config, log: () => {} })).rejects.toMatchObject({
    code: "store-failed",
    why: "Another program has it open, perhaps a gateway of an older version.",
  });
  expect(existsSync(join(folder, "sluicegate.db.token"))).toBe(true);
  other.close();
});

it.each([
  [".sluicegate/token", "token"],
  [".sluicegate/key", "key"],
  ["sluicegate.db.token", "older token"],
])("trusts no secret that others can read, as a cloned repository would bring it: %s", async (name) => {
  const { folder, config } = createProject();
  if (name.startsWith("sluicegate.db")) await writeOlderStore(folder);
  else {
    await (await runGateway({ config, log: () => {} })).gateway.close();
  }
  writeFileSync(join(folder, name), `sgo_${"c".repeat(64)}\n`);
  chmodSync(join(folder, name), 0o644);
  await expect(runGateway({ config, log: () => {} })).rejects.toMatchObject({
    code: "store-damaged",
    message: expect.stringContaining("is not private"),
  });
});

it("trusts no secret and no store that git tracks, whatever the umask they were cloned with", async () => {
  const { folder, config } = createProject();
  const { gateway, storeFile } = await runGateway({ config, log: () => {} });
  await gateway.gate.open();
  await gateway.close();
  const git = (...args: readonly string[]) => execFileSync("git", ["-C", folder, ...args]);
  const start = () => runGateway({ config, log: () => {} });
  git("init", "-q");
  git("add", "-A");
  await (await start()).gateway.close();
  for (const name of ["token", "key", "sluicegate.db"]) {
    git("add", "-f", `.sluicegate/${name}`);
    await expect(start(), name).rejects.toMatchObject({
      code: "store-damaged",
      message: `The file ${join(folder, ".sluicegate", name)} is tracked by git, so it can't be trusted.`,
    });
    git("rm", "-q", "--cached", `.sluicegate/${name}`);
  }
  git("add", "-f", ".sluicegate/token", ".sluicegate/key");
  const token = join(dirname(storeFile), "token");
  for (const version of ["4", "3", "2"]) {
    git("update-index", "--index-version", version);
    expect(() => assertPrivate(token), version).toThrow("is tracked by git");
  }
  git("update-index", "--split-index");
  expect(() => assertPrivate(token)).toThrow("is tracked by git");
  git("rm", "-q", "--cached", ".sluicegate/token", ".sluicegate/key");
  git("update-index", "--no-split-index");
  rmSync(join(folder, ".git"), { recursive: true });
  git("init", "-q", "--object-format=sha256");
  git("add", "-A");
  expect(() => assertPrivate(token)).not.toThrow();
  git("add", "-f", ".sluicegate/token");
  expect(() => assertPrivate(token)).toThrow("is tracked by git");
});

it("keeps its folder out of git though it came with a `.gitignore` of its own", async () => {
  const { folder, config } = createProject();
  mkdirSync(join(folder, ".sluicegate"));
  writeFileSync(join(folder, ".sluicegate/.gitignore"), "!*\n");
  await (await runGateway({ config, log: () => {} })).gateway.close();
  expect(readFileSync(join(folder, ".sluicegate/.gitignore"), "utf8")).toBe("*\n");
});

it("writes nowhere that a link in its folder leads", async () => {
  const elsewhere = path("elsewhere");
  for (const name of ["", "/sluicegate.db", "/sluicegate.db-runners"]) {
    const { folder, config } = createProject();
    if (name !== "") mkdirSync(join(folder, ".sluicegate"));
    symlinkSync(elsewhere, join(folder, `.sluicegate${name}`));
    await expect(runGateway({ config, log: () => {} }), name).rejects.toMatchObject({
      code: "store-damaged",
    });
    expect(existsSync(elsewhere)).toBe(false);
  }
  const { folder, config } = createProject();
  mkdirSync(join(folder, ".sluicegate"));
  symlinkSync(elsewhere, join(folder, ".sluicegate/.gitignore"));
  await (await runGateway({ config, log: () => {} })).gateway.close();
  expect(existsSync(elsewhere)).toBe(false);
});

it.each([
  "-mark",
  "-wal",
  "-shm",
  "-journal",
  "-runners",
])("opens no store beside which a link lies, as a cloned repository would bring it: %s", async (suffix) => {
  const { folder, config } = createProject();
  const { gateway, storeFile } = await runGateway({ config, log: () => {} });
  await gateway.gate.open();
  await gateway.close();
  const own = path("own");
  if (suffix === "-runners") mkdirSync(own);
  else writeFileSync(own, "export PATH=/usr/bin\n".repeat(4000));
  rmSync(`${storeFile}${suffix}`, { recursive: true, force: true });
  symlinkSync(own, `${storeFile}${suffix}`);
  await expect(prepareStateFolder({ config, log: () => {} })).rejects.toMatchObject({
    code: "store-damaged",
    message: `\`${join(folder, ".sluicegate", `sluicegate.db${suffix}`)}\` is a link, or something else than it should be.`,
  });
  if (suffix === "-mark") {
    expect(() => openSqliteStore(storeFile)).toThrow(expect.objectContaining({ code: "store-damaged" }));
    expect(readFileSync(own, "utf8")).toBe("export PATH=/usr/bin\n".repeat(4000));
  }
});

it("opens no database in its folder that others can write", async () => {
  const { config } = createProject();
  const { gateway, storeFile } = await runGateway({ config, log: () => {} });
  await gateway.close();
  chmodSync(storeFile, 0o666);
  await expect(prepareStateFolder({ config, log: () => {} })).rejects.toMatchObject({
    code: "store-damaged",
    message: `The file ${storeFile} is not private, so it can't be trusted.`,
    fix: expect.stringContaining(`chmod 600 ${storeFile}`),
  });
  chmodSync(storeFile, 0o600);
  expect(await prepareStateFolder({ config, log: () => {} })).toBe(storeFile);
});

it("keeps the names of a store that `--store` names", async () => {
  const { folder, config } = createProject();
  const { gateway } = await runGateway({ config, store: `sqlite:${join(folder, "mine.db")}`, log: () => {} });
  await gateway.close();
  expect(readdirSync(folder).sort()).toEqual([
    "mine.db",
    "mine.db-runners",
    "mine.db.key",
    "mine.db.token",
    "sluicegate.yaml",
  ]);
});
