/**
 * Where the record is pushed to. Each sends a batch of entries and resolves once it was taken; an entry may come twice, with
 * the same position.
 */
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { hostname } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { connect as connectTls, TLSSocket } from "node:tls";
import { SluicegateError } from "../../errors/index.ts";
import { parseJson } from "../../json/parse-json.ts";
import { propertyOf } from "../../json/plain-data.ts";
import { isLoopback } from "../../policy-file/internal.ts";
import type { FeedEntry } from "../../runtime/ports/store.ts";
import { packageVersion } from "../version.ts";
import { toWireEntry } from "./journal-entry.ts";

export interface PushTarget {
  /** What it is, for people. Holds no secret. */
  readonly name: string;
  /** Rejects where it isn't known that all of them arrived, and at once where it is told to stop. */
  send(entries: readonly FeedEntry[], stop: AbortSignal): Promise<void>;
}

/** Secrets come from the environment: a command line can be seen by others. */
type Environment = Readonly<Record<string, string | undefined>>;

const TIMEOUT_MS = 30_000;
const orTimeout = (stop: AbortSignal): AbortSignal =>
  AbortSignal.any([stop, AbortSignal.timeout(TIMEOUT_MS)]);

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
  const key = toWebhookKey(env.SLUICEGATE_PUSH_SECRET ?? "");
  if (key.length < MIN_KEY) throw noSecret();
  return {
    name: `the webhook ${url.origin}${url.pathname}`,
    send: async (entries, stop) => {
      const body = JSON.stringify({ type: "journal.entries", entries: entries.map(toWire) });
      const id = `entries-${entries[0]?.position}-${entries.at(-1)?.position}`;
      const timestamp = Math.floor(Date.now() / 1000);
      const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
      const headers = {
        "webhook-id": id,
        "webhook-timestamp": String(timestamp),
        "webhook-signature": `v1,${signature}`,
      };
      await post(url, { body, headers, stop });
    },
  };
}

const MIN_KEY = 16;

/** What a secret stands for: itself, or the bytes after `whsec_`. */
const toWebhookKey = (secret: string): Uint8Array =>
  secret.startsWith("whsec_") ? Buffer.from(secret.slice("whsec_".length), "base64") : Buffer.from(secret);

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
    send: async (entries, stop) => {
      const scopeLogs = [{ scope, logRecords: entries.map(toLogRecord) }];
      const body = JSON.stringify({ resourceLogs: [{ resource, scopeLogs }] });
      const answer = await post(url, { body, headers, stop });
      const partial = propertyOf(answer === "" ? null : parseJson(answer), "partialSuccess");
      const rejected = propertyOf(partial, "rejectedLogRecords");
      if (Number(rejected ?? 0) > 0)
        throw new Error(`it rejected ${String(rejected)} of ${entries.length} entries`);
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

interface Post {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly stop: AbortSignal;
}

async function post(url: URL, { body, headers, stop }: Post): Promise<string> {
  const response = await fetch(url, {
    method: "POST",
    body,
    headers: { "content-type": "application/json", ...headers },
    // What is signed for one address isn't for another.
    redirect: "error",
    signal: orTimeout(stop),
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(`it answers ${response.status}`);
  return answer;
}

/**
 * RFC 5424, with octets counted (RFC 6587, and 5425 for TLS). Syslog acknowledges nothing, so each batch has a connection
 * of its own: that its receiver closes it in turn, and lives on, says that all was read.
 */
function toSyslog(url: URL): PushTarget {
  const { protocol, port, pathname } = url;
  const host = url.hostname.replaceAll(/^\[|\]$/g, "");
  // It stays open for writing where the receiver closes its side first, which is told from closing it in turn.
  const allowHalfOpen = true;
  const open = (): Socket => {
    if (protocol === "unix:") return connect({ path: pathname, allowHalfOpen });
    if (protocol === "tcp:") return connect({ port: Number(port || 601), host, allowHalfOpen });
    // The name to verify comes from `host`; an address must not be sent as one.
    return connectTls({ port: Number(port || 6514), host, ...{ allowHalfOpen } });
  };
  if (!["tcp:", "tls:", "unix:"].includes(protocol)) throw badTarget(`syslog:${url.href}`);
  return {
    name: `the syslog at ${protocol}//${url.host}${pathname}`,
    send: (entries, stop) => sendFrames(open, entries.map(toSyslogFrame).join(""), orTimeout(stop)),
  };
}

/** What closes a connection at the other side is heard of after that many times as connecting took. */
const ROUND_TRIPS = 2;
const MIN_ROUND_TRIP_MS = 10;

async function sendFrames(open: () => Socket, frames: string, signal: AbortSignal): Promise<void> {
  const broken = Promise.withResolvers<never>();
  broken.promise.catch(() => {});
  const stop = (): void => broken.reject(signal.reason);
  const orBroken = <T>(work: Promise<T>): Promise<T> => Promise.race([broken.promise, work]);
  const sockets: Socket[] = [];
  const connected = async (): Promise<{ readonly socket: Socket; readonly ended: Promise<void> }> => {
    const socket = open().on("error", broken.reject).resume();
    sockets.push(socket);
    const ended = new Promise<void>((resolve) => void socket.once("end", resolve));
    await orBroken(once(socket, socket instanceof TLSSocket ? "secureConnect" : "connect"));
    return { socket, ended };
  };
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  try {
    const from = performance.now();
    const { socket, ended } = await connected();
    const waitMs = ROUND_TRIPS * Math.max(MIN_ROUND_TRIP_MS, performance.now() - from);
    await orBroken(new Promise<void>((resolve) => void socket.write(frames, () => resolve())));
    // One that is full or stopping closes at once and reads nothing; the system takes what is written all the same.
    ended.then(() => {
      if (!socket.writableEnded) broken.reject(new Error("it closed the connection at once"));
    });
    // A receiver that is killed closes this one too, which has nothing to read; one that is done with the other doesn't.
    const watch = await connected();
    watch.ended.then(() => broken.reject(new Error("it stopped while it read")));
    await orBroken(pause(waitMs));
    socket.end();
    await orBroken(ended);
    await orBroken(pause(waitMs));
    // By TLS too it is told that nothing was cut off.
    watch.socket.destroySoon();
  } catch (cause) {
    for (const socket of sockets) socket.destroy();
    throw cause;
  } finally {
    signal.removeEventListener("abort", stop);
  }
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
    fix: "Set `SLUICEGATE_PUSH_SECRET` to 16 characters or more, such as the output of `openssl rand -hex 32`, or to `whsec_` and as many bytes in base64, here and at the receiver.",
  });
