/** The lattice of labels: its laws, and `src/core` against `spec/label.ts`. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as reference from "../../spec/label.ts";
import {
  bottomLabel,
  createLabel,
  flowsTo,
  isKnownLabel,
  join,
  type Label,
  type Lattice,
  lowestClearance,
  parseLabel,
  sameLabel,
  toClearance,
  topLabel,
  toSource,
} from "../../src/core/index.ts";
import {
  anyLabelDeclarationIn,
  anyLabelIn,
  anyLattice,
  anySinkIn,
  anyStoredLabelIn,
  CASES,
} from "./generators.ts";

const MANY = { numRuns: Math.min(5000, CASES) };

/** A lattice and three labels; once in a while with a name that the lattice doesn't know. */
const anyThree = fc
  .tuple(anyLattice, fc.tuple(anyLabelIn, anyLabelIn, anyLabelIn))
  .map(([lattice, drawn]) => {
    const [a, b, c] = drawn
      .map((label) => label(lattice))
      .map((one) => createLabel(one.level, one.categories, one.trust));
    return { lattice, a: a ?? topLabel(lattice), b: b ?? topLabel(lattice), c: c ?? topLabel(lattice) };
  });

/** The same, of labels as a session holds them: unknown names were read as the top. */
const anyKnownThree = anyThree.map(({ lattice, a, b, c }) => ({
  lattice,
  a: parseLabel(lattice, a),
  b: parseLabel(lattice, b),
  c: parseLabel(lattice, c),
}));

function expectSame(lattice: Lattice, ours: Label, theirs: reference.Label): void {
  const read = reference.labelOf(lattice, ours);
  const equal = reference.flowsTo(read, theirs) && reference.flowsTo(theirs, read);
  expect({ ours, known: isKnownLabel(lattice, ours), equal }).toEqual({ ours, known: true, equal: true });
}

describe("the lattice of labels", () => {
  it("has a join that is associative, commutative and idempotent, unknown names or not", () => {
    fc.assert(
      fc.property(anyThree, ({ lattice, a, b, c }) => {
        const or = (left: Label, right: Label): Label => join(lattice, left, right);
        expect(sameLabel(or(a, or(b, c)), or(or(a, b), c))).toBe(true);
        expect(sameLabel(or(a, b), or(b, a))).toBe(true);
        expect(sameLabel(or(a, a), parseLabel(lattice, a))).toBe(true);
      }),
      MANY,
    );
  });

  it("is an order in which the join is the least label above both", () => {
    fc.assert(
      fc.property(anyKnownThree, ({ lattice, a, b, c }) => {
        const le = (left: Label, right: Label): boolean => flowsTo(lattice, left, right);
        expect(le(a, a)).toBe(true);
        expect(le(a, b) && le(b, a)).toBe(sameLabel(a, b));
        expect(le(a, b) && le(b, c) && !le(a, c)).toBe(false);
        const both = join(lattice, a, b);
        expect(le(a, both) && le(b, both)).toBe(true);
        expect(le(both, c)).toBe(le(a, c) && le(b, c));
      }),
      MANY,
    );
  });

  it("has a bottom below and a top above everything, and nothing but the top reaches where the top goes", () => {
    fc.assert(
      fc.property(anyThree, ({ lattice, a, b }) => {
        expect(flowsTo(lattice, bottomLabel(lattice), parseLabel(lattice, a))).toBe(true);
        expect(flowsTo(lattice, parseLabel(lattice, a), topLabel(lattice))).toBe(true);
        if (flowsTo(lattice, topLabel(lattice), b))
          expect(flowsTo(lattice, parseLabel(lattice, a), b)).toBe(true);
      }),
      MANY,
    );
  });
});

describe("labels against the reference", () => {
  it("flow and join alike", () => {
    fc.assert(
      fc.property(anyThree, ({ lattice, a, b }) => {
        const clearance = reference.clearanceOf(lattice, b);
        const flows = clearance !== null && reference.flowsTo(reference.labelOf(lattice, a), clearance);
        // Where the label holds an unknown name, the code may be stricter than "it is the top", never laxer.
        if (isKnownLabel(lattice, a) || !flows) expect(flowsTo(lattice, a, b)).toBe(flows);
        expectSame(
          lattice,
          join(lattice, a, b),
          reference.join(reference.labelOf(lattice, a), reference.labelOf(lattice, b)),
        );
      }),
      MANY,
    );
  });

  it("are read alike from declarations and from stores", () => {
    fc.assert(
      fc.property(
        anyLattice,
        anyLabelDeclarationIn,
        anySinkIn,
        anyStoredLabelIn,
        (lattice, source, sink, stored) => {
          const label = join(lattice, bottomLabel(lattice), toSource(lattice, source(lattice)));
          expectSame(lattice, label, reference.sourceOf(lattice, source(lattice)));
          const held = stored(lattice);
          expectSame(lattice, parseLabel(lattice, held), reference.labelOf(lattice, held));
          const clearance = reference.clearanceOf(lattice, sink(lattice));
          const flows = clearance !== null && reference.flowsTo(reference.labelOf(lattice, held), clearance);
          expect(flowsTo(lattice, parseLabel(lattice, held), toClearance(lattice, sink(lattice)))).toBe(
            flows,
          );
        },
      ),
      MANY,
    );
  });

  it("have the same ends", () => {
    fc.assert(
      fc.property(anyLattice, (lattice) => {
        expectSame(lattice, bottomLabel(lattice), reference.bottom(lattice));
        expectSame(lattice, topLabel(lattice), reference.top(lattice));
        expectSame(
          lattice,
          lowestClearance(lattice),
          reference.sourceOf(lattice, { trust: `${lattice.trust[0]}` }),
        );
      }),
    );
  });
});
