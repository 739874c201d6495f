import { expect, it } from "vitest";
import { ownedBy } from "../../threads/owner.test-kit.ts";
import { countChunk, OpenBodies } from "./open-bodies.ts";

const MAX_BYTES = 1000;
const ofLength = (bytes: number) => new Request("http://a", { headers: { "content-length": `${bytes}` } });

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

it("counts a chunked body as it comes, so that many short ones fit", () => {
  const bodies = new OpenBodies(MAX_BYTES);
  const short = Array.from({ length: 100 }, () => new Request("http://a"));
  for (const request of short) {
    bodies.begin(ownedBy("ada"), request);
    countChunk(request, 80);
  }
  const last = new Request("http://a");
  const end = bodies.begin(ownedBy("ada"), last);
  countChunk(last, 1000);
  expect(() => countChunk(last, 1)).toThrow("Too much");
  end();
  countChunk(last, 1000);
  bodies.begin(ownedBy("ada"), ofLength(1));
});
