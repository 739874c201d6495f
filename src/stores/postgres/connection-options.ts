/** Driver options from a store's URL and the environment. No error contains the URL: it may hold a password. */
import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import type { ClientConfig } from "pg";
import { SluicegateError } from "../../errors/index.ts";

/** What a URL may say after the `?`. */
const PARAMETERS: ReadonlySet<string> = new Set([
  "sslmode",
  "sslrootcert",
  "application_name",
  "target_session_attrs",
]);

type Environment = Readonly<Record<string, string | undefined>>;

/** The servers that a store's URL names. Of several, one takes writes. */
export interface StoreServers {
  /** The driver's options for each, in the URL's order. */
  readonly configs: readonly [ClientConfig, ...ClientConfig[]];
  /** Whether a connection counts only where its server takes writes. */
  readonly mustTakeWrites: boolean;
  /** Which database it is, without who asks for it. */
  readonly database: string;
}

/**
 * The servers of `postgres://user:password@host:port,host:port/database?sslmode=…`. What the URL leaves out comes from
 * the variables that PostgreSQL's own programs read. Throws SluicegateError `usage`.
 */
export function toStoreServers(given: string, environment: Environment = process.env): StoreServers {
  const [, before = "", hosts = "", after = ""] =
    /^([a-z]+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/is.exec(given) ?? [];
  const [one = "", ...others] = hosts.split(",");
  const toConfig = (host: string) => toClientConfig(`${before}${host}${after}`, environment);
  const configs = [
    before === "" ? toClientConfig(given, environment) : toConfig(one),
    ...others.map(toConfig),
  ] as const;
  const { database = environment.PGDATABASE, user = environment.PGUSER } = configs[0];
  const addresses = configs.map(({ host, port }) => `${host}:${port}`).join(",");
  return {
    configs,
    mustTakeWrites: others.length > 0 || URL.parse(given)?.searchParams.has("target_session_attrs") === true,
    database: `${addresses}/${database ?? user ?? ""}`,
  };
}

function toClientConfig(given: string, environment: Environment): ClientConfig {
  const url = URL.parse(given);
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol)) {
    throw unusable("It isn't of the form `postgres://user:password@host:port/database`.");
  }
  const unknown = [...url.searchParams.keys()].find((name) => !PARAMETERS.has(name));
  if (unknown !== undefined) throw unusable(`It has the parameter \`${unknown}\`, which isn't known here.`);
  const attributes = url.searchParams.get("target_session_attrs") ?? "read-write";
  if (attributes !== "read-write" && attributes !== "primary") {
    throw unusable(
      "Its `target_session_attrs` is neither `read-write` nor `primary`. A store must be written.",
    );
  }
  const host = decode(url.hostname).replace(/^\[(.*)\]$/, "$1") || environment.PGHOST || "127.0.0.1";
  const [database, user, password] = [url.pathname.slice(1), url.username, url.password].map(decode);
  const port = Number(url.port || environment.PGPORT || 5432);
  const mode = url.searchParams.get("sslmode") ?? environment.PGSSLMODE ?? defaultMode(host);
  const rootCertificate = url.searchParams.get("sslrootcert") ?? environment.PGSSLROOTCERT;
  return {
    host,
    port,
    ...(database && { database }),
    ...(user && { user }),
    ...(password && { password }),
    ssl: toTls({ mode, host, rootCertificate }),
    application_name: url.searchParams.get("application_name") ?? "sluicegate",
    keepAlive: true,
  };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw unusable("A part of it isn't encoded as in a URL.");
  }
}

/** Sockets and loopback leave this machine nowhere; anything else is encrypted unless somebody says otherwise. */
const defaultMode = (host: string): string =>
  host.startsWith("/") || host === "localhost" || host === "::1" || /^127\.[\d.]+$/.test(host)
    ? "disable"
    : "verify-full";

interface TlsChoice {
  readonly mode: string;
  readonly host: string;
  readonly rootCertificate: string | undefined;
}

function toTls({ mode, host, rootCertificate }: TlsChoice): ClientConfig["ssl"] {
  if (mode === "disable") return false;
  if (mode !== "require" && mode !== "verify-ca" && mode !== "verify-full") {
    throw unusable(
      "Its `sslmode` (or `PGSSLMODE`) is none of `disable`, `require`, `verify-ca` and `verify-full`.",
    );
  }
  return {
    rejectUnauthorized: true,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(mode === "verify-ca" ? { checkServerIdentity: () => undefined } : {}),
    ...(rootCertificate ? { ca: readCertificate(rootCertificate) } : {}),
  };
}

function readCertificate(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new SluicegateError("usage", `The root certificate \`${file}\` can't be read.`, {
      why: "`sslrootcert` or `PGSSLROOTCERT` names it, to check the database server by.",
      fix: "Name a readable file with certificates in PEM form.",
      cause,
    });
  }
}

const unusable = (why: string): SluicegateError =>
  new SluicegateError("usage", "The store's URL can't be used.", {
    why,
    fix: "Use `postgres://host:port/database?sslmode=verify-full`, with `user:password@` before the host or `PGUSER` and `PGPASSWORD` in the environment.",
  });
