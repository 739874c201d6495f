/** The program of the thread that writes a store. It is asked by messages, and answers each once it is durable. */
import { parentPort, workerData } from "node:worker_threads";
import { toStoreError } from "../store-errors.ts";
import { BLOCKING_MS } from "./busy.ts";
import { openDatabase } from "./sqlite-file.ts";
import { createSqliteWriter } from "./sqlite-writer.ts";
import type { WriterReply, WriterRequest, WriterStart } from "./threaded-writer.ts";

const { file, patienceMs }: WriterStart = workerData;
const database = openDatabase(file, { mustExist: true, busyTimeoutMs: Math.min(patienceMs, BLOCKING_MS) });
const writer = createSqliteWriter(file, database, patienceMs);

const run = (request: WriterRequest): Promise<unknown> => {
  switch (request.method) {
    case "append":
      return writer.append(...request.args);
    case "stick":
      return writer.stick(...request.args);
    case "prune":
      return writer.prune(...request.args);
    case "close":
      return writer.close().then(() => database.close());
  }
};

async function answer(request: WriterRequest): Promise<WriterReply> {
  const { id } = request;
  try {
    return { id, value: await run(request) };
  } catch (cause) {
    const { code, message, why, fix, details } = toStoreError(cause, "write");
    return { id, error: { code, message, why, fix, details } };
  }
}

const replies: WriterReply[] = [];

const post = (): void => parentPort?.postMessage(replies.splice(0));

parentPort?.on("message", (requests: readonly WriterRequest[]) => {
  for (const request of requests)
    void answer(request).then((reply) => {
      // All answers to one commit go together.
      if (replies.push(reply) === 1) process.nextTick(post);
    });
});
