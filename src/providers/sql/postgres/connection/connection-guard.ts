/** Ends a connection on the caller's signal, after the time, or after too many bytes. */
import type { Client, ClientConfig, PoolClient } from "pg";
import { SluicegateError } from "../../../../errors/index.ts";
import { failure, stopped, tooSlow } from "./database-errors.ts";

export interface GuardOptions {
  readonly id: string;
  readonly config: ClientConfig;
  readonly seconds: number;
}

/** How long to wait beyond the server's own time limit. */
const GRACE_MILLISECONDS = 2_000;
/**
 * More bytes end the connection. A page has 3 MiB at most, and a single value or error text is decoded in one turn of
 * the event loop.
 */
const MAX_BYTES = 16 * 1024 * 1024;

export class ConnectionGuard {
  readonly tripped: Promise<never>;
  readonly #options: GuardOptions;
  readonly #client: PoolClient;
  readonly #ending: (() => void)[] = [];
  #cancelled = false;

  constructor(options: GuardOptions, client: PoolClient, signal: AbortSignal | undefined) {
    const { promise, reject } = Promise.withResolvers<never>();
    const { id, seconds } = options;
    this.#options = options;
    this.#client = client;
    this.tripped = promise;
    promise.catch(() => {});
    const trip = (error: Error, cancels = true): void => {
      this.#cancelled ||= cancels;
      reject(error);
    };
    const timer = setTimeout(() => trip(tooSlow(id)), seconds * 1000 + GRACE_MILLISECONDS);
    const abort = (): void => trip(stopped(id));
    signal?.addEventListener("abort", abort, { once: true });
    const lost = (error: Error): void => trip(error, false);
    client.on("error", lost);
    const unwatch = watchBytes(client, () => trip(tooMuch(id)));
    this.#ending.push(
      () => clearTimeout(timer),
      () => signal?.removeEventListener("abort", abort),
      () => client.off("error", lost),
      unwatch,
    );
  }

  get hasCancelled(): boolean {
    return this.#cancelled;
  }

  end(): void {
    for (const end of this.#ending) end();
  }

  /** Cancels what the connection is running. */
  async cancel(): Promise<void> {
    const { processID } = this.#client as PoolClient & { readonly processID?: number | null };
    if (!this.#cancelled || typeof processID !== "number") return;
    const { Client } = await loadDriver();
    const canceller = new Client(this.#options.config);
    canceller.on("error", () => {});
    try {
      await canceller.connect();
      await canceller.query("SELECT pg_catalog.pg_cancel_backend($1)", [processID]);
    } catch {
      // The server's own time limit ends it.
    } finally {
      await endQuietly(canceller);
    }
  }
}

const endQuietly = (client: Client): Promise<void> => client.end().catch(() => {});

/** Calls back once, after too many bytes. */
function watchBytes(client: PoolClient, tooMany: () => void): () => void {
  const { connection } = client as PoolClient & {
    readonly connection?: { readonly stream?: NodeJS.ReadableStream };
  };
  const stream = connection?.stream;
  if (stream === undefined) throw new Error("The driver doesn't show its connection.");
  let bytes = 0;
  const count = (chunk: Uint8Array): void => {
    bytes += chunk.length;
    if (bytes <= MAX_BYTES) return;
    tooMany();
    // Otherwise data would be buffered until the server handles the cancellation.
    stream.pause();
  };
  stream.on("data", count);
  return () => stream.off("data", count).resume();
}

const tooMuch = (id: string): SluicegateError =>
  failure(
    "invalid-request",
    `The result of the query of \`${id}\` is too large.`,
    `Its rows have more than ${MAX_BYTES / 1024 / 1024} MiB.`,
    "Ask for shorter values: name the columns, or cut texts with `left(…)`.",
  );

type Driver = Pick<typeof import("pg"), "Client" | "Pool">;

/** Loads the driver, which is installed only if a PostgreSQL database is declared. */
export async function loadDriver(): Promise<Driver> {
  try {
    return await import("pg");
  } catch (cause) {
    throw new SluicegateError("usage", "PostgreSQL databases need the package `pg`.", {
      why: "It speaks PostgreSQL's protocol, and it isn't installed.",
      fix: "Run `npm install pg libpg-query`.",
      cause,
    });
  }
}
