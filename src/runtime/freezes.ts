/**
 * What an operator has frozen: everything, or one principal, session, server or tool. Freezes are entries of the
 * gateway's own journal, so they survive a restart and apply to every gateway on the store. Before a call, a process
 * reads them again if its copy is older than half a second.
 */
import { type Frozen, parseToolId } from "../core/index.ts";
import { SluicegateError } from "../errors/index.ts";
import { isJsonObject } from "../json/json-object.ts";
import { type Folded, GATEWAY_CHAIN, readGatewayChain, toGatewayAppend } from "./journal/gateway-chain.ts";
import { CHAIN_START } from "./journal/journal.ts";
import { retryConflicts } from "./journal/retry-conflicts.ts";
import { type Clock, toTimestamp } from "./ports/clock.ts";
import { createId, type Random } from "./ports/random.ts";
import type { JournalEntry, Store } from "./ports/store.ts";

/** What a freeze stops: what is named, or everything if nothing is. */
export interface FreezeTarget {
  readonly principal?: string;
  /** The session's id. Its forks are frozen too. */
  readonly session?: string;
  /** The id of a server of the policy. */
  readonly server?: string;
  /** Any name of the tool; its identity is stored. */
  readonly tool?: string;
}

export interface FreezeRequest extends FreezeTarget {
  /** Who freezes. */
  readonly by: string;
  /** Why, in the operator's own words: at most 500 characters. */
  readonly why?: string;
}

/** A freeze that is in force. */
export interface Freeze extends FreezeTarget {
  readonly id: string;
  readonly by: string;
  readonly why: string | null;
  /** RFC 3339. */
  readonly at: string;
}

/** What a freeze is compared with. */
export interface FreezableCall {
  readonly principal: string;
  /** Its session, and those from which it was forked. */
  readonly sessions: readonly string[];
  /** The tool's identity. */
  readonly tool: string;
}

interface FreezesOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  /** The version of the policy in force. */
  readonly policyVersion: () => string;
  readonly onFault: (cause: unknown) => void;
  /** A monotonic clock, in milliseconds. */
  readonly now?: () => number;
}

type ById = ReadonlyMap<string, Freeze>;

const NOTHING: Folded<ById> = Object.freeze({ head: CHAIN_START, known: new Map() });
const TARGETS = ["principal", "session", "server", "tool"] as const;
/** Together with the time of a read, a freeze takes effect everywhere within a second. */
const MAX_AGE_MS = 500;
const MAX_IN_FORCE = 1000;

export class Freezes {
  readonly #options: FreezesOptions;
  readonly #now: () => number;
  readonly #running = new Set<Running>();
  #loaded = NOTHING;
  #loadedAt = Number.NEGATIVE_INFINITY;
  #loading: Promise<void> | null = null;
  #queue: Promise<unknown> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: FreezesOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** The freezes known now, the oldest first. */
  get known(): readonly Freeze[] {
    return [...this.#loaded.known.values()];
  }

  /** Reads what other processes froze, unless that is known well enough to decide on. Throws as `refresh` does. */
  async refreshOld(): Promise<void> {
    if (this.#now() - this.#loadedAt >= MAX_AGE_MS) await this.refresh();
  }

  /** Whether one of the freezes known now applies to a call. */
  has(call: FreezableCall): boolean {
    return this.known.some((freeze) => concerns(freeze, call));
  }

  /** Reads what other processes froze. @throws SluicegateError `store-damaged`, `store-failed` */
  refresh(): Promise<void> {
    this.#loading ??= this.#reload().finally(() => {
      this.#loading = null;
    });
    return this.#loading;
  }

  /** The freeze that applies to a session; undefined if none does. */
  of({ principal, sessions }: Omit<FreezableCall, "tool">): Frozen | undefined {
    if (this.#loaded.known.size === 0) return undefined;
    const all = this.known;
    const named = (target: keyof FreezeTarget): Set<string> =>
      new Set(all.flatMap((freeze) => freeze[target] ?? []));
    const isSession = sessions.some((id) => named("session").has(id));
    const scope = named("principal").has(principal) ? "principal" : isSession ? "session" : null;
    return {
      session: all.some(isOfEverything) ? "everything" : scope,
      servers: named("server"),
      tools: named("tool"),
    };
  }

  /**
   * Runs a call with a signal that is aborted once the call is frozen or its caller has gone.
   * @throws SluicegateError `frozen` if it was frozen meanwhile, even if it has a result.
   */
  async whileThawed<Result>(
    call: FreezableCall,
    run: (signal: AbortSignal) => Promise<Result>,
    caller?: AbortSignal,
  ): Promise<Result> {
    const running = { call, stop: new AbortController(), isFrozen: false };
    const leave = (): void => running.stop.abort(caller?.reason);
    if (caller?.aborted) leave();
    caller?.addEventListener("abort", leave, { once: true });
    this.#begin(running);
    try {
      if (running.isFrozen) throw stoppedError();
      const result = await run(running.stop.signal);
      if (running.isFrozen) throw stoppedError();
      return result;
    } catch (cause) {
      throw running.isFrozen ? stoppedError() : cause;
    } finally {
      caller?.removeEventListener("abort", leave);
      this.#end(running);
    }
  }

  /** Stops polling for freezes of other processes. */
  close(): void {
    clearInterval(this.#timer);
  }

  #begin(running: Running): void {
    this.#running.add(running);
    this.#stop(running);
    // Other processes don't announce freezes, so they are polled for while calls run.
    this.#timer ??= setInterval(() => {
      this.refresh().catch(this.#options.onFault);
    }, MAX_AGE_MS).unref();
  }

  #end(running: Running): void {
    this.#running.delete(running);
    if (this.#running.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /**
   * Freezes what is named. Durable when it resolves: this process admits no such call from then on, other processes
   * none after a second. For the same target it returns the existing freeze.
   * @throws SluicegateError `invalid-request`, `limit-reached`
   */
  freeze({ by, why, ...target }: FreezeRequest): Promise<Freeze> {
    const names = TARGETS.filter((name) => target[name] !== undefined);
    if (names.length > 1) throw severalTargets(names);
    return this.#commit("The freeze could not be recorded.", (known, at) => {
      const there = [...known.values()].find((one) => TARGETS.every((name) => one[name] === target[name]));
      if (there !== undefined) return { value: there };
      if (known.size >= MAX_IN_FORCE) throw tooMany();
      const id = createId("frz", this.#options.random);
      const data = { freeze: id, target, by, ...(why !== undefined && { why }) };
      return {
        value: { ...target, id, by, why: why ?? null, at },
        entry: { kind: "freeze-set", data },
      };
    });
  }

  /** Ends a freeze. Durable when it resolves. @throws SluicegateError `not-found` */
  unfreeze(id: string, by: string): Promise<Freeze> {
    return this.#commit("The freeze could not be ended.", (known) => {
      const value = known.get(id);
      if (value === undefined) throw unknownFreeze();
      return { value, entry: { kind: "freeze-lifted", data: { freeze: id, by } } };
    });
  }

  #commit(what: string, propose: (known: ById, at: string) => Proposal): Promise<Freeze> {
    const { store, clock, policyVersion } = this.#options;
    return retryConflicts(what, async () => {
      await this.#reload();
      const { head, known } = this.#loaded;
      const at = toTimestamp(clock.now());
      const { value, entry } = propose(known, at);
      if (entry === undefined) return value;
      const { expectedVersion, entries } = toGatewayAppend(head, [entry], { at, policy: policyVersion() });
      const { status } = await store.append(GATEWAY_CHAIN, expectedVersion, entries, [], { urgent: true });
      if (status === "conflict") return null;
      await this.#reload();
      return value;
    });
  }

  /** One at a time, so that an older read never replaces a newer one. */
  #reload(): Promise<void> {
    const loaded = this.#queue.then(() => this.#load());
    this.#queue = loaded.catch(() => {});
    return loaded;
  }

  async #load(): Promise<void> {
    const from = this.#now();
    const { store } = this.#options;
    this.#loaded = await readGatewayChain(this.#loaded, { store, empty: NOTHING.known, follow });
    this.#loadedAt = from;
    if (this.#loaded.known.size > 0) for (const running of this.#running) this.#stop(running);
  }

  #stop(running: Running): void {
    if (!this.has(running.call)) return;
    running.isFrozen = true;
    running.stop.abort(new Error("It is frozen."));
  }
}

/** A call that runs. */
interface Running {
  readonly call: FreezableCall;
  readonly stop: AbortController;
  isFrozen: boolean;
}

interface Proposal {
  readonly value: Freeze;
  /** Left out: nothing is written. */
  readonly entry?: Pick<JournalEntry, "kind" | "data">;
}

const isOfEverything = (freeze: Freeze): boolean => TARGETS.every((name) => freeze[name] === undefined);

const concerns = (freeze: Freeze, { principal, sessions, tool }: FreezableCall): boolean =>
  isOfEverything(freeze) ||
  freeze.principal === principal ||
  sessions.some((id) => id === freeze.session) ||
  (freeze.server !== undefined && freeze.server === parseToolId(tool).server) ||
  freeze.tool === tool;

function follow(before: ById, entries: readonly JournalEntry[]): ById {
  const known = new Map(before);
  for (const { kind, data, at } of entries) {
    const { freeze: id, target, by, why } = data;
    if (typeof id !== "string") continue;
    if (kind === "freeze-lifted") known.delete(id);
    if (kind !== "freeze-set") continue;
    known.set(id, {
      ...(isJsonObject(target) ? target : {}),
      id,
      by: String(by),
      why: typeof why === "string" ? why : null,
      at,
    });
  }
  return known;
}

/** The error of a call that was frozen while it ran. A result is dropped. */
const stoppedError = (): SluicegateError =>
  new SluicegateError("frozen", "The call was stopped.", {
    why: "An operator froze it while it ran. Whether the tool did its work isn't known.",
    fix: "Continue when it is unfrozen, or ask the operator.",
  });

const severalTargets = (names: readonly string[]): SluicegateError =>
  new SluicegateError("invalid-request", "The freeze can't be recorded.", {
    why: `It names ${names.map((name) => `\`${name}\``).join(" and ")}.`,
    fix: "Freeze one of `principal`, `session`, `server` and `tool`, or none of them for everything.",
  });

const tooMany = (): SluicegateError =>
  new SluicegateError("limit-reached", "No more freezes can be recorded.", {
    why: `${MAX_IN_FORCE} are in force.`,
    fix: "Freeze everything, or end some of them first.",
  });

const unknownFreeze = (): SluicegateError =>
  new SluicegateError("not-found", "There is no such freeze.", {
    why: "The id is malformed, or it was ended already.",
    fix: "Look at those in force: `sluicegate freeze --list`, or `GET /v1/freezes`.",
  });
