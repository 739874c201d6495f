import { describe, expect, it } from "vitest";
import { describeClearances, describeSource } from "./describe-labels.ts";

const LATTICE = { levels: ["public", "internal"], trust: ["untrusted", "trusted"] };
const label = (level: string, trust: string, ...categories: string[]) => ({ level, categories, trust });

describe("labels in words", () => {
  it("say of data its level, its categories, and its trust where that is lowered", () => {
    expect(describeSource(label("internal", "untrusted"), LATTICE)).toBe("internal, untrusted");
    expect(describeSource(label("internal", "trusted", "hr"), LATTICE)).toBe("internal, hr");
    expect(describeSource(label("*", "untrusted", "*"), LATTICE)).toBe(
      "above all levels, every category, untrusted",
    );
  });

  it("say of a sink what it may receive at most, and the trust that it demands", () => {
    expect(describeClearances([label("public", "untrusted")], LATTICE)).toBe("public at most");
    expect(describeClearances([label("internal", "trusted", "hr")], LATTICE)).toBe(
      "internal at most, hr, only trusted",
    );
    expect(
      describeClearances([label("public", "untrusted"), label("internal", "untrusted", "hr")], LATTICE),
    ).toBe("public at most; or internal at most, hr");
  });

  it("say where a sink receives everything, and where nothing", () => {
    expect(describeClearances([label("*", "untrusted", "*")], LATTICE)).toBe("anything");
    expect(describeClearances([], LATTICE)).toBe("nothing at all");
  });
});
