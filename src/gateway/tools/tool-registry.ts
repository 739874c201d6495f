/**
 * What all providers offer together: keeps the gate's policy in step with what servers really have, and finds the
 * provider and the definition behind a tool. A tool is available only while its definition is the pinned one.
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
  /** The provider with a server's id; undefined for null, as of a tool that the agent runs itself. */
  provider(server: string | null): ToolProvider | undefined;
  /** How its provider describes a tool; undefined if it doesn't offer it now, or it is withheld. */
  definitionOf(tool: Tool): OfferedTool | undefined;
  /** Resolves when each provider has answered or was stopped for now, and what they offer is pinned. */
  readonly settled: Promise<void>;
  readonly isSettled: boolean;
  /** Every tool that is offered or pinned, and whether its definition is the accepted one, as of now. */
  review(): Promise<readonly ToolReview[]>;
  /**
   * Takes the definition that is offered now for the accepted one, if its hash is that of the one a person saw.
   * @throws SluicegateError `not-found` for a tool that no server offers, `definition-stale` for another hash.
   */
  accept(tool: string, hash: string): Promise<ToolReview>;
  /**
   * Puts another policy in force, with what the servers offer. `check` is given both as they would decide; where it throws,
   * nothing changes. False for the version that is in force already.
   */
  usePolicy(next: Policy, check: (before: Policy, after: Policy) => void): Promise<boolean>;
  close(): Promise<void>;
}

export interface ToolRegistryOptions {
  readonly gate: Gate;
  /** The policy, before it is known what servers offer. */
  readonly base: Policy;
  readonly providers: readonly ToolProvider[];
  readonly pins: Pins;
  readonly onFault: (cause: unknown) => void;
  /** Tools of one server that are pinned when they are first seen, beside those that the policy declares by name. */
  readonly pinsPerServer?: number;
  /** Milliseconds after which a provider that hasn't answered yet is waited for no longer. */
  readonly settleMs?: number;
}

// Twice as many as a server may offer at a time; each is kept for ever.
const MAX_PINS_PER_SERVER = 2_000;
const SETTLE_MS = 10_000;

/** A catalog that keeps the gate's policy in step from now on. */
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
    // INVARIANT: what is offered anew is withheld in the same turn; once its pin is durable, it is let out.
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

/** What each server has; one that never answered has no list: its declared tools stay known and fault when called. */
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

/** The definitions of classified tools that were never seen before. */
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
 * THREAT: a server that a pattern classifies makes up as many names as it likes, and pins are kept for ever. What has no
 * room stays withheld until a person accepts it.
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
