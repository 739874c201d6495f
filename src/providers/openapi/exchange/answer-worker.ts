/** The thread that parses an API's large answers. Started by `answer-reader.ts`, never imported. */
import { parentPort } from "node:worker_threads";
import type { ToolResult } from "../../../runtime/index.ts";
import type { ApiResponse } from "./send-request.ts";
import { type AnswerRules, toResult } from "./to-result.ts";

export interface AnswerRequest {
  readonly response: Omit<ApiResponse, "body"> & { readonly body: Uint8Array };
  readonly rules: AnswerRules;
}

parentPort?.on("message", ({ response, rules }: AnswerRequest) => {
  const { buffer, byteOffset, byteLength } = response.body;
  const body = Buffer.from(buffer, byteOffset, byteLength);
  const result: ToolResult = toResult({ ...response, body }, rules);
  parentPort?.postMessage(result);
});
parentPort?.postMessage("ready");
