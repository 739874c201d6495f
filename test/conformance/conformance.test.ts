/** The official suites against a fixture, directly and through a gateway that allows everything: the same passes. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CASES } from "../properties/generators.ts";
import type { RunningGateway } from "../scenarios/running-gateway.ts";
import { openGatedSession, startAllowAllGateway } from "./allow-all.ts";
import { startBearerRelay } from "./bearer-relay.ts";
import { DIFFERENCES, NOT_PASSED_DIRECTLY } from "./differences.ts";
import { FEATURES } from "./everything-features.ts";
import { startFixtureServer } from "./fixture-server.ts";
import { type Check, runSuite, SUITES, type SuiteName } from "./run-suite.ts";

interface Runs {
  readonly direct: readonly Check[];
  readonly gated: readonly Check[];
}

/** So many checks pass directly. A suite that stops in the middle has fewer. */
const DIRECT_PASSES: Readonly<Record<SuiteName, number>> = {
  "0.1.16": 44,
  "0.2 at 2025-11-25": 84,
  "0.2 at 2026-07-28": 168,
};

/** The newest revision; `npm run test:all` takes the older ones too. */
const SUITE_NAMES = (Object.keys(SUITES) as SuiteName[]).filter(
  (name) => CASES > 2_000 || name === "0.2 at 2026-07-28",
);
const runs = new Map<SuiteName, Runs>();
const running: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  const fixture = await startFixtureServer();
  running.push(fixture);
  const gate = await startAllowAllGateway(`url: "${fixture.url}"`);
  running.push({ close: gate.stop });
  // The suites give some answers half a second, so only one runs at a time.
  for (const name of SUITE_NAMES) {
    const direct = await runSuite(name, fixture.url);
    const gated = await runThroughGateway(name, gate);
    runs.set(name, { direct, gated });
  }
}, 240_000);
afterAll(async () => {
  for (const { close } of running.reverse()) await close();
});

async function runThroughGateway(name: SuiteName, gate: RunningGateway): Promise<readonly Check[]> {
  const session = await openGatedSession(gate);
  const relay = await startBearerRelay(gate.url, session.token);
  try {
    return await runSuite(name, session.url.replace(gate.url, relay.url));
  } finally {
    await relay.close();
  }
}

const runsOf = (suite: SuiteName): Runs => {
  const found = runs.get(suite);
  if (found === undefined) throw new Error(`${suite} didn't run.`);
  return found;
};
const labelOf = ({ scenario, check }: { scenario: string; check: string }): string =>
  `${scenario} › ${check}`;
const passesOf = (checks: readonly Check[]): ReadonlySet<string> =>
  new Set(checks.filter(({ status }) => status === "SUCCESS").map(labelOf));
const toldOf = (checks: readonly Check[], label: string): string => {
  const check = checks.find((each) => labelOf(each) === label);
  return check ? `${check.status} ${check.message ?? ""}`.trim() : "not reached";
};

describe.each(SUITE_NAMES)("the conformance suite %s", (suite) => {
  it("passes against the fixture itself, but for what is listed", () => {
    const { direct } = runsOf(suite);
    const broken = direct.filter(({ status }) => status === "FAILURE" || status === "WARNING");
    const listed = NOT_PASSED_DIRECTLY.filter((entry) => entry.suite === suite);
    const covers = (entry: (typeof listed)[number], { scenario, check }: Check) =>
      entry.scenario === scenario && (entry.check ?? check) === check;
    expect(broken.filter((check) => !listed.some((entry) => covers(entry, check)))).toEqual([]);
    expect(listed.filter((entry) => !broken.some((check) => covers(entry, check)))).toEqual([]);
    expect(passesOf(direct).size).toBe(DIRECT_PASSES[suite]);
  });

  it("passes through the gateway where it passes directly, but for what is listed", () => {
    const { direct, gated } = runsOf(suite);
    const [without, through] = [passesOf(direct), passesOf(gated)];
    const lost = [...without].filter((label) => !through.has(label));
    const gained = [...through].filter((label) => !without.has(label));
    const differing = new Map([
      ...lost.map((label) => [label, `lost: ${toldOf(gated, label)}`] as const),
      ...gained.map((label) => [label, `gained: directly ${toldOf(direct, label)}`] as const),
    ]);
    const listed = new Set(DIFFERENCES.filter((entry) => entry.suite === suite).map(labelOf));
    const unlisted = [...differing].filter(([label]) => !listed.has(label));
    expect(unlisted.map(([label, what]) => `${label}, ${what}`)).toEqual([]);
    expect([...listed].filter((label) => !differing.has(label))).toEqual([]);
  });
});

describe("docs/conformance.md", () => {
  it("gives the reason of everything that is listed, and the number of passes", () => {
    const page = readFileSync(new URL("../../docs/conformance.md", import.meta.url), "utf8");
    const reasons = [...DIFFERENCES, ...NOT_PASSED_DIRECTLY, ...FEATURES].flatMap(
      ({ reason }) => reason ?? [],
    );
    expect([...new Set(reasons)].filter((reason) => !page.includes(reason))).toEqual([]);
    const counts = [...page.matchAll(/^\| 0\.[^|]*\| (\d+) \|$/gm)].map(([, count]) => Number(count));
    expect(counts).toEqual(Object.values(DIRECT_PASSES));
  });
});
