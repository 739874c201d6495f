import { expect, it } from "vitest";
import { toEnd } from "../../json/parse-json.ts";
import { orderByTurns } from "./approval-order.ts";

const nobody = { isHeld: () => false, isGone: () => false };

const ask = (id: string, session: string, principal?: string) => ({
  ...{ id, session, at: "", expiresAt: "", policy: "" },
  ...(principal && { principal }),
});

const order = (...asked: ReturnType<typeof ask>[]): string =>
  toEnd(orderByTurns(asked, nobody))
    .map(({ id }) => id)
    .join(" ");

it("shows the first of each principal before the second of any, however many sessions one has (D5-queue)", () => {
  const flood = Array.from({ length: 600 }, (_, at) => ask(`ada-${at}`, `session-${at}`, "ada"));
  const last = [ask("bob-1", "of-bob", "bob"), ask("bob-2", "of-bob", "bob"), ask("old", "of-none")];
  expect(
    order(...flood, ...last)
      .split(" ")
      .slice(0, 6),
  ).toEqual([...["ada-0", "bob-1", "old", "ada-1", "bob-2", "ada-2"]]);
});

it("lets the label holders of a principal take turns (D5-queue)", () => {
  const asked = [ask("a1", "a", "ada"), ask("a2", "a", "ada"), ask("a3", "a", "ada"), ask("b1", "b", "ada")];
  expect(order(...asked)).toBe("a1 b1 a2 a3");
});
