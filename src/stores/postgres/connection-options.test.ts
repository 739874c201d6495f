import { writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/temporary-folder.ts";
import { toStoreServers } from "./connection-options.ts";

const { path } = temporaryFolder();
const toClientConfig = (url: string, environment = {}) => toStoreServers(url, environment).configs[0];
const databaseOf = (url: string, environment = {}) => toStoreServers(url, environment).database;

it("takes from the URL what it says, and the rest from the environment", () => {
  const url = "postgres://ada:p%40ss%2Fw@db.example:6543/gate?sslmode=disable";
  expect(toClientConfig(url)).toMatchObject({
    host: "db.example",
    port: 6543,
    database: "gate",
    user: "ada",
    password: "p@ss/w",
    ssl: false,
  });
  expect(databaseOf(url)).toBe("db.example:6543/gate");
  const bare = toClientConfig("postgres:///", { PGHOST: "elsewhere", PGPORT: "1", PGSSLMODE: "disable" });
  expect(bare).toMatchObject({ host: "elsewhere", port: 1, ssl: false });
  expect(bare).not.toHaveProperty("password");
  expect(databaseOf("postgres:///", { PGHOST: "elsewhere", PGPORT: "1", PGDATABASE: "gate" })).toBe(
    "elsewhere:1/gate",
  );
});

it("takes several servers, of which one takes writes", () => {
  const { configs, database, mustTakeWrites } = toStoreServers(
    "postgres://ada:p%2Cw@one.example:1,127.0.0.1,[::1]:3/gate?sslrootcert=",
    { PGPORT: "2" },
  );
  expect(configs).toMatchObject([
    { host: "one.example", port: 1, user: "ada", password: "p,w", database: "gate" },
    { host: "127.0.0.1", port: 2, user: "ada", password: "p,w", database: "gate", ssl: false },
    { host: "::1", port: 3, ssl: false },
  ]);
  expect(configs[0].ssl).toMatchObject({ servername: "one.example" });
  expect(database).toBe("one.example:1,127.0.0.1:2,::1:3/gate");
  expect(mustTakeWrites).toBe(true);
  expect(toStoreServers("postgres://one/gate", {}).mustTakeWrites).toBe(false);
  expect(toStoreServers("postgres://one/gate?target_session_attrs=read-write", {}).mustTakeWrites).toBe(true);
});

it("encrypts and checks the certificate unless the server is on this machine or somebody says otherwise", () => {
  const tls = (url: string, environment = {}) => toClientConfig(url, environment).ssl;
  for (const here of ["localhost", "127.0.0.1", "127.1.2.3", "[::1]"])
    expect(tls(`postgres://${here}/gate`)).toBe(false);
  const checked = { rejectUnauthorized: true, servername: "db.example" };
  expect(tls("postgres://db.example/gate")).toEqual(checked);
  expect(tls("postgres://localhost.example/gate")).toMatchObject({ rejectUnauthorized: true });
  expect(tls("postgres://db.example/gate?sslmode=require")).toEqual(checked);
  expect(tls("postgres://10.0.0.5/gate")).toEqual({ rejectUnauthorized: true });
  const file = path("root.pem");
  writeFileSync(file, "a certificate");
  expect(tls("postgres://db.example/gate", { PGSSLROOTCERT: file })).toEqual({
    ...checked,
    ca: "a certificate",
  });
  expect(tls(`postgres://db.example/gate?sslmode=verify-ca&sslrootcert=${file}`)).toMatchObject({
    rejectUnauthorized: true,
    ca: "a certificate",
    checkServerIdentity: expect.any(Function),
  });
});

it.each([
  "mysql://ada:secret-word@db/gate",
  "postgres://ada:secret-word@db/gate?sslmode=prefer",
  "postgres://ada:secret-word@db/gate?options=-c",
  "postgres://ada:secret-word%@db/gate",
  "postgres://ada:secret-word@db:port/gate",
  "postgres://ada:secret-word@db,other:port/gate",
  "postgres://ada:secret-word@db/gate?target_session_attrs=standby",
  "postgres://ada:secret-word@db/gate?sslrootcert=/none/secret.pem",
])("refuses what it can't use without telling the URL: %s", (url) => {
  const error = (() => {
    try {
      return toStoreServers(url, {});
    } catch (cause) {
      return cause;
    }
  })();
  expect(error).toMatchObject({ code: "usage" });
  expect(String(error) + JSON.stringify(error)).not.toContain("secret-word");
});
