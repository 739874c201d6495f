/**
 * A running gateway, asked with the operator's token. The token goes to an address that a person has named or to
 * this machine's usual one, and only once it has answered as a gateway does.
 */
import { existsSync, readFileSync } from "node:fs";
import { ERROR_CODES, type ErrorCode, SluicegateError } from "../../errors/index.ts";
import { tokenFileOf } from "../../gateway/state/secrets.ts";
import { propertyOf, textIn } from "../../json/plain-data.ts";
import { storeFileOf } from "./store-file.ts";

/** Where a gateway or its store is looked for. */
export interface Whereabouts {
  readonly config: string;
  readonly store?: string;
  /** A gateway that must be the one; left out, the usual one if it runs. */
  readonly url?: string;
}

export interface GatewayClient {
  readonly url: string;
  /**
   * Asks, with a body by POST. `read` answers null for what no gateway answers.
   * @throws SluicegateError the gateway's own; `not-ready` where nothing answers any more.
   */
  ask<Answer>(path: string, read: (answer: unknown) => Answer | null, body?: object): Promise<Answer>;
  /** Deletes, and answers what was there. @throws SluicegateError as `ask` does. */
  delete<Answer>(path: string, read: (answer: unknown) => Answer | null): Promise<Answer>;
}

const USUAL_URL = "http://127.0.0.1:7311";

/**
 * The gateway at the address that was given; without one the usual gateway, or null where that isn't there or has
 * another store.
 * @throws SluicegateError where an address was given and can't be used.
 */
export async function findGateway({ config, store, url }: Whereabouts): Promise<GatewayClient | null> {
  const token = operatorToken(storeFileOf(config, store));
  if (token === null) {
    if (url !== undefined) throw noToken();
    return null;
  }
  const client = createClient(url ?? USUAL_URL, token);
  const isThere = await isGateway(client.url);
  if (url === undefined) return isThere && (await isOurs(client)) ? client : null;
  if (isThere) return client;
  throw unreachable(url);
}

/** The same for what only a running gateway can do. @throws SluicegateError `not-ready` where none runs. */
export async function findRunningGateway(where: Whereabouts): Promise<GatewayClient> {
  const client = await findGateway(where);
  if (client !== null) return client;
  throw new SluicegateError("not-ready", "No gateway runs here.", {
    why: `Nothing answers at ${USUAL_URL} as the gateway of this policy.`,
    fix: "Start it with `sluicegate serve`, or name it with `--url`.",
  });
}

/** The operator's token; null where no gateway has made one yet. */
function operatorToken(storeFile: string): string | null {
  const file = tokenFileOf(storeFile);
  return process.env.SLUICEGATE_TOKEN ?? (existsSync(file) ? readFileSync(file, "utf8").trim() : null);
}

/** A path at a gateway, whose own address may have one. */
const at = (url: string, path: string): URL => new URL(url.replace(/\/$/, "") + path);

/** Whether a Sluicegate gateway answers at an address. */
export async function isGateway(url: string): Promise<boolean> {
  try {
    // THREAT: whoever listens there gets no token before it has answered as a gateway does.
    const response = await fetch(at(url, "/healthz"), {
      redirect: "error",
      signal: AbortSignal.timeout(3000),
    });
    return response.ok && textIn(await response.json(), "status") === "ok";
  } catch {
    return false;
  }
}

/** Whether the gateway at the usual address is the one of this store, and not another policy's. */
async function isOurs(client: GatewayClient): Promise<boolean> {
  try {
    // Those behind the ones that are shown: to examine these is recorded nowhere.
    await client.ask("/v1/approvals?status=queued", (answer) => answer);
    return true;
  } catch (cause) {
    if (SluicegateError.isInstance(cause) && cause.code === "unauthorized") return false;
    // The token is known there, and its principal sees no approvals.
    if (SluicegateError.isInstance(cause) && cause.code === "forbidden") return true;
    throw cause;
  }
}

/** Longer than a gateway takes that asks its servers first. */
const REQUEST_TIMEOUT_MS = 60_000;

interface GatewayRequest<Answer> {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly read: (answer: unknown) => Answer | null;
  readonly body?: object | undefined;
}

function createClient(url: string, token: string): GatewayClient {
  const send = async <Answer>({ method, path, read, body }: GatewayRequest<Answer>): Promise<Answer> => {
    const response = await fetch(at(url, path), {
      method,
      redirect: "error",
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      headers: { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    }).catch((cause: unknown) => {
      throw gone(url, cause);
    });
    const answer: unknown = await response.json().catch(() => null);
    const found = response.ok ? read(answer) : null;
    if (found !== null) return found;
    throw toError(answer, url);
  };
  return {
    url,
    ask: (path, read, body) => send({ method: body ? "POST" : "GET", path, read, body }),
    delete: (path, read) => send({ method: "DELETE", path, read }),
  };
}

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(ERROR_CODES, code);

function toError(answer: unknown, url: string): SluicegateError {
  const error = propertyOf(answer, "error");
  const [code, message, why, fix] = ["code", "message", "why", "fix"].map((key) => textIn(error, key) ?? "");
  if (code && isErrorCode(code) && message) {
    return new SluicegateError(code, message, { why: why ?? "", fix: fix ?? "" });
  }
  return new SluicegateError("usage", `What listens at ${url} doesn't answer as this gateway does.`, {
    why: "It is another program, or a gateway of another version.",
    fix: "Name the gateway with `--url`.",
  });
}

const noToken = (): SluicegateError =>
  new SluicegateError("unauthorized", "There is no operator's token.", {
    why: "`SLUICEGATE_TOKEN` is not set, and no token lies beside the store.",
    fix: "Set `SLUICEGATE_TOKEN`, or name the policy with `--config` or the store with `--store`.",
  });

const unreachable = (url: string): SluicegateError =>
  new SluicegateError("usage", `No gateway answers at ${url}.`, {
    why: "Nothing listens there, or it is something else.",
    fix: "Start the gateway, or leave `--url` out: then the store beside the policy is looked at.",
  });

const gone = (url: string, cause: unknown): SluicegateError =>
  new SluicegateError("not-ready", `The gateway at ${url} doesn't answer.`, {
    why: "It has ended, or it takes too long.",
    fix: "Start it again, or wait and try once more.",
    cause,
  });
