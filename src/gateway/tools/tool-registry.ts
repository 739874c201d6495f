/**
 * What all providers offer together: adapts the gate's policy to what servers really have, and finds the provider and
 * the definition of a tool. A tool is available only while its definition is the pinned one.
 */
import {
  type OfferedList,
  type Policy,
  parseToolId,
  type Tool,
  toToolId,
  withAllOffered,
} from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import {
  type Definition,
  type Gate,
  type OfferedTool,
  type Pins,
  type ToolProvider,
  toDefinition,
} from "../../runtime/index.ts";
import { createRounds } from "./rounds.ts";
import { hintedPermissions } from "./tool-hints.ts";
import { findOffered, reviewTool, reviewTools, type ToolReview } from "./tool-review.ts";

export interface ToolRegistry {
  readonly providers: readonly ToolProvider[];
  /** The provider of a server; undefined for null, which stands for tools that the agent runs itself. */
  provider(server: string | null): ToolProvider | undefined;
  /** A tool's definition; undefined if it isn't offered now, or is withheld. */
  definitionOf(tool: Tool): OfferedTool | undefined;
  /** Resolves when each provider has answered or failed, and its offers are pinned. */
  readonly settled: Promise<void>;
  readonly isSettled: boolean;
  /** Every offered or pinned tool, and whether its definition is the accepted one now. */
  review(): Promise<readonly ToolReview[]>;
  /**
   * Accepts the definition that is offered now, if it has the hash that a person reviewed.
   * @throws SluicegateError `not-found` for a tool that no server offers, `definition-stale` for another hash.
   */
  accept(tool: string, hash: string): Promise<ToolReview>;
  /**
   * Puts another policy in force, adapted to what the servers offer. `check` gets both; if it throws, nothing
   * changes. False for the version that is in force already.
   */
  usePolicy(next: Policy, check: (before: Policy, after: Policy) => void): Promise<boolean>;
  close(): Promise<void>;
}

export interface ToolRegistryOptions {
  readonly gate: Gate;
  /** The policy before it is adapted to what servers offer. */
  readonly base: Policy;
  readonly providers: readonly ToolProvider[];
  readonly pins: Pins;
  readonly onFault: (cause: unknown) => void;
  /**
   * Tools of one server that are pinned when they are first seen, in addition to those that the policy declares by
   * name.
   */
  readonly pinsPerServer?: number;
  /** How long to wait for a provider's first answer, in milliseconds. */
  readonly settleMs?: number;
}

// Twice as many as a server may offer at a time; pins are never deleted.
const MAX_PINS_PER_SERVER = 2_000;
const SETTLE_MS = 10_000;

/** A registry that adapts the gate's policy from now on. */
export function createToolRegistry(options: ToolRegistryOptions): ToolRegistry {
  const { gate, providers, pins, onFault } = options;
  let { base } = options;
  const { pinsPerServer = MAX_PINS_PER_SERVER, settleMs = SETTLE_MS } = options;
  const byId = new Map(providers.map((provider) => [provider.id, provider]));
  const provider = (server: string | null): ToolProvider | undefined =>
    server === null ? undefined : byId.get(server);
  const offeredAs = (id: string): OfferedTool | undefined => {
    const { server, tool } = parseToolId(id);
    return provider(server)?.tools.get(tool);
  };
  const parts = { pins, providers, offeredAs, policy: () => gate.policy };
  let version = -1;
  const apply = (): void => {
    version = pins.version;
    gate.usePolicy(withAllOffered(base, toLists(providers, pins)));
  };
  const full = new Set<string>();
  const onFull = (server: string): void => {
    if (!full.has(server)) onFault(tooManyPins(server, pinsPerServer));
    full.add(server);
  };
  const rounds = createRounds(async () => {
    await pins.load();
    if (pins.version !== version) apply();
    const unpinned = unpinnedIn(gate.policy, pins, offeredAs);
    await pins.pin(withinBound(unpinned, base, pins, { most: pinsPerServer, onFull }));
    if (pins.version !== version) apply();
  }, onFault);
  const follow = (): Promise<void> => {
    // INVARIANT: a new tool is withheld in this turn; once its pin is durable, it is available.
    apply();
    return rounds.next();
  };
  const stops = providers.map((one) => one.watch(() => void follow()));
  let isSettled = false;
  const settled = within(settleMs, Promise.all(providers.map((one) => one.settled)))
    .then(follow)
    .then(() => {
      isSettled = true;
    });
  return {
    providers,
    provider,
    definitionOf: ({ id }) => {
      const offered = gate.policy.changed.has(id) ? undefined : offeredAs(id);
      if (offered === undefined) return undefined;
      const { raw: _, ...definition } = offered;
      return definition;
    },
    settled,
    get isSettled() {
      return isSettled;
    },
    review: async () => {
      await rounds.next();
      return reviewTools(parts);
    },
    accept: async (tool, hash) => {
      await rounds.next();
      const { id, definition } = findOffered(parts, tool, hash);
      await pins.accept(id, definition);
      apply();
      return reviewTool(parts, id);
    },
    usePolicy: async (next, check) => {
      if (next.version === base.version) return false;
      check(gate.policy, withAllOffered(next, toLists(providers, pins)));
      base = next;
      await follow();
      return true;
    },
    close: async () => {
      for (const stop of stops) stop();
      await rounds.close();
      await Promise.allSettled(providers.map((one) => one.close()));
    },
  };
}

/**
 * Each server's tools. A server that never answered has no list: its declared tools stay known, and calls of them are
 * faults.
 */
const toLists = (providers: readonly ToolProvider[], pins: Pins): readonly OfferedList[] =>
  providers
    .filter(({ tools, status }) => tools.size > 0 || status === "ready")
    .map(({ id: server, tools, isOwn = false }) => ({
      server,
      tools: tools.keys(),
      changed: [...tools].flatMap(([name, tool]) =>
        isOwn || toDefinition(tool)?.hash === pins.hashOf(toToolId(server, name)) ? [] : [name],
      ),
      hints: new Map(isOwn ? [] : [...tools].map(([name, tool]) => [name, hintedPermissions(tool)])),
    }));

/** The definitions of classified tools that are new. */
function unpinnedIn(
  policy: Policy,
  pins: Pins,
  offeredAs: (id: string) => OfferedTool | undefined,
): ReadonlyMap<string, Definition> {
  const unpinned = new Map<string, Definition>();
  for (const id of policy.changed) {
    const offered = pins.hashOf(id) === null ? offeredAs(id) : undefined;
    const definition = offered && toDefinition(offered);
    if (definition) unpinned.set(id, definition);
  }
  return unpinned;
}

/**
 * THREAT: a server that a pattern classifies can invent any number of names, and pins are never deleted. Tools beyond
 * the limit stay withheld until a person accepts them.
 */
function withinBound(
  unpinned: ReadonlyMap<string, Definition>,
  { origin: { declaration } }: Policy,
  pins: Pins,
  { most, onFull }: { readonly most: number; readonly onFull: (server: string) => void },
): ReadonlyMap<string, Definition> {
  if (unpinned.size === 0) return unpinned;
  const isByName = (id: string): boolean => {
    const { server, tool } = parseToolId(id);
    const servers = declaration.servers ?? {};
    const own = server !== null && Object.hasOwn(servers, server) ? (servers[server]?.tools ?? {}) : {};
    return Object.hasOwn(own, tool) || Object.hasOwn(declaration.tools ?? {}, id);
  };
  const counts = new Map<string, number>();
  const count = (id: string): number => {
    const server = parseToolId(id).server ?? "";
    const counted = (counts.get(server) ?? 0) + 1;
    counts.set(server, counted);
    return counted;
  };
  for (const id of pins.tools) if (!isByName(id)) count(id);
  return new Map(
    [...unpinned].filter(([id]) => {
      if (isByName(id) || count(id) <= most) return true;
      onFull(parseToolId(id).server ?? "");
      return false;
    }),
  );
}

const tooManyPins = (server: string, pins: number): SluicegateError =>
  new SluicegateError("limit-reached", `The server \`${server}\` has offered too many different tools.`, {
    why: `${pins} of them are pinned, and only a pattern of the policy says what they are. Others stay withheld.`,
    fix: "Accept those that are wanted (`sluicegate tools`), or declare them by name.",
    details: { server, pins },
  });

/** Resolves when the work is done or the time is over. */
function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  void work.then(() => resolve());
  return promise.finally(() => clearTimeout(timer));
}
