/** Makes results of an API's answers: large ones in a thread, one after the other, so that nobody else waits for them. */
import type { ToolResult } from "../../../runtime/index.ts";
import { startThread, type Thread } from "../../../threads/index.ts";
import type { AnswerRequest } from "./answer-worker.ts";
import { notRead, tooManyWaiting } from "./exchange-failure.ts";
import type { ApiResponse } from "./send-request.ts";
import { type AnswerRules, toResult } from "./to-result.ts";

export interface AnswerReader {
  /** @throws SluicegateError `result-too-large`, `limit-reached` */
  read(response: ApiResponse, rules: AnswerRules): Promise<ToolResult>;
  close(): Promise<void>;
}

/** A shorter body is read at once, which takes a few milliseconds at worst. */
const LARGE_BYTES = 64 * 1024;
const READ_MS = 10_000;
/** How many answers may wait, the one that is being read included. */
const MAX_WAITING = 64;

// The compiled package has it beside this file too, in its own bundle as well.
const PROGRAM = new URL(`./answer-worker${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url);

export function createAnswerReader(): AnswerReader {
  let thread: Thread<AnswerRequest, ToolResult> | null = null;
  let turn: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let isClosed = false;

  const readNow = async (request: AnswerRequest): Promise<ToolResult> => {
    if (isClosed) throw notRead();
    if (thread === null || thread.isOver) thread = startThread(PROGRAM);
    const result = await thread.ask(request, READ_MS);
    if (result === null) throw notRead();
    return result;
  };

  return {
    read: async (response, rules) => {
      if (response.body.length <= LARGE_BYTES) return toResult(response, rules);
      if (waiting >= MAX_WAITING) throw tooManyWaiting();
      waiting += 1;
      const result = turn.then(() => readNow({ response, rules }));
      turn = result.catch(() => {});
      return await result.finally(() => {
        waiting -= 1;
      });
    },
    close: async () => {
      isClosed = true;
      await thread?.end();
    },
  };
}
