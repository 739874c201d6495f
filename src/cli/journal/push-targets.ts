/**
 * Where the record is pushed to. Each sends a batch of entries and resolves once it was taken; an entry may come twice, with
 * the same position.
 */
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { hostname } from "node:os";
import { connect as connectTls } from "node:tls";
import { SluicegateError } from "../../errors/index.ts";
import { isLoopback } from "../../policy-file/internal.ts";
import type { FeedEntry } from "../../runtime/ports/store.ts";
import { packageVersion } from "../version.ts";
import { toWireEntry } from "./journal-entry.ts";

export interface PushTarget {
  /** What it is, for people. Holds no secret. */
  readonly name: string;
  /** Rejects where it isn't known that all of them arrived. */
  send(entries: readonly FeedEntry[]): Promise<void>;
}

/** Secrets come from the environment: a command line can be seen by others. */
export type Environment = Readonly<Record<string, string | undefined>>;

const TIMEOUT_MS = 30_000;

/** @throws SluicegateError `usage` for what is no target. */
export function toTarget(to: string, env: Environment): PushTarget {
  const [, kind = "", address = ""] = /^(webhook|otlp|syslog):(.+)$/.exec(to) ?? [];
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || url.username !== "" || url.password !== "") throw badTarget(to);
  if (kind === "syslog") return toSyslog(url);
  assertSafe(url);
  return kind === "otlp" ? toCollector(url, env) : toWebhook(url, env);
}

const toWire = ({ position, session, entry }: FeedEntry): object => ({
  position,
  session_id: session,
  ...toWireEntry(entry),
});

/** Signed as Standard Webhooks says: https://www.standardwebhooks.com */
function toWebhook(url: URL, env: Environment): PushTarget {
  const secret = env.SLUICEGATE_PUSH_SECRET;
  if (secret === undefined || secret.length < 16) throw noSecret();
  const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice(6), "base64") : secret;
  return {
    name: `the webhook ${url.origin}${url.pathname}`,
    send: async (entries) => {
      const body = JSON.stringify({ type: "journal.entries", entries: entries.map(toWire) });
      const id = `entries-${entries[0]?.position}-${entries.at(-1)?.position}`;
      const timestamp = Math.floor(Date.now() / 1000);
      const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
      await post(url, body, {
        "webhook-id": id,
        "webhook-timestamp": String(timestamp),
        "webhook-signature": `v1,${signature}`,
      });
    },
  };
}

/** https://opentelemetry.io/docs/specs/otlp/#otlphttp, as JSON. */
function toCollector(url: URL, env: Environment): PushTarget {
  const headers = Object.fromEntries(
    (env.OTEL_EXPORTER_OTLP_HEADERS ?? "").split(",").flatMap((pair) => {
      const [, name, value = ""] = /^\s*([^=\s]+)=(.*)$/.exec(pair) ?? [];
      return name === undefined ? [] : [[name, decodeURIComponent(value.trim())]];
    }),
  );
  const resource = { attributes: [text("service.name", env.OTEL_SERVICE_NAME ?? "sluicegate")] };
  const scope = { name: "sluicegate.journal", version: packageVersion() };
  return {
    name: `the collector ${url.origin}${url.pathname}`,
    send: async (entries) => {
      const scopeLogs = [{ scope, logRecords: entries.map(toLogRecord) }];
      const answer = await post(url, JSON.stringify({ resourceLogs: [{ resource, scopeLogs }] }), headers);
      const { partialSuccess } = (answer === "" ? {} : JSON.parse(answer)) ?? {};
      if (Number(partialSuccess?.rejectedLogRecords ?? 0) > 0)
        throw new Error(`it rejected ${partialSuccess.rejectedLogRecords} of ${entries.length} entries`);
    },
  };
}

function toLogRecord(fed: FeedEntry): object {
  const { position, session, entry } = fed;
  const isRefusal = entry.kind === "call-refused";
  return {
    timeUnixNano: `${BigInt(Date.parse(entry.at)) * 1_000_000n}`,
    observedTimeUnixNano: `${BigInt(Date.now()) * 1_000_000n}`,
    severityNumber: isRefusal ? 13 : 9,
    severityText: isRefusal ? "WARN" : "INFO",
    eventName: `sluicegate.${entry.kind}`,
    body: { stringValue: JSON.stringify(toWire(fed)) },
    attributes: [
      { key: "sluicegate.position", value: { intValue: String(position) } },
      text("sluicegate.session.id", session),
      text("sluicegate.hash", entry.hash),
    ],
  };
}

const text = (key: string, stringValue: string): object => ({ key, value: { stringValue } });

async function post(url: URL, body: string, headers: Readonly<Record<string, string>>): Promise<string> {
  const response = await fetch(url, {
    method: "POST",
    body,
    headers: { "content-type": "application/json", ...headers },
    // What is signed for one address isn't for another.
    redirect: "error",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(`it answers ${response.status}`);
  return answer;
}

/**
 * RFC 5424, with octets counted (RFC 6587, and 5425 for TLS). Syslog acknowledges nothing, so each batch has a connection
 * of its own: that its receiver closes it in turn, and doesn't break it, says that all was read.
 */
function toSyslog(url: URL): PushTarget {
  const { protocol, port, pathname } = url;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const open = (): Socket => {
    if (protocol === "unix:") return connect(pathname);
    if (protocol === "tcp:") return connect(Number(port || 601), host);
    return connectTls({ host, port: Number(port || 6514), servername: host });
  };
  if (!["tcp:", "tls:", "unix:"].includes(protocol)) throw badTarget(`syslog:${url.href}`);
  return {
    name: `the syslog at ${protocol}//${url.host}${pathname}`,
    send: async (entries) => {
      const socket = open();
      const closed = once(socket, "close", { signal: AbortSignal.timeout(TIMEOUT_MS) });
      const isBroken = new Promise<never>((_, reject) => void socket.on("error", reject));
      try {
        socket.resume().end(entries.map(toSyslogFrame).join(""));
        await Promise.race([closed, isBroken]);
      } finally {
        socket.destroy();
        closed.catch(() => {});
        isBroken.catch(() => {});
      }
    },
  };
}

/** Log audit. */
const FACILITY = 13;

function toSyslogFrame(fed: FeedEntry): string {
  const { position, session, entry } = fed;
  const severity = entry.kind === "call-refused" ? 4 : 6;
  const quoted = (value: string | number): string => `"${String(value).replaceAll(/["\\\]]/g, "\\$&")}"`;
  // 32473 is the number for those that have none of their own (RFC 5612).
  const data = `[sluicegate@32473 position=${quoted(position)} session=${quoted(session)} hash=${quoted(entry.hash)}]`;
  const header = `<${FACILITY * 8 + severity}>1 ${entry.at} ${hostname() || "-"} sluicegate ${process.pid} ${entry.kind}`;
  const message = `${header} ${data} \uFEFF${JSON.stringify(toWire(fed))}`;
  return `${Buffer.byteLength(message)} ${message}`;
}

/** The record has names and reasons; where others can read along, it goes encrypted. */
function assertSafe(url: URL): void {
  if (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname))) return;
  throw new SluicegateError("usage", "The record can't be pushed there.", {
    why: "Anywhere but on this machine it goes by `https`.",
    fix: "Name an `https` address.",
  });
}

const badTarget = (to: string): SluicegateError =>
  new SluicegateError("usage", "`--to` names no place to push to.", {
    why: `\`${to}\` isn't \`webhook:\`, \`otlp:\` or \`syslog:\` with a URL that holds no password.`,
    fix: "For instance `webhook:https://log.acme.example/gate`, `otlp:http://127.0.0.1:4318/v1/logs`, `syslog:tls://log.acme.example:6514`, `syslog:unix:///dev/log`.",
  });

const noSecret = (): SluicegateError =>
  new SluicegateError("usage", "There is no secret to sign with.", {
    why: "Whoever receives a webhook can tell by its signature alone that it is the gateway's.",
    fix: "Set `SLUICEGATE_PUSH_SECRET` to 16 characters or more, such as the output of `openssl rand -hex 32`, here and at the receiver.",
  });
