import { writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/temporary-folder.ts";
import { databaseOf, toClientConfig } from "./connection-options.ts";

const { path } = temporaryFolder();

it("takes from the URL what it says, and the rest from the environment", () => {
  const config = toClientConfig("postgres://ada:p%40ss%2Fw@db.example:6543/gate?sslmode=disable", {});
  expect(config).toMatchObject({
    host: "db.example",
    port: 6543,
    database: "gate",
    user: "ada",
    password: "p@ss/w",
    ssl: false,
  });
  expect(databaseOf(config, {})).toBe("db.example:6543/gate");
  const bare = toClientConfig("postgres:///", { PGHOST: "elsewhere", PGPORT: "1", PGSSLMODE: "disable" });
  expect(bare).toMatchObject({ host: "elsewhere", port: 1, ssl: false });
  expect(bare).not.toHaveProperty("password");
  expect(databaseOf(bare, { PGDATABASE: "gate" })).toBe("elsewhere:1/gate");
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
  "postgres://ada:secret-word@db/gate?sslrootcert=/none/secret.pem",
])("refuses what it can't use without telling the URL: %s", (url) => {
  const error = (() => {
    try {
      return toClientConfig(url, {});
    } catch (cause) {
      return cause;
    }
  })();
  expect(error).toMatchObject({ code: "usage" });
  expect(String(error) + JSON.stringify(error)).not.toContain("secret-word");
});
