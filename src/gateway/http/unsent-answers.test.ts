import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { UnsentAnswers } from "./unsent-answers.ts";

const text = "x".repeat(100_000);
/** Until answers of this text are written. */
const written = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn += 1) await nextTurn();
};
const of = (labelHolder: string, principal: string | null = null) => ({ labelHolder, principal });

it("keeps what waits for readers within its bounds, and cuts those of the largest holder that took least", async () => {
  const answers = new UnsentAnswers({ maxBytes: 230_000 });
  const first = await answers.answer(text, {}, of("flood"));
  const second = await answers.answer(text, {}, of("flood"));
  const victim = await answers.answer(text, {}, of("victim"));
  await written();
  const reader = first.body?.getReader();
  await reader?.read();
  await reader?.read();
  const third = await answers.answer(text, {}, of("flood"));
  await written();
  await expect(second.text()).rejects.toThrow("too slow");
  expect((await third.text()).length).toBe(text.length + 2);
  expect((await victim.text()).length).toBe(text.length + 2);
  await reader?.cancel();
  expect([answers.of("flood"), answers.of("victim")]).toEqual([0, 0]);
});

it("has a bound over all holders, for which the largest pays", async () => {
  const answers = new UnsentAnswers({ maxBytes: 250_000 });
  const disconnected: string[] = [];
  const give = (labelHolder: string) =>
    answers.answer(text, {}, { ...of(labelHolder), disconnect: () => disconnected.push(labelHolder) });
  give("a");
  for (const labelHolder of ["b", "b", "c", "c", "d", "d", "e", "e", "f", "g"]) give(labelHolder);
  await written();
  expect(disconnected).not.toEqual([]);
  expect(disconnected).not.toContain("a");
  expect(disconnected).not.toContain("f");
});

it("has a length for a client that needs one", async () => {
  const answers = new UnsentAnswers({ maxBytes: 1_000_000 });
  const answer = await answers.answer(text, {}, { ...of("a"), needsLength: true });
  expect(answer.headers.get("content-length")).toBe(`${text.length + 2}`);
  expect(await answer.json()).toBe(text);
});

it("lets the label holder with most of a principal pay, and no other of its sessions", async () => {
  const answers = new UnsentAnswers({ maxBytes: 250_000 });
  const small = await answers.answer(text, {}, of("small", "ada"));
  for (let at = 0; at < 5; at += 1)
    for (let count = 0; count < 2; count += 1) void answers.answer(text, {}, of(`large ${at}`, "ada"));
  await written();
  expect((await small.text()).length).toBe(text.length + 2);
});

it("lets the principal with most pay, however many sessions it has", async () => {
  const answers = new UnsentAnswers({ maxBytes: 250_000 });
  const victim = await answers.answer("x".repeat(200_000), {}, of("bob's", "bob"));
  for (let at = 0; at < 20; at += 1) answers.answer(text, {}, of(`ada's ${at}`, "ada"));
  await written();
  expect((await victim.text()).length).toBe(200_002);
});

it("cuts a reader that takes nothing for too long, and leaves one alone that has taken all there is", async () => {
  const cut = Promise.withResolvers<void>();
  const answers = new UnsentAnswers({ maxBytes: 1_000_000, stallMs: 20 });
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const source = new ReadableStream<Uint8Array>({
    start: (own) => {
      controller = own;
    },
  });
  const stream = new Response(source, { headers: { "content-type": "text/event-stream" } });
  const live = await answers.guard(stream, of("a"));
  const reader = live.body?.getReader();
  controller?.enqueue(new Uint8Array(10));
  expect((await reader?.read())?.value).toHaveLength(10);
  const next = reader?.read();
  answers.answer(text, {}, { ...of("a"), disconnect: cut.resolve });
  await cut.promise;
  controller?.enqueue(new Uint8Array(7));
  expect((await next)?.value).toHaveLength(7);
});

it("writes a long answer in turns, and stops when it is cut", async () => {
  const long = ["\u0001".repeat(4_000_000), "é".repeat(1_000_000), { rows: Array(50_000).fill({ id: 1 }) }];
  const answers = new UnsentAnswers({ maxBytes: 100_000_000 });
  let turns = 0;
  const counter = setInterval(() => {
    turns += 1;
  }, 0);
  const chunks = await Array.fromAsync((await answers.answer(long, {}, of("a"))).body ?? []);
  clearInterval(counter);
  expect(Buffer.concat(chunks).toString() === JSON.stringify(long)).toBe(true);
  // A turn writes 16 pieces of 64 KiB at most, and a timer runs once in a turn.
  expect(turns).toBeGreaterThan(15);
  expect(answers.of("a")).toBe(0);
  const small = new UnsentAnswers({ maxBytes: 1_000_000 });
  const cut = await small.answer(long, {}, of("a"));
  await expect(cut.text().then(({ length }) => length)).rejects.toThrow("too slow");
  expect(small.of("a")).toBe(0);
});
