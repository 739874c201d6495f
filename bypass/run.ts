/** `npm run bypass`: starts the servers behind, the gateway where none was given, and attacks it. */
import { ALL_CHECKS } from "./checks/all.ts";
import { HELP, type Options, parseOptions, UsageError } from "./options.ts";
import { type RunningTarget, startOwnGateway } from "./own-gateway.ts";
import { startPassThrough } from "./pass-through.ts";
import { isHeld, toJson, toLine, toSummary } from "./report.ts";
import { NothingToMeasure, runSuite } from "./suite.ts";
import { startWorld, type World } from "./world.ts";

// What starts PostgreSQL ends every program with 0 where it ends by itself.
process.exit(await main(process.argv.slice(2)));

async function main(args: readonly string[]): Promise<number> {
  try {
    const options = parseOptions(args);
    if (options === null) {
      process.stdout.write(HELP);
      return 0;
    }
    assertKnown(options.only);
    return await run(options);
  } catch (cause) {
    if (!(cause instanceof UsageError) && !(cause instanceof NothingToMeasure)) throw cause;
    process.stderr.write(`error: ${cause.message}\n  fix: look at \`npm run bypass -- --help\`.\n`);
    return 2;
  }
}

function assertKnown(only: readonly string[]): void {
  const unknown = only.find((id) => !ALL_CHECKS.some((check) => check.id === id));
  if (unknown === undefined) return;
  const ids = ALL_CHECKS.map(({ id }) => id).join(", ");
  throw new UsageError(`There is no check \`${unknown}\`. The checks are ${ids}.`);
}

async function run(options: Options): Promise<number> {
  const world = await startWorld(options.ports, options.legacyOnly);
  let target: RunningTarget | null = null;
  try {
    target = await startTarget(options, world);
    const say = (line: string): void => void (options.json || process.stdout.write(`${line}\n`));
    for (const { name, url } of world.all) say(`${name.padEnd(9)} ${url}`);
    say(`attacking ${target.options.url}\n`);
    const { only, waitMs } = options;
    const results = await runSuite(target.options, world, {
      only,
      waitMs,
      onResult: (result) => say(toLine(result)),
    });
    say(`\n${toSummary(results)}`);
    if (options.json) process.stdout.write(`${toJson(results)}\n`);
    return results.every(isHeld) ? 0 : 1;
  } finally {
    await target?.stop();
    await world.close();
  }
}

async function startTarget({ target }: Options, world: World): Promise<RunningTarget> {
  if (target === "own") return startOwnGateway(world);
  if (target === "pass-through") return startPassThrough(world);
  return { options: target, stop: async () => {} };
}
