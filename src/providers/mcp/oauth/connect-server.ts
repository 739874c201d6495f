/**
 * A server of the policy: with the gateway's tokens or none over one connection, or with each principal's own tokens
 * over separate connections. Its tools are the same for all: those that one connection lists, if they match their
 * pins.
 */
import { isDeepStrictEqual } from "node:util";
import { SluicegateError } from "../../../errors/index.ts";
import type {
  ExchangeOptions,
  ProviderStatus,
  SignInNeeded,
  ToolProvider,
  ToolResult,
} from "../../../runtime/index.ts";
import { notOffered, unavailable } from "../calls/call-failure.ts";
import { type Schedule, systemSchedule } from "../calls/schedule.ts";
import { ProviderState, type Tools } from "../offers/provider-state.ts";
import { connectUpstream, type UpstreamOptions, type UpstreamServer } from "../upstream.ts";
import type { SignIns } from "./sign-ins.ts";

/** Connects in the background, as `connectUpstream` does. Never throws. */
export function connectServer(
  { id, transport }: UpstreamServer,
  signIns: SignIns | undefined,
  options: UpstreamOptions = {},
): ToolProvider {
  if (signIns === undefined || transport.kind === "stdio") return connectUpstream({ id, transport }, options);
  const connectAs = (principal: string | null): ToolProvider =>
    connectUpstream({ id, transport: { ...transport, tokens: signIns.tokensOf(principal) } }, options);
  return signIns.for === "gateway"
    ? connectAs(null)
    : new PrincipalConnections(id, signIns, connectAs, options);
}

/** Principals connected at a time. */
const MAX_CONNECTIONS = 200;
const IDLE_MS = 10 * 60 * 1000;
/** How many connections are tried, one after the other, if the first can't list the tools. */
const MAX_TRIED = 5;
const LOOK_MS = 30_000;

interface Connected {
  readonly provider: ToolProvider;
  calls: number;
  stopTimer: () => void;
}

class PrincipalConnections implements ToolProvider {
  readonly id: string;
  readonly #signIns: SignIns;
  readonly #connectAs: (principal: string) => ToolProvider;
  readonly #schedule: Schedule;
  readonly #state: ProviderState;
  readonly #connected = new Map<string, Connected>();
  readonly #leaving = new Set<Promise<void>>();
  readonly #stopWatching: () => void;
  /** The principal whose list of tools counts. */
  #lister: string | null = null;
  #search: Promise<void> | null = null;
  #stopLooking: () => void = () => {};

  constructor(
    id: string,
    signIns: SignIns,
    connectAs: (principal: string) => ToolProvider,
    { schedule = systemSchedule, onLog = () => {} }: UpstreamOptions,
  ) {
    this.id = id;
    this.#signIns = signIns;
    this.#connectAs = connectAs;
    this.#schedule = schedule;
    this.#state = new ProviderState(() => onLog("a watcher of its status failed"));
    this.#stopWatching = signIns.watch((principal) => principal !== null && this.#changed(principal));
    void this.#findLister();
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

  signInNeeded(principal: string): Promise<SignInNeeded | null> {
    return this.#signIns.needed(principal);
  }

  async run(
    tool: string,
    args: Parameters<ToolProvider["run"]>[1],
    exchange: ExchangeOptions,
  ): Promise<ToolResult> {
    const { principal } = exchange;
    if (principal === undefined) throw unavailable(this.id, tool, "the call is nobody's");
    if ((await this.signInNeeded(principal)) !== null)
      throw unavailable(this.id, tool, "its principal has not signed in to it");
    const connected = this.#connectionOf(principal);
    connected.stopTimer();
    connected.calls += 1;
    try {
      await connected.provider.settled;
      // THREAT: a server may show each principal different tools; calls are decided on the shared definition.
      const assertCurrent = (): void => {
        exchange.assertCurrent?.();
        if (!isDeepStrictEqual(connected.provider.tools.get(tool), this.tools.get(tool)))
          throw notOffered(this.id, tool);
      };
      if (connected.provider.status === "ready") assertCurrent();
      return await connected.provider.run(tool, args, { ...exchange, assertCurrent });
    } finally {
      connected.calls -= 1;
      this.#closeWhenIdle(principal, connected);
    }
  }

  watch(listener: () => void): () => void {
    return this.#state.watch(listener);
  }

  async close(): Promise<void> {
    this.#stopWatching();
    this.#stopLooking();
    this.#state.change("closed", "it was closed");
    for (const principal of [...this.#connected.keys()]) this.#disconnect(principal);
    await Promise.all(this.#leaving);
  }

  #connectionOf(principal: string): Connected {
    const known = this.#connected.get(principal);
    if (known !== undefined) return known;
    if (this.#connected.size >= MAX_CONNECTIONS) throw tooManyConnections(this.id);
    const provider = this.#connectAs(principal);
    const connected = { provider, calls: 0, stopTimer: () => {} };
    this.#connected.set(principal, connected);
    provider.watch(() => this.#observe(principal));
    return connected;
  }

  #disconnect(principal: string): void {
    const connected = this.#connected.get(principal);
    if (connected === undefined) return;
    this.#connected.delete(principal);
    connected.stopTimer();
    const closed = connected.provider.close();
    this.#leaving.add(closed);
    void closed.finally(() => this.#leaving.delete(closed));
  }

  #closeWhenIdle(principal: string, connected: Connected): void {
    if (connected.calls > 0 || this.#lister === principal) return;
    connected.stopTimer();
    connected.stopTimer = this.#schedule(() => {
      if (this.#connected.get(principal) === connected) this.#disconnect(principal);
    }, IDLE_MS);
  }

  /** A principal signed in or out. */
  #changed(principal: string): void {
    this.#disconnect(principal);
    if (this.#lister === principal) this.#lister = null;
    if (this.#lister === null) void this.#findLister();
  }

  /** A connection became ready, was lost, or lists other tools. */
  #observe(principal: string): void {
    const isReady = (one: string): boolean => this.#connected.get(one)?.provider.status === "ready";
    if (this.status === "closed" || !this.#connected.has(principal)) return;
    if (this.#lister !== null && this.#lister !== principal && isReady(this.#lister)) return;
    const ready = isReady(principal) ? principal : [...this.#connected.keys()].find(isReady);
    const lister = ready ?? this.#lister;
    const provider = lister === null ? undefined : this.#connected.get(lister)?.provider;
    this.#lister = lister;
    if (provider === undefined) return;
    if (ready !== undefined) this.#state.change("ready", null, provider.tools);
    else this.#state.change("down", provider.problem);
  }

  /** Connects one of the signed-in principals, whose list of tools counts for all. Never rejects. */
  #findLister(): Promise<void> {
    this.#search ??= this.#tryListers().finally(() => {
      this.#search = null;
    });
    return this.#search;
  }

  async #tryListers(): Promise<void> {
    this.#stopLooking();
    const signedIn = await this.#signIns.principals().catch(() => []);
    for (const principal of signedIn.slice(0, MAX_TRIED)) {
      if (this.status === "closed") return;
      if (this.#lister !== null) this.#disconnect(this.#lister);
      this.#lister = principal;
      const { provider } = this.#connectionOf(principal);
      await provider.settled;
      this.#observe(principal);
      if (this.status === "ready") return;
    }
    if (this.status === "closed" || this.#lister !== null) return;
    this.#state.change("down", `nobody has signed in to it (\`sluicegate sign-in ${this.id}\`)`);
    // Somebody may sign in at another gateway on the same store.
    this.#stopLooking = this.#schedule(() => void this.#findLister(), LOOK_MS);
  }
}

const tooManyConnections = (server: string): SluicegateError =>
  new SluicegateError("limit-reached", `Too many principals are connected to \`${server}\`.`, {
    why: `${MAX_CONNECTIONS} are at a time, each over a connection of its own.`,
    fix: "Try again when some of them are done; connections close ten minutes after their last call.",
    details: { server },
  });
