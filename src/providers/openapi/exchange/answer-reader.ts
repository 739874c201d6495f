/** Turns an API's answers into results: large ones in a thread, one at a time and in turns, so that they delay nobody else. */
import type { ToolResult } from "../../../runtime/index.ts";
import { FairPlaces, startThread, type Thread } from "../../../threads/index.ts";
import type { AnswerRequest } from "./answer-worker.ts";
import { notRead, tooManyWaiting } from "./exchange-failure.ts";
import type { ApiResponse } from "./send-request.ts";
import { type AnswerRules, toResult } from "./to-result.ts";

interface AnswerReader {
  /** @throws SluicegateError `result-too-large`, `limit-reached` */
  read(response: ApiResponse, rules: AnswerRules): Promise<ToolResult>;
  close(): Promise<void>;
}

/** A shorter body is parsed at once, which takes a few milliseconds at most. */
const LARGE_BYTES = 64 * 1024;
const READ_MS = 10_000;
/** Answers for one label holder that may wait. */
const MAX_WAITING = 64;

// In the compiled package it is beside this file, too.
const PROGRAM = new URL(`./answer-worker${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url);

export function createAnswerReader(): AnswerReader {
  let thread: Thread<AnswerRequest, ToolResult> | null = null;
  const places = new FairPlaces({ places: 1, maxWaiting: MAX_WAITING, tooMany: tooManyWaiting });
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
      return places.run(() => readNow({ response, rules }), { length: response.body.length });
    },
    close: async () => {
      isClosed = true;
      await thread?.end();
    },
  };
}
