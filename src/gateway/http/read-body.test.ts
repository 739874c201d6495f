import { expect, it } from "vitest";
import { readJsonBody } from "./read-body.ts";

const read = (headers: Record<string, string>): Promise<unknown> =>
  readJsonBody(new Request("http://localhost/", { method: "POST", headers, body: '{"a":1}' }), {
    maxBytes: 1000,
    owner: { labelHolder: "one", principal: null },
  }).catch(({ code }: { code: string }) => code);

it.each([
  "application/json",
  "Application/JSON ; charset=UTF-8",
  'application/json; charset="utf-8"',
  "application/json;charset=utf8",
  "application/json; profile=x",
])("reads a body that is declared as %s", async (type) => {
  expect(await read({ "content-type": type })).toEqual({ a: 1 });
  expect(await read({ "content-type": type, "content-encoding": "identity" })).toEqual({ a: 1 });
});

it.each([
  [{ "content-type": "application/json; charset=utf-16" }],
  [{ "content-type": "application/json; charset=utf-8; charset=utf-7" }],
  [{ "content-type": 'application/json; charset="shift_jis"' }],
  [{ "content-type": "application/json", "content-encoding": "gzip" }],
  [{ "content-type": "application/json", "content-encoding": "identity, br" }],
  [{ "content-type": "text/plain" }],
])("refuses a body that another reader would read otherwise: %j", async (headers) => {
  expect(await read(headers)).toBe("unsupported-media-type");
});

it("takes a body in many chunks, and in short ones only so many of them (D5-queue)", async () => {
  const inChunks = (length: number, count: number): Promise<unknown> => {
    const text = JSON.stringify("x".repeat(length * count - 2));
    const chunks = Array.from({ length: count }, (_, at) => text.slice(at * length, (at + 1) * length));
    const body = ReadableStream.from(chunks).pipeThrough(new TextEncoderStream());
    const headers = { "content-type": "application/json" };
    const request = new Request("http://localhost/", { method: "POST", headers, body, duplex: "half" });
    return readJsonBody(request, { maxBytes: 1e6, owner: { labelHolder: "one", principal: null } });
  };
  expect(await inChunks(1, 1000)).toHaveLength(998);
  expect(await inChunks(64, 2000)).toHaveLength(127_998);
  await expect(inChunks(1, 1001)).rejects.toMatchObject({ code: "invalid-request" });
});

it("parses large bodies that end together in turns of the event loop (D5-queue)", async () => {
  const body = JSON.stringify({
    values: Array.from({ length: 40_000 }, (_, at) => `value ${at} of the table`),
  });
  const headers = { "content-type": "application/json", "content-length": `${body.length}` };
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  const bodies = Array.from(
    { length: 30 },
    () => new Request("http://localhost/", { method: "POST", headers, body }),
  );
  // All are read before the first is parsed.
  await Promise.all(bodies.map((one) => one.clone().arrayBuffer()));
  setImmediate(count);
  const owner = { labelHolder: "one", principal: null };
  await Promise.all(bodies.map((one) => readJsonBody(one, { maxBytes: 10_000_000, owner })));
  isOver = true;
  expect(turns).toBeGreaterThan(10);
});
