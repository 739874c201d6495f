import { expect, it } from "vitest";
import { ownedBy } from "../../threads/owner.test-kit.ts";
import { OpenBodies } from "./open-bodies.ts";

const MAX_BYTES = 1000;
const ofLength = (bytes: number) => new Headers({ "content-length": `${bytes}` });

it("leaves room to other principals and sessions, and takes back what is answered (D5-queue)", () => {
  const bodies = new OpenBodies(MAX_BYTES);
  const fill = (labelHolder: string): readonly (() => void)[] => {
    const open: (() => void)[] = [];
    try {
      for (;;) open.push(bodies.begin(ownedBy(labelHolder, "ada"), ofLength(MAX_BYTES)));
    } catch (error) {
      expect(error).toMatchObject({ code: "limit-reached", message: "Too much is being asked at once." });
      return open;
    }
  };
  const [one = [], ...others] = ["1", "2", "3", "4", "5"].map(fill);
  expect([one, ...others].map(({ length }) => length)).toEqual([9, 9, 9, 2, 0]);
  bodies.begin(ownedBy("bob"), ofLength(MAX_BYTES))();
  for (const end of one) end();
  expect(fill("5")).toHaveLength(9);
});

it("counts a body of unknown length as the longest, and none where there is none", () => {
  const bodies = new OpenBodies(MAX_BYTES);
  const chunked = new Headers({ "transfer-encoding": "chunked" });
  for (let at = 0; at < 9; at += 1) bodies.begin(ownedBy("ada"), chunked);
  expect(() => bodies.begin(ownedBy("ada"), chunked)).toThrow("Too much");
  bodies.begin(ownedBy("ada"), new Headers());
});
