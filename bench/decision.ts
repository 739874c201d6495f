/** `decide` against a Map look-up and a bit-mask compare that answer an object with a reason. */
import { type Decision, decide, type SessionState } from "../src/core/index.ts";
import { atMost, type Benchmark, type BenchmarkContext, type Figure } from "./benchmark.ts";
import { type Contender, compareCpu, medianOf, ratioOf, type Samples, swallow } from "./measure.ts";
import { createDraw, createWorld, LEVELS, ROLES, sessionAt, type World } from "./tables.ts";

const SIZES = [10, 100, 1000, 10_000];
const REQUESTS = 1024;

interface Request {
  readonly tool: string;
  readonly state: SessionState;
  readonly role: number;
  readonly level: number;
}

interface BareDecision {
  readonly effect: "allow" | "deny";
  readonly reason: string | null;
  readonly tool: string;
}

/** What requests of one kind come to. */
const KINDS = [
  { name: "allow", reason: null, most: 4 },
  { name: "deny: blocked flow", reason: "flow-blocked", most: 10 },
  { name: "deny: not in the role's tool set", reason: "not-in-tool-set", most: 10 },
];

export const decision: Benchmark = {
  name: "decision",
  title: "a decision with its reasons against a Map look-up and a bit-mask compare, CPU time",
  run: async (context) => {
    const samples = compareCpu(
      SIZES.flatMap((size) => contendersAt(size, context)),
      { rounds: context.quick ? 3 : 15, sampleMs: context.quick ? 3 : 40 },
    );
    return SIZES.flatMap((size) => KINDS.flatMap((kind) => figuresOf(samples, kind, size))).concat(
      KINDS.map(({ name }) => ({
        what: `${name}: 10,000 tools against 10`,
        value: ratioOf(samples, nameOf("decide", name, 10_000), nameOf("decide", name, 10)),
        unit: "×",
        budget: atMost(2),
      })),
    );
  },
};

const nameOf = (engine: "decide" | "bare", kind: string, size: number): string =>
  `${engine} ${kind} ${size.toLocaleString("en-US")}`;

function figuresOf(
  samples: Samples,
  { name: kind, most }: (typeof KINDS)[number],
  size: number,
): readonly Figure[] {
  const tools = `${size.toLocaleString("en-US")} tools`;
  const [ours, bare] = [nameOf("decide", kind, size), nameOf("bare", kind, size)];
  return [
    { what: `${kind}, ${tools}`, value: medianOf(samples, ours), unit: "ns" },
    { what: `${kind}, ${tools}: bare`, value: medianOf(samples, bare), unit: "ns" },
    {
      what: `${kind}, ${tools}: against bare`,
      value: ratioOf(samples, ours, bare),
      unit: "×",
      ...(size === 1000 && { budget: atMost(most) }),
    },
  ];
}

function contendersAt(size: number, context: BenchmarkContext): readonly Contender[] {
  context.progress(`${size} tools`);
  const world = createWorld(size);
  return KINDS.flatMap(({ name, reason }) => {
    const requests = drawRequests(world, reason);
    return [
      { name: nameOf("decide", name, size), run: (times: number) => runDecide(world, requests, times) },
      { name: nameOf("bare", name, size), run: (times: number) => runBare(world, requests, times) },
    ];
  });
}

function runDecide({ policy }: World, requests: readonly Request[], times: number): void {
  for (let at = 0; at < times; at += 1) {
    const request = requests[at & (REQUESTS - 1)];
    if (request) swallow(decide(policy, request.state, request));
  }
}

function runBare(world: World, requests: readonly Request[], times: number): void {
  for (let at = 0; at < times; at += 1) {
    const request = requests[at & (REQUESTS - 1)];
    if (request) swallow(decideBare(world, request));
  }
}

function decideBare({ bare }: World, { tool, role, level }: Request): BareDecision {
  const record = bare.get(tool);
  if (record === undefined) return { effect: "deny", reason: "unknown-tool", tool };
  if ((record.roles & (1 << role)) === 0) return { effect: "deny", reason: "not-in-tool-set", tool };
  if (level > record.clearance) return { effect: "deny", reason: "flow-blocked", tool };
  return { effect: "allow", reason: null, tool };
}

/** Random requests that come to this reason, the same in every run; both engines must agree on each of them. */
function drawRequests(world: World, reason: string | null): readonly Request[] {
  const draw = createDraw(1);
  const below = (limit: number): number => Math.floor(draw() * limit);
  const states = ROLES.map((role) => LEVELS.map((level) => sessionAt(world.policy, role, level)));
  const requests: Request[] = [];
  while (requests.length < REQUESTS) {
    const [role, level] = [below(ROLES.length), below(LEVELS.length)];
    const [tool, state] = [world.names[below(world.names.length)], states[role]?.[level]];
    if (tool === undefined || state === undefined) continue;
    const request = { tool, state, role, level };
    const answer = decideBare(world, request);
    assertAgree(answer, decide(world.policy, state, request));
    if (answer.reason === reason) requests.push(request);
  }
  return requests;
}

function assertAgree(bare: BareDecision, { effect, reasons }: Decision): void {
  const same = bare.effect === effect && (bare.reason ?? undefined) === reasons[0]?.code;
  if (!same) throw new Error(`The engines disagree: ${bare.effect} ${bare.reason}, ${effect}.`);
}
