/**
 * What the gateway itself says about an answer that can't be used. It stands as the `data` of a JSON-RPC error and is
 * told by its identity, so that no server can say it.
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

/** The gateway's verdict behind an error of the SDK; null where the server itself answered with an error. */
export function verdictOf(error: unknown): AnswerVerdict | null {
  if (!ProtocolError.isInstance(error)) return null;
  const { data } = error;
  if (data === VERDICTS["too-large"]) return "too-large";
  if (data === VERDICTS["too-deep"]) return "too-deep";
  if (data === VERDICTS.malformed) return "malformed";
  return data === VERDICTS["broken-off"] ? "broken-off" : null;
}
