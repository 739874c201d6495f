/** The laws that hold in the core, as properties; each title begins with the law's number. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sessionOf } from "../../spec/decide.ts";
import * as reference from "../../spec/label.ts";
import {
  apply,
  bottomLabel,
  type Decision,
  decide,
  definePolicy,
  type Effect,
  flowsTo,
  initialState,
  isKnownLabel,
  lowestClearance,
  namesOf,
  PERMISSIONS,
  type Policy,
  type SessionEvent,
  type SessionState,
  sameLabel,
  tighten,
  topLabel,
  visibleTools,
  withAllOffered,
} from "../../src/core/index.ts";
import {
  anyCases,
  anyEventIn,
  anyLattice,
  anyName,
  anyOpening,
  anyToolPolicy,
  CASES,
  type Case,
  isEntry,
  toPolicy,
  type World,
} from "./generators.ts";

const SEVERITY: Readonly<Record<Effect, number>> = { allow: 0, ask: 1, deny: 2 };
const NOW = "2026-01-01T00:00:00Z";

const play = (policy: Pick<Policy, "lattice">, events: readonly SessionEvent[]): SessionState =>
  events.reduce((state, event) => apply(state, event, NOW), initialState(policy.lattice));

const codesOf = ({ reasons }: Decision): readonly string[] => reasons.map(({ code }) => code).sort();

/** What a decision says, without the order in which it says it. */
const gist = (decision: Decision) => ({
  effect: decision.effect,
  codes: codesOf(decision),
  tool: decision.tool?.id,
});

/** So many runs, with some cases in each; fewer in `npm test`. */
const runs = (most: number, casesInEach: number): number => Math.min(most, Math.ceil(CASES / casesInEach));

/** Runs a check on 20 cases of each of so many worlds. */
function inWorlds(
  numRuns: number,
  check: (policy: Policy, given: Case, world: World, chance: number) => void,
): void {
  const property = fc.property(anyCases(20), fc.nat(999), ({ world, cases }, chance) => {
    const policy = toPolicy(world);
    for (const given of cases) check(policy, given, world, chance);
  });
  fc.assert(property, { numRuns: runs(numRuns, 20) });
}

/** The same rules turned around: every list rotated, repeated and (by chance) reversed, and so are all keys. */
function rearrange<T>(value: T, chance: number): T {
  const turn = <E>(list: readonly E[], repeat: boolean): E[] => {
    const rest = list.slice(chance % (list.length || 1));
    const turned = [...rest, ...(repeat ? list : list.slice(0, list.length - rest.length))];
    return chance % 2 === 0 ? turned : turned.reverse();
  };
  const inner = (part: unknown): unknown => {
    if (Array.isArray(part)) return turn(part.map(inner), true);
    if (typeof part !== "object" || part === null) return part;
    return Object.fromEntries(turn(Object.entries(part), false).map(([key, held]) => [key, inner(held)]));
  };
  // The result has the shape of what was given: only orders and repetitions differ.
  return inner(value) as T;
}

function rearranged({ declaration, offered, limits, changed = [] }: World, chance: number): Policy {
  const { levels, trust } = declaration;
  const turned = { ...rearrange(declaration, chance), ...(levels && { levels }), ...(trust && { trust }) };
  const tightened = rearrange(limits, chance).reduce(tighten, definePolicy(turned));
  const lists = rearrange(
    [...offered.entries()].map(([server, tools]) => ({ server, tools })),
    chance,
  );
  return lists.reduce(
    (policy, { server, tools }) =>
      withAllOffered(policy, [{ server, tools, changed: tools.filter((tool) => changed.includes(tool)) }]),
    tightened,
  );
}

describe("law 1: deny wins; order and repetition of rules change nothing", () => {
  it("denies as soon as one reason denies, asks where all of them ask", () => {
    inWorlds(300, (policy, { events, tool, facts }) => {
      const decision = decide(policy, play(policy, events), { tool }, facts);
      const denies = decision.reasons.some(
        (reason) =>
          reason.code !== "approval-required" &&
          reason.code !== "rule-asks" &&
          reason.code !== "not-endorsed" &&
          !(reason.code === "flow-blocked" && reason.releasable),
      );
      expect(decision.effect).toBe(denies ? "deny" : decision.reasons.length > 0 ? "ask" : "allow");
      if (denies) expect(decision.source).toBeNull();
    });
  });

  it("denies a tool that one entry denies by any of its names, whatever allows it", () => {
    inWorlds(300, (policy, { events, tool, facts }, _, chance) => {
      const state = play(policy, events);
      const { tool: meant } = decide(policy, state, { tool }, facts);
      if (meant === null) return;
      const entries = [...namesOf(meant.id), "*"].filter(isEntry);
      const denied = tighten(policy, { deniedTools: [entries[chance % entries.length] ?? "*"] });
      expect(decide(denied, state, { tool }, facts).effect).toBe("deny");
    });
  });

  it("decides the same when every list and every key is rearranged and repeated", () => {
    fc.assert(
      fc.property(anyCases(20), fc.nat(999), ({ world, cases }, chance) => {
        const policy = toPolicy(world);
        const other = rearranged(world, chance);
        for (const { events, tool, facts } of cases) {
          const turned = { ...facts, ...(facts.granted && { granted: rearrange(facts.granted, chance) }) };
          const said = gist(decide(policy, play(policy, events), { tool }, facts));
          expect(gist(decide(other, play(other, events), { tool }, turned))).toEqual(said);
        }
      }),
      { numRuns: runs(1000, 20) },
    );
  });
});

describe("law 2: no rule, no permission; an unclassified tool is the worst of both kinds", () => {
  it("knows no tool by any name where nothing is declared", () => {
    fc.assert(
      fc.property(anyToolPolicy, anyName, fc.string(), (limits, name, text) => {
        const policy = definePolicy({ policy: limits });
        const state = initialState(policy.lattice);
        for (const tool of [name, text]) {
          expect(codesOf(decide(policy, state, { tool }))).toEqual(["unknown-tool"]);
        }
      }),
    );
  });

  it("never allows an unclassified tool: it needs all, brings in the top, and may receive the lowest", () => {
    let met = 0;
    inWorlds(600, (policy, { events, facts }) => {
      const unclassified = [...policy.tools.values()].filter((tool) => !tool.classified);
      met += unclassified.length;
      const state = play(policy, events);
      const { asked: _, ...unanswered } = facts;
      for (const tool of unclassified)
        expectWorst(policy, state, decide(policy, state, { tool: tool.id }, unanswered));
      const granted = facts.granted ?? policy.roles.get(state.role ?? "")?.permissions ?? PERMISSIONS;
      if (granted.length === PERMISSIONS.length) return;
      for (const tool of unclassified) {
        expect(codesOf(decide(policy, state, { tool: tool.id }, facts))).toContain("permission-missing");
      }
    });
    expect(met).toBeGreaterThan(Math.min(1000, CASES / 2));
  });
});

function expectWorst(policy: Policy, { label }: SessionState, decision: Decision): void {
  const codes = codesOf(decision);
  const low = flowsTo(policy.lattice, label, lowestClearance(policy.lattice));
  expect(decision.effect).not.toBe("allow");
  expect(codes).toContain("approval-required");
  expect(codes.includes("unclassified-tool")).toBe(policy.unclassified === "withhold");
  expect(codes.includes("flow-blocked")).toBe(!low);
  expect(decision.source).toEqual(decision.effect === "ask" ? topLabel(policy.lattice) : null);
}

describe("law 3: labels never fall", () => {
  const anyEvents = fc
    .tuple(
      anyLattice,
      fc.array(
        fc.oneof(
          { weight: 9, arbitrary: anyEventIn },
          { weight: 1, arbitrary: anyOpening.map((event) => () => event) },
        ),
        { maxLength: 20 },
      ),
    )
    .map(([lattice, events]) => ({ lattice, events: events.map((event) => event(lattice)) }));

  it("never lowers a label by any event, broken labels among them, and leaves the state given as it was", () => {
    fc.assert(
      fc.property(anyEvents, ({ lattice, events }) => {
        let state = initialState(lattice);
        for (const event of events) {
          const before = structuredClone(state);
          const after = apply(state, event, NOW);
          expect(state).toEqual(before);
          expect(isKnownLabel(lattice, after.label)).toBe(true);
          expect(flowsTo(lattice, state.label, after.label)).toBe(true);
          expect(state.closed && !after.closed).toBe(false);
          state = after;
        }
      }),
      { numRuns: runs(1000, 5) },
    );
  });

  it("adds up to the join of what came in, in whatever order two writers appended it", () => {
    fc.assert(
      fc.property(anyEvents, fc.nat(19), ({ lattice, events }, at) => {
        const { label } = play({ lattice }, events);
        const expected = sessionOf(lattice, events).label;
        const read = reference.labelOf(lattice, label);
        expect(reference.flowsTo(read, expected) && reference.flowsTo(expected, read)).toBe(true);
        const interleaved = [...events.slice(at), ...events.slice(0, at).reverse()];
        expect(sameLabel(play({ lattice }, interleaved).label, label)).toBe(true);
      }),
      { numRuns: runs(2000, 4) },
    );
  });

  it("reads a stored label that is broken or unknown as the highest", () => {
    const broken = [
      null,
      7,
      "public",
      {},
      { level: "public", categories: [] },
      { level: "x", categories: [], trust: "trusted" },
    ];
    const policy = definePolicy({});
    for (const source of broken) {
      // A store may hold anything where a label is expected.
      const event = { kind: "label-raised", call: null, source, dataset: "mail" } as unknown as SessionEvent;
      expect(play(policy, [event]).label).toEqual(topLabel(policy.lattice));
    }
    expect(play(policy, []).label).toEqual(bottomLabel(policy.lattice));
  });
});

describe("law 4: tightening never grants", () => {
  it("only takes away by a tool policy, a role, a session's tools, visibility or fewer permissions", () => {
    fc.assert(
      fc.property(
        anyCases(20),
        anyToolPolicy,
        fc.subarray([...PERMISSIONS]),
        ({ world, cases }, limit, kept) => {
          const policy = toPolicy(world);
          const tight = tighten(policy, limit);
          for (const { events, tool, facts } of cases) {
            const state = play(policy, events);
            const { visible: _, ...seeing } = facts;
            const severity = (...[by, held, given]: [Policy, SessionState, typeof facts]): number =>
              SEVERITY[decide(by, held, { tool }, given).effect];
            const usual = severity(policy, state, facts);
            expect(severity(tight, state, facts)).toBeGreaterThanOrEqual(usual);
            // A role may say that nobody need be asked; it never gives what is denied without it.
            // Whom nobody asks needs no answer, so what people said is left out where a role speaks of approvals.
            const speaks = policy.roles.get(state.role ?? "")?.approval != null;
            const { asked: __, ...unasked } = facts;
            const told = speaks ? unasked : facts;
            const free = severity(policy, { ...state, role: null }, told);
            if (free === SEVERITY.deny || !speaks)
              expect(free).toBeLessThanOrEqual(severity(policy, state, told));
            expect(severity(policy, { ...state, tools: null }, facts)).toBeLessThanOrEqual(usual);
            expect(severity(policy, state, seeing)).toBeLessThanOrEqual(usual);
            const granted = (facts.granted ?? PERMISSIONS).filter((permission) => kept.includes(permission));
            const wider = { ...facts, granted: facts.granted ?? PERMISSIONS };
            expect(severity(policy, state, { ...facts, granted })).toBeGreaterThanOrEqual(
              severity(policy, state, wider),
            );
          }
        },
      ),
      { numRuns: runs(500, 20) },
    );
  });

  it("shows no more tools to the tighter side", () => {
    fc.assert(
      fc.property(anyCases(5), anyToolPolicy, ({ world, cases }, limit) => {
        const policy = toPolicy(world);
        for (const { events, facts } of cases) {
          const state = play(policy, events);
          const shown = new Set(
            visibleTools(policy, { ...state, role: null, tools: null }).map(({ id }) => id),
          );
          const seen = visibleTools(tighten(policy, limit), state, facts).map(({ id }) => id);
          expect(seen.filter((id) => !shown.has(id))).toEqual([]);
        }
      }),
      { numRuns: runs(500, 5) },
    );
  });
});

describe("law 5: a hidden tool never runs", () => {
  it("denies it by each of its names, and tells none of them", () => {
    inWorlds(300, (policy, { events, tool: name, facts }, _, chance) => {
      const state = play(policy, events);
      const ids = [...policy.tools.keys()];
      const id = ids[chance % (ids.length || 1)];
      if (id === undefined) return;
      const others = new Set(ids.filter((other) => other !== id));
      const hidings: readonly (readonly [Policy, SessionState, typeof facts])[] = [
        [policy, state, { ...facts, visible: others }],
        [policy, { ...state, tools: others }, facts],
        [tighten(policy, { deniedTools: [isEntry(id) ? id : "*"] }), state, facts],
      ];
      for (const [by, held, given] of hidings) {
        for (const tool of [...namesOf(id), name]) expectUnreached(by, decide(by, held, { tool }, given), id);
        expect(visibleTools(by, held, given).map((tool) => tool.id)).not.toContain(id);
      }
    });
  });
});

function expectUnreached(policy: Policy, decision: Decision, id: string): void {
  if (decision.tool?.id === id) expect(decision.effect).toBe("deny");
  for (const reason of decision.reasons) {
    if (reason.code === "ambiguous-tool") expect(reason.candidates).not.toContain(policy.names.shown(id));
  }
}

describe("law 9: a fault denies", () => {
  it("denies whatever else holds, reports the fault, and raises nothing", () => {
    const faults = [{ code: "permissions" as const, message: "no answer in time" }];
    inWorlds(200, (policy, { events, tool, facts }) => {
      const decision = decide(policy, play(policy, events), { tool }, { ...facts, faults });
      expect(decision.effect).toBe("deny");
      expect(codesOf(decision)).toContain("fault");
      expect(decision.faults).toEqual(faults);
      expect(decision.source).toBeNull();
    });
  });

  it("throws for no name and no history", () => {
    inWorlds(200, (policy, { events, facts }) => {
      for (const tool of ["", "__proto__", "mcp__", "mcp____", "\ud800", "*", "constructor"]) {
        expect(() => decide(policy, play(policy, events), { tool }, facts)).not.toThrow();
      }
    });
  });
});
