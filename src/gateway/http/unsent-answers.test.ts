import { expect, it } from "vitest";
import { UnsentAnswers } from "./unsent-answers.ts";

const text = "x".repeat(100_000);

it("keeps what waits for readers within its bounds, and cuts those of the largest holder that took least", async () => {
  const answers = new UnsentAnswers({ maxBytes: 230_000 });
  const first = answers.answer(text, {}, { labelHolder: "flood" });
  const second = answers.answer(text, {}, { labelHolder: "flood" });
  const victim = answers.answer(text, {}, { labelHolder: "victim" });
  const reader = first.body?.getReader();
  await reader?.read();
  await reader?.read();
  const third = answers.answer(text, {}, { labelHolder: "flood" });
  await expect(second.text()).rejects.toThrow("too slow");
  expect((await third.text()).length).toBe(text.length);
  expect((await victim.text()).length).toBe(text.length);
  await reader?.cancel();
  expect([answers.of("flood"), answers.of("victim")]).toEqual([0, 0]);
});

it("has a bound over all holders, for which the largest pays", async () => {
  const answers = new UnsentAnswers({ maxBytes: 250_000 });
  const disconnected: string[] = [];
  const give = (labelHolder: string) =>
    answers.answer(text, {}, { labelHolder, disconnect: () => disconnected.push(labelHolder) });
  give("a");
  for (const labelHolder of ["b", "b", "c", "c", "d", "d", "e", "e", "f", "g"]) give(labelHolder);
  expect(disconnected).not.toEqual([]);
  expect(disconnected).not.toContain("a");
  expect(disconnected).not.toContain("f");
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
  const live = await answers.guard(stream, { labelHolder: "a" });
  const reader = live.body?.getReader();
  controller?.enqueue(new Uint8Array(10));
  expect((await reader?.read())?.value).toHaveLength(10);
  const next = reader?.read();
  answers.answer(text, {}, { labelHolder: "a", disconnect: cut.resolve });
  await cut.promise;
  controller?.enqueue(new Uint8Array(7));
  expect((await next)?.value).toHaveLength(7);
});
