/** Runs the checks against a target, in each era that it speaks. */
import { type Arena, enterArena, mark } from "./arena.ts";
import { type Check, notApplicable, type Outcome, worst } from "./check.ts";
import { ALL_CHECKS } from "./checks/all.ts";
import { findTarget, type Target, type TargetOptions } from "./target.ts";
import { ERAS } from "./wire.ts";
import type { World } from "./world.ts";

export interface Result extends Outcome {
  readonly check: Check;
}

/** Why nothing can be measured at this target. */
export class NothingToMeasure extends Error {}

/** A check that takes longer is undecided. */
const LIMIT_MS = 120_000;

/**
 * Runs the checks with these ids, or all.
 * @throws NothingToMeasure where a clean session can neither read nor send within `waitMs`.
 */
export async function runSuite(
  options: TargetOptions,
  world: World,
  { only = [], waitMs = 30_000, onResult = () => {} }: SuiteOptions = {},
): Promise<readonly Result[]> {
  const arenas = await enterArenas(options, world, waitMs);
  const checks = ALL_CHECKS.filter(({ id }) => only.length === 0 || only.includes(id));
  const results: Result[] = [];
  for (const batch of toBatches(checks)) {
    const started = batch.map(async (check) => ({ check, ...(await runCheck(check, arenas)) }));
    for (const running of started) {
      const result = await running;
      results.push(result);
      onResult(result);
    }
  }
  return results;
}

/** How many checks run at the same time, where they may. */
const BATCH = 4;

/** The checks in their order, those together that may run beside each other. */
function toBatches(checks: readonly Check[]): readonly (readonly Check[])[] {
  const batches: Check[][] = [];
  for (const check of checks) {
    const last = batches.at(-1);
    const fits = last !== undefined && last.length < BATCH && last[0]?.runsBesideOthers;
    if (fits && check.runsBesideOthers) last.push(check);
    else batches.push([check]);
  }
  return batches;
}

export interface SuiteOptions {
  readonly only?: readonly string[];
  readonly waitMs?: number;
  readonly onResult?: (result: Result) => void;
}

async function runCheck(check: Check, arenas: readonly Arena[]): Promise<Outcome> {
  const { eras = ERAS, needsSessions, coversEras } = check;
  const fitting = arenas.filter(({ era }) => eras.includes(era)).slice(0, coversEras ? 1 : arenas.length);
  if (needsSessions && !fitting.some(({ target }) => target.hasSessions))
    return notApplicable("it needs sessions with tokens of their own (`--admin-url`)");
  const outcomes: Outcome[] = [];
  for (const arena of fitting) {
    const outcome = await attempt(check, arena);
    arena.leave();
    outcomes.push(
      outcome.detail === "" ? outcome : { ...outcome, detail: `${arena.era}: ${outcome.detail}` },
    );
  }
  return worst(outcomes);
}

async function attempt(check: Check, arena: Arena): Promise<Outcome> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Outcome>((resolve) => {
    const detail = `it took longer than ${LIMIT_MS / 1000} s`;
    timer = setTimeout(() => resolve({ verdict: "undecided", detail }), LIMIT_MS);
  });
  try {
    return await Promise.race([check.run(arena), late]);
  } catch (cause) {
    return { verdict: "undecided", detail: cause instanceof Error ? cause.message : String(cause) };
  } finally {
    clearTimeout(timer);
  }
}

/** Waits until the gateway shows and runs what it must, so that what holds afterwards means something. */
async function enterArenas(options: TargetOptions, world: World, waitMs: number): Promise<readonly Arena[]> {
  const until = performance.now() + waitMs;
  for (;;) {
    const problem = await enterAll(options, world).catch((cause: unknown) => String(cause));
    if (typeof problem !== "string") return problem;
    if (performance.now() > until) throw new NothingToMeasure(problem);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

async function enterAll(options: TargetOptions, world: World): Promise<readonly Arena[] | string> {
  const target = await findTarget(options);
  if (target.eras.length === 0) return "The gateway answers MCP in neither era.";
  const arenas: Arena[] = [];
  for (const era of target.eras) {
    const arena = await enterArena(target, era, world);
    const problem = await problemOf(arena, target);
    arena.leave();
    if (problem !== null) return problem;
    arenas.push(arena);
  }
  return arenas;
}

async function problemOf({ names, open, era }: Arena, { url }: Target): Promise<string | null> {
  const missing = [
    ["notes", "read_notes"],
    ["post", "send_message"],
  ] as const;
  for (const [server, tool] of missing)
    if (names.tool(server, tool) === undefined)
      return `The gateway at ${url} doesn't list \`${tool}\` of \`${server}\` (${era}).`;
  if (!(await (await open()).send(mark())))
    return `A clean session can't call \`send_message\` (${era}), so nothing that it holds back means anything.`;
  if (!(await (await open()).read()))
    return `A clean session can't call \`read_notes\` (${era}), so there is nothing to protect.`;
  return null;
}
