/**
 * An MCP server as a provider of tools: connects at once, lists its offers, and reconnects after a loss. It owns the
 * lifetime; messages are checked below it, and calls are decided above it.
 */
import { isDeepStrictEqual } from "node:util";
import { SluicegateError } from "../../errors/index.ts";
import {
  type Clock,
  type OfferProvider,
  type ProviderStatus,
  type ServerOffer,
  systemClock,
  type ToolProvider,
} from "../../runtime/index.ts";
import { notOffered, unavailable } from "./calls/call-failure.ts";
import { type CallRunner, createCallRunner } from "./calls/call-runner.ts";
import { type CoalescedJob, createCoalescedJob } from "./calls/coalesced-job.ts";
import { outsideOfExchanges } from "./calls/exchange.ts";
import { backOffDelay, type Schedule, systemSchedule } from "./calls/schedule.ts";
import { UPSTREAM_LIMITS, type UpstreamLimits } from "./limits.ts";
import { ProviderState, type Tools } from "./offers/provider-state.ts";
import { Subscriptions } from "./offers/subscriptions.ts";
import { createCleanText } from "./transport/clean-text.ts";
import type { Connection, Listing } from "./transport/connection.ts";
import { type HttpServer, secretsOf as secretsOfHttp } from "./transport/http-channel.ts";
import { createOpener, type Opener } from "./transport/opener.ts";
import { createRateLimitedLog, type Log } from "./transport/rate-limited-log.ts";
import { type StdioServer, secretsOf as secretsOfStdio } from "./transport/stdio-channel.ts";

/** A server as a policy names it. May hold secrets. */
export interface UpstreamServer {
  readonly id: string;
  readonly transport: StdioServer | HttpServer;
}

export interface UpstreamOptions {
  readonly limits?: Partial<UpstreamLimits>;
  /** The gateway's version, for servers. */
  readonly version?: string;
  readonly clock?: Clock;
  /** From 0 to 1; spreads reconnections. */
  readonly random?: () => number;
  readonly schedule?: Schedule;
  /** Gets lines for the operator: the server's stderr, and changes of its state. */
  readonly onLog?: Log;
}

/** Connects to a server in the background, and reconnects until it is closed. Never throws. */
export function connectUpstream(server: UpstreamServer, options: UpstreamOptions = {}): ToolProvider {
  return new Upstream(server, options);
}

class Upstream implements ToolProvider {
  readonly id: string;
  readonly run: ToolProvider["run"];
  readonly offers: OfferProvider;
  readonly #schedule: Schedule;
  readonly #random: () => number;
  readonly #stableMs: number;
  readonly #log: Log;
  readonly #opener: Opener;
  readonly #relisting: CoalescedJob;
  readonly #state: ProviderState;
  readonly #subscriptions: Subscriptions;
  readonly #end = new AbortController();
  #connection: Connection | null = null;
  #isDoubted = false;
  #refreshing: Promise<void> | null = null;
  #failures = 0;
  #stopTimer: () => void = () => {};
  #stopWatching: () => void = () => {};
  #attempt: Promise<void>;
  #leaving: Promise<void> = Promise.resolve();
  #closing: Promise<void> | null = null;

  constructor({ id, transport }: UpstreamServer, options: UpstreamOptions) {
    const { clock = systemClock, random = Math.random, schedule = systemSchedule, version = "0" } = options;
    const limits = Object.freeze({ ...UPSTREAM_LIMITS, ...options.limits });
    const log = createRateLimitedLog(options.onLog ?? (() => {}), () => clock.now().getTime());
    const onDoubt = (): void => this.#doubt();
    const secrets = transport.kind === "stdio" ? secretsOfStdio(transport) : secretsOfHttp(transport);
    this.id = id;
    this.#schedule = schedule;
    this.#random = random;
    this.#stableMs = limits.stableMs;
    this.#log = log;
    this.#state = new ProviderState(() => log("a watcher of its status failed"));
    this.#relisting = createCoalescedJob(() => this.#relist(), limits.relistMs, schedule);
    this.#subscriptions = new Subscriptions({
      pauseMs: limits.updateMs,
      leaseMs: limits.subscriptionMs,
      most: limits.subscriptions,
      schedule,
    });
    const onUpdated = (uri: string): void => this.#subscriptions.updated(uri);
    const settings = { version, limits, log, schedule, onDoubt, onUpdated };
    this.#opener = createOpener(transport, settings, clock, this.#end.signal);
    const runner = createCallRunner({
      server: id,
      limits,
      schedule,
      clean: createCleanText(secrets),
      connectionFor: (tool) => this.#connectionFor(tool),
      onDoubt,
    });
    this.run = runner.run;
    this.offers = this.#toOffers(runner);
    this.#attempt = this.#connect();
    if (transport.kind === "http")
      this.#stopWatching = transport.tokens?.watch(() => this.#reconnect()) ?? this.#stopWatching;
  }

  get status(): ProviderStatus {
    return this.#state.status;
  }

  get problem(): string | null {
    return this.#state.problem;
  }

  get tools(): Tools {
    return this.#state.tools;
  }

  get settled(): Promise<void> {
    return this.#state.settled;
  }

  /** Lists again what it offers besides tools. What is unavailable stays as it was. */
  async #refresh(): Promise<void> {
    const connection = this.#connection;
    if (connection === null) return;
    const offer = await connection.offer(this.#state.offer);
    if (this.#connection !== connection || isDeepStrictEqual(offer, this.#state.offer)) return;
    this.#state.change("ready", null, this.tools, offer);
  }

  #toOffers(runner: CallRunner): OfferProvider {
    const state = this.#state;
    return {
      get current() {
        return state.offer;
      },
      refresh: () => {
        this.#refreshing ??= this.#refresh().finally(() => {
          this.#refreshing = null;
        });
        return this.#refreshing;
      },
      request: runner.request,
      subscribe: (uri, listener, subscriber) =>
        this.#subscriptions.add(uri, listener, subscriber).catch((cause: unknown) => {
          throw SluicegateError.isInstance(cause) ? cause : runner.toFailure("resources/subscribe", cause);
        }),
    };
  }

  watch(listener: () => void): () => void {
    return this.#state.watch(listener);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#stopTimer();
    this.#stopWatching();
    this.#relisting.stop();
    this.#end.abort();
    this.#subscriptions.close();
    this.#release();
    this.#state.change("closed", "it was closed");
    await this.#attempt;
    await this.#leaving;
  }

  /** One attempt. It ends with a connection, or with a timer for the next attempt. Never rejects. */
  async #connect(): Promise<void> {
    await this.#leaving;
    const opened = await this.#opener.open();
    if (typeof opened === "string") return this.#retry(opened);
    this.#isDoubted = false;
    const listing = await opened.list();
    const offer = listing.kind === "tools" ? await opened.offer(this.#state.offer) : null;
    if (listing.kind === "tools" && offer !== null && this.status !== "closed")
      return this.#establish(opened, listing.tools, offer);
    await opened.close();
    if (listing.kind !== "tools") this.#giveUp(listing);
  }

  #establish(connection: Connection, tools: Tools, offer: ServerOffer): void {
    this.#connection = connection;
    this.#subscriptions.use(connection);
    this.#log(`ready: ${tools.size} tools, protocol ${connection.protocol}`);
    this.#stopTimer = this.#schedule(() => {
      this.#failures = 0;
    }, this.#stableMs);
    void connection.ended.then((reason) => {
      if (this.#connection === connection) this.#giveUp({ kind: "failed", reason });
    });
    this.#state.change("ready", null, tools, offer);
    if (this.#isDoubted) this.#doubt();
  }

  /**
   * Requests another listing of the tools; a notification during the first listing may be about tools that were
   * listed already.
   */
  #doubt(): void {
    this.#isDoubted = this.#connection === null;
    // THREAT: messages during a listing belong to no call, even if a call's answer caused the listing.
    if (!this.#isDoubted) outsideOfExchanges(() => this.#relisting.trigger());
  }

  /** The server or a call requested another listing. */
  async #relist(): Promise<void> {
    const connection = this.#connection;
    if (connection === null) return;
    const listing = await connection.list();
    if (this.#connection !== connection) return;
    if (listing.kind !== "tools") return this.#giveUp(listing);
    const offer = await connection.offer(this.#state.offer);
    if (this.#connection !== connection) return;
    if (isDeepStrictEqual(listing.tools, this.tools) && isDeepStrictEqual(offer, this.#state.offer)) return;
    this.#log(`its lists changed: ${listing.tools.size} tools`);
    this.#state.change("ready", null, listing.tools, offer);
  }

  #giveUp({ kind, reason }: Exclude<Listing, { readonly kind: "tools" }>): void {
    this.#stopTimer();
    this.#release();
    // The cached protocol may be wrong; but if the server was ready before, it isn't.
    if (this.status !== "ready") this.#opener.forget();
    // Its tools stay known while it is unavailable, but not if it exceeds a limit.
    this.#retry(reason, kind === "refused" ? new Map() : this.tools);
  }

  #retry(reason: string, tools = this.tools): void {
    if (this.status === "closed") return;
    this.#failures += 1;
    const delay = backOffDelay(this.#failures, this.#random);
    this.#log(`down: ${reason}; next attempt in ${delay} ms`);
    this.#stopTimer = this.#schedule(() => {
      this.#attempt = this.#connect();
    }, delay);
    this.#state.change("down", reason, tools);
  }

  /** Reconnects at once, because the server knows it as somebody else now. */
  #reconnect(): void {
    if (this.status === "closed") return;
    this.#release();
    this.#state.change("down", "its sign-in changed");
    this.#attempt = this.#attempt.then(async () => {
      this.#stopTimer();
      this.#release();
      await this.#connect();
    });
  }

  /** Releases the connection; `#leaving` resolves when its process has ended. */
  #release(): void {
    const connection = this.#connection;
    this.#connection = null;
    this.#subscriptions.use(null);
    if (connection !== null) this.#leaving = connection.close();
  }

  #connectionFor(tool: string | null): Connection | SluicegateError {
    if (this.#connection === null)
      return unavailable(this.id, tool ?? "", this.problem ?? "it is not connected");
    return tool === null || this.tools.has(tool) ? this.#connection : notOffered(this.id, tool);
  }
}
