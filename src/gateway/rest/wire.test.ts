import { expect, it } from "vitest";
import { fromWirePlan } from "./wire.ts";

it("checks a plan with its arguments as far as they go, and the steps after that as if they gave none (D5-queue)", () => {
  const step = (length: number) => ({ tool: "pay", arguments: { text: "x".repeat(length) } });
  const planned = fromWirePlan([step(30_000), step(30_000), "read_mail", step(30_000), step(1)]);
  expect(planned.map((one) => typeof one !== "string" && "arguments" in one)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});
