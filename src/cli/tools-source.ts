/**
 * Where the tools' definitions are looked at: at a gateway that runs, or, where none does, by starting the policy's
 * servers for this one look, as `serve` would.
 */
import { existsSync, readFileSync } from "node:fs";
import { ERROR_CODES, type ErrorCode, SluicegateError } from "../errors/index.ts";
import { tokenFileOf } from "../gateway/index.ts";
import { errorBody, toolReview, toolReviews } from "../gateway/rest/schemas.ts";
import { toWireReview } from "../gateway/rest/wire.ts";
import { runGateway, storeFileOf } from "./run-gateway.ts";
import { complain, toned } from "./terminal.ts";

/** A tool as REST tells of it. */
export type WireReview = ReturnType<typeof toWireReview>;

export interface ToolsSource {
  /** As in "tools at …". */
  readonly place: string;
  review(): Promise<readonly WireReview[]>;
  accept(tool: string, hash: string): Promise<WireReview>;
  close(): Promise<void>;
}

export interface SourceOptions {
  readonly config: string;
  readonly store?: string;
  /** A gateway that must be the one; left out, the usual one if it runs. */
  readonly url?: string;
}

const USUAL_URL = "http://127.0.0.1:7311";

/** The gateway at the address, or one of our own. */
export async function openSource(options: SourceOptions): Promise<ToolsSource> {
  const { url = USUAL_URL } = options;
  const token = tokenFor(storeFileOf(options.config, options.store));
  if (token === null) {
    if (options.url !== undefined) throw noToken();
    return startOwn(options);
  }
  const remote = createRemote(url, token);
  const isThere = await isReachable(url);
  if (options.url !== undefined) {
    if (isThere) return remote;
    throw unreachable(url);
  }
  return isThere && (await isOurs(remote)) ? remote : startOwn(options);
}

/** The operator's token; null where no gateway has made one yet. */
function tokenFor(storeFile: string): string | null {
  const file = tokenFileOf(storeFile);
  return process.env.SLUICEGATE_TOKEN ?? (existsSync(file) ? readFileSync(file, "utf8").trim() : null);
}

async function isReachable(url: string): Promise<boolean> {
  try {
    // THREAT: whoever listens there gets no token before it has answered as a gateway does.
    const response = await fetch(new URL("/healthz", url), {
      redirect: "error",
      signal: AbortSignal.timeout(3000),
    });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

/** Whether the gateway at the usual address is the one of this store, and not another policy's. */
async function isOurs(remote: ToolsSource): Promise<boolean> {
  try {
    await remote.review();
    return true;
  } catch (cause) {
    if (SluicegateError.isInstance(cause) && cause.code === "unauthorized") return false;
    throw cause;
  }
}

interface Parser<Answer> {
  safeParse(value: unknown): { readonly success: true; readonly data: Answer } | { readonly success: false };
}

function createRemote(url: string, token: string): ToolsSource {
  const ask = async <Answer>(schema: Parser<Answer>, path: string, body?: object): Promise<Answer> => {
    const response = await fetch(new URL(path, url), {
      method: body ? "POST" : "GET",
      redirect: "error",
      headers: { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer: unknown = await response.json().catch(() => null);
    const parsed = response.ok ? schema.safeParse(answer) : null;
    if (parsed?.success) return parsed.data;
    throw toError(answer, url);
  };
  return {
    place: url,
    review: async () => (await ask(toolReviews, "/v1/tools")).tools,
    accept: (tool, hash) => ask(toolReview, "/v1/tools/accept", { tool, hash }),
    close: async () => {},
  };
}

async function startOwn({ config, store }: SourceOptions): Promise<ToolsSource> {
  const log = (line: string): void => complain(toned("dim", line));
  const { gateway, config: loaded } = await runGateway({ config, store, log });
  await gateway.catalog.settled;
  for (const { id, status, problem } of gateway.catalog.providers) {
    if (status !== "ready") log(`${id} is not running: ${problem ?? status}`);
  }
  return {
    place: loaded.file,
    review: async () => (await gateway.catalog.review()).map(toWireReview),
    accept: async (tool, hash) => toWireReview(await gateway.catalog.accept(tool, hash)),
    close: () => gateway.close(),
  };
}

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(ERROR_CODES, code);

function toError(answer: unknown, url: string): SluicegateError {
  const parsed = errorBody.safeParse(answer);
  if (parsed.success) {
    const { code, message, why, fix } = parsed.data.error;
    if (isErrorCode(code)) return new SluicegateError(code, message, { why, fix });
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
    fix: "Start the gateway, or leave `--url` out: then the policy's servers are started for this one look.",
  });
