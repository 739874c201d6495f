/** What a call is granted, and what else must be known to decide it: gathered just before, at every call. */
import { type Facts, type Fault, PERMISSIONS, type Permission, type Tool } from "../core/index.ts";
import { SluicegateError } from "../errors/index.ts";
import { assertGiven } from "./option-shapes.ts";
import type { Examination } from "./ports/provider.ts";

/** Granted permissions, or a function that is asked at every call. */
export type Grant = Iterable<Permission> | (() => Iterable<Permission> | Promise<Iterable<Permission>>);

/**
 * What a session may ever be granted, as its journal keeps it.
 * @throws SluicegateError `invalid-request` for a function: another handle of the session would have more.
 */
export function toPermissions(given: Iterable<Permission>): readonly Permission[] {
  if (typeof given === "function") throw functionAtOpening();
  return collectPermissions(given);
}

/**
 * Permissions in their own order.
 * @throws SluicegateError `invalid-request` for other words, also those that an iterator gives.
 */
export function collectPermissions(given: Iterable<Permission>): readonly Permission[] {
  assertGiven("permissions", given, "permissions");
  // An iterator can be gone through once, so what it gives is checked.
  const held = new Set(given);
  assertGiven("permissions", held, "permissions");
  return PERMISSIONS.filter((permission) => held.has(permission));
}

const functionAtOpening = (): SluicegateError =>
  new SluicegateError("invalid-request", "The session can't be opened.", {
    why: "`permissions` must be a list or a set, and is a function.",
    fix: "Open it with all that it may ever be granted, and give the function to `session.run({ permissions })`: no journal keeps a function, so another handle of the session would have more.",
  });

/** Both grants at once: what a run is granted can't exceed what its session is. */
export function intersectGrants(outer: Grant | undefined, inner: Grant): Grant {
  if (outer === undefined) return inner;
  const resolve = async (grant: Grant): Promise<Iterable<Permission>> =>
    typeof grant === "function" ? await grant() : grant;
  return async () => {
    const most = new Set(await resolve(outer));
    return [...(await resolve(inner))].filter((permission) => most.has(permission));
  };
}

/** Where a call comes from, for whoever gathers facts about it. */
export interface CallView {
  readonly session: string;
  /** Who shares its label: all runs of one session, and its forks. */
  readonly labelHolder: string;
  readonly principal: string;
  /** The tools that the run sees which makes the call. */
  readonly tools: readonly Tool[];
  /** The tool that a name means to that run, whichever of its names it is; null where it sees none. */
  tool(name: string): Tool | null;
}

interface ApprovalFacts {
  /** The hash of the tool's definition, where it has one. */
  readonly definition?: string;
  /** What the tool's provider found out about the call. What it asks is asked. */
  readonly examined?: Examination;
}

/** What a host says of one call: what it is decided on besides its session, and what else an approval is bound to. */
export interface CallFacts
  extends Pick<Facts, "source" | "faults" | "asks" | "isProtected" | "unknownArgument">,
    ApprovalFacts {}

/** All the facts that one call is decided on. */
export interface GatheredFacts extends Facts, ApprovalFacts {}

/**
 * A host's function for facts, whose results are checked: what is misspelt would otherwise be taken for nothing.
 * @throws SluicegateError `invalid-request` from the function that is returned, which `onFault` is told as well.
 */
export function checkingFacts<Arguments extends readonly unknown[]>(
  facts: (...given: Arguments) => CallFacts | Promise<CallFacts>,
  onFault: (cause: unknown) => void,
): (...given: Arguments) => Promise<CallFacts> {
  return async (...given) => {
    const found = await facts(...given);
    try {
      assertGiven("facts", found, "facts");
    } catch (cause) {
      onFault(cause);
      throw cause;
    }
    return found;
  };
}

/** What is asked at every call. */
interface Sources {
  /** The host's own facts about the call. */
  readonly ask: () => CallFacts | Promise<CallFacts>;
  /** The function that grants permissions, where there is one. */
  readonly grant?: () => Iterable<Permission> | Promise<Iterable<Permission>>;
}

/** The facts of this moment, on top of those that stand. What can't be found out grants nothing, and is a fault. */
export async function gatherFacts(standing: Facts, { ask, grant }: Sources): Promise<GatheredFacts> {
  const faults: Fault[] = [];
  const attempt = async <Value>(code: Fault["code"], message: string, run: () => Value | Promise<Value>) => {
    try {
      return await run();
    } catch {
      faults.push({ code, message });
      return undefined;
    }
  };
  const gathered = await attempt("provider", "A fact about this call could not be found out.", ask);
  const resolved = grant
    ? ((await attempt("permissions", "The function that grants permissions threw.", async () => [
        ...(await grant()),
      ])) ?? [])
    : standing.granted;
  const { asks = [], isProtected, definition, examined, unknownArgument } = gathered ?? {};
  const source = examined?.source ?? gathered?.source;
  const asking = [...asks, ...(examined?.asks ?? [])];
  return {
    ...standing,
    ...(resolved && { granted: resolved.filter((name) => PERMISSIONS.includes(name)) }),
    faults: [...faults, ...(gathered?.faults ?? [])],
    ...(source && { source }),
    ...(asking.length > 0 && { asks: asking }),
    ...((isProtected || examined?.isProtected) && { isProtected: true }),
    ...(unknownArgument && { unknownArgument }),
    ...(definition !== undefined && { definition }),
    ...(examined && { examined }),
  };
}
