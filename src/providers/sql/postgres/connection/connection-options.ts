/** Converts a policy's declaration to the driver's options. */
import { isIP } from "node:net";
import type { ClientConfig } from "pg";
import { SluicegateError } from "../../../../errors/index.ts";
import type { PostgresConnection } from "../../../../policy-file/index.ts";

/** Where a PostgreSQL database is. Known without the driver. */
export type PostgresAddress = Omit<PostgresConnection, "type">;

const CONNECT_MILLISECONDS = 10_000;

export function toClientConfig(id: string, connection: PostgresAddress): ClientConfig {
  const {
    host = "127.0.0.1",
    port,
    database,
    user,
    password,
  } = { ...fromUrl(id, connection.url), ...given(connection) };
  return {
    host,
    port: port ?? 5432,
    ...(database === undefined ? {} : { database }),
    ...(user === undefined ? {} : { user }),
    // A function, so that the driver doesn't use a password from a file or the environment.
    password: () => password ?? "",
    ssl: connection.tls
      ? { rejectUnauthorized: true, ...(isIP(host) === 0 ? { servername: host } : {}) }
      : false,
    application_name: "sluicegate",
    connectionTimeoutMillis: CONNECT_MILLISECONDS,
    keepAlive: true,
    // The first of two protections; each transaction is READ ONLY too.
    options: "-c default_transaction_read_only=on",
  };
}

type Place = Pick<PostgresAddress, "host" | "port" | "database" | "user" | "password">;

function given({ host, port, database, user, password }: PostgresAddress): Place {
  const entries = Object.entries({ host, port, database, user, password });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function fromUrl(id: string, url: string | undefined): Place {
  if (url === undefined) return {};
  const parsed = URL.parse(url);
  if (parsed === null || !/^postgres(ql)?:$/.test(parsed.protocol) || parsed.search !== "") {
    throw new SluicegateError("usage", `The address of the database \`${id}\` can't be used.`, {
      why: "It isn't of the form `postgres://user:password@host:port/database`, with nothing behind.",
      fix: "Write host, port, database, user and password as keys of their own, and encryption as `tls`.",
    });
  }
  const database = decodeURIComponent(parsed.pathname.slice(1));
  return {
    ...(parsed.hostname === "" ? {} : { host: parsed.hostname.replace(/^\[(.*)\]$/, "$1") }),
    ...(parsed.port === "" ? {} : { port: Number(parsed.port) }),
    ...(database === "" ? {} : { database }),
    ...(parsed.username === "" ? {} : { user: decodeURIComponent(parsed.username) }),
    ...(parsed.password === "" ? {} : { password: decodeURIComponent(parsed.password) }),
  };
}
