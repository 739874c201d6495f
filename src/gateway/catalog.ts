/**
 * What all providers offer together: keeps the gate's policy in step with what servers really have, and finds the
 * provider and the definition behind a tool. A tool is to be had only while its definition is the pinned one.
 */
import {
  type OfferedList,
  type Policy,
  parseToolId,
  type Tool,
  toToolId,
  withAllOffered,
} from "../core/index.ts";
import {
  type Definition,
  type Gate,
  type OfferedTool,
  type Pins,
  type ToolProvider,
  toDefinition,
} from "../session/index.ts";
import { createRounds } from "./rounds.ts";
import { hintedPermissions } from "./tool-hints.ts";
import { findOffered, reviewTool, reviewTools, type ToolReview } from "./tool-review.ts";

export interface Catalog {
  readonly providers: readonly ToolProvider[];
  /** The provider with a server's id; undefined for null, as of a tool that the agent runs itself. */
  provider(server: string | null): ToolProvider | undefined;
  /** How its provider describes a tool; undefined where it doesn't offer it now, or it is withheld. */
  definitionOf(tool: Tool): OfferedTool | undefined;
  /** Resolves when each provider has answered or was given up for now, and what they offer is pinned. */
  readonly settled: Promise<void>;
  readonly isSettled: boolean;
  /** Every tool that is offered or pinned, and whether its definition is the accepted one, as of now. */
  review(): Promise<readonly ToolReview[]>;
  /**
   * Takes the definition that is offered now for the accepted one, if its hash is that of the one a person saw.
   * @throws SluicegateError `not-found` for a tool that no server offers, `definition-stale` for another hash.
   */
  accept(tool: string, hash: string): Promise<ToolReview>;
  close(): Promise<void>;
}

export interface CatalogOptions {
  readonly gate: Gate;
  /** The policy, before it is known what servers offer. */
  readonly base: Policy;
  readonly providers: readonly ToolProvider[];
  readonly pins: Pins;
  readonly onFault: (cause: unknown) => void;
}

/** A catalog that keeps the gate's policy in step from now on. */
export function createCatalog({ gate, base, providers, pins, onFault }: CatalogOptions): Catalog {
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
  const rounds = createRounds(async () => {
    await pins.load();
    if (pins.version !== version) apply();
    await pins.pin(unpinnedIn(gate.policy, pins, offeredAs));
    if (pins.version !== version) apply();
  }, onFault);
  const follow = (): Promise<void> => {
    // INVARIANT: what is offered anew is withheld in the same turn; once its pin is durable, it is let out.
    apply();
    return rounds.next();
  };
  const stops = providers.map((one) => one.watch(() => void follow()));
  let isSettled = false;
  const settled = Promise.all(providers.map((one) => one.settled))
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
