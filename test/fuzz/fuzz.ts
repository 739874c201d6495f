/** Random inputs to the policy parser and to both doors. A case that fails is shrunk, and told with its seed. */
import fc from "fast-check";
import { anyMcpRequest, anyRestRequest, openDoors } from "./doors.ts";
import { anyPolicyText, checkPolicy } from "./policies.ts";

/** How often each outcome came: `accepted` and `refused` of policies, the statuses of the doors. */
export type Outcomes = ReadonlyMap<string, number>;

interface Run {
  readonly cases: number;
  readonly seed: number;
}

/** After so many cases the doors are opened anew: their stores lie in memory. */
const CASES_OF_DOORS = 20_000;

export const TARGETS: Readonly<Record<string, (run: Run) => Promise<Outcomes>>> = {
  policy: (run) => fuzz(anyPolicyText, async (text) => checkPolicy(text), run),
  rest: (run) => fuzzDoor(anyRestRequest, run),
  mcp: (run) => fuzzDoor(anyMcpRequest, run),
};

async function fuzz<Input>(
  inputs: fc.Arbitrary<Input>,
  check: (input: Input) => Promise<string | number>,
  { cases, seed }: Run,
): Promise<Map<string, number>> {
  const outcomes = new Map<string, number>();
  const property = fc.asyncProperty(inputs, async (input) => {
    const outcome = String(await check(input));
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  });
  await fc.assert(property, { numRuns: cases, seed });
  return outcomes;
}

async function fuzzDoor(requests: typeof anyRestRequest, { cases, seed }: Run): Promise<Outcomes> {
  const all = new Map<string, number>();
  for (let done = 0; done < cases; done += CASES_OF_DOORS) {
    const doors = await openDoors();
    const part = { cases: Math.min(CASES_OF_DOORS, cases - done), seed: seed + done };
    try {
      for (const [status, count] of await fuzz(requests, (request) => doors.check(request), part))
        all.set(status, (all.get(status) ?? 0) + count);
    } finally {
      await doors.close();
    }
  }
  return all;
}
