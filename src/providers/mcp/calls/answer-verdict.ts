/**
 * The gateway's verdict about an answer that can't be used. It is the `data` of a JSON-RPC error, and is recognised
 * by object identity, so that no server can forge it.
 */
import { ProtocolError } from "@modelcontextprotocol/client";

export type AnswerVerdict = "too-large" | "too-deep" | "malformed" | "broken-off";

const VERDICTS: Readonly<Record<AnswerVerdict, object>> = Object.freeze({
  "too-large": Object.freeze({}),
  "too-deep": Object.freeze({}),
  malformed: Object.freeze({}),
  "broken-off": Object.freeze({}),
});

const INTERNAL_ERROR = -32603;

export const toVerdictError = (verdict: AnswerVerdict): { code: number; message: string; data: object } => ({
  code: INTERNAL_ERROR,
  message: verdict,
  data: VERDICTS[verdict],
});

/** The gateway's verdict in an error of the SDK; null if the server itself returned the error. */
export function verdictOf(error: unknown): AnswerVerdict | null {
  if (!ProtocolError.isInstance(error)) return null;
  const { data } = error;
  if (data === VERDICTS["too-large"]) return "too-large";
  if (data === VERDICTS["too-deep"]) return "too-deep";
  if (data === VERDICTS.malformed) return "malformed";
  return data === VERDICTS["broken-off"] ? "broken-off" : null;
}
