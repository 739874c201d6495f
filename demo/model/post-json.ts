/** One request to a model's API. */
import { ModelError } from "./model.ts";

const TIMEOUT_MS = 120_000;

/** Posts JSON and gives the JSON that comes back. Throws ModelError. */
export async function postJson(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: unknown,
): Promise<unknown> {
  const reply = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((cause: unknown) => {
    throw new ModelError(
      `Its API could not be reached (${cause instanceof Error ? cause.name : "no reason"}).`,
    );
  });
  if (!reply.ok) throw new ModelError(`Its API answered ${reply.status}.`);
  return reply.json().catch(() => {
    throw new ModelError("Its API answered with something that is no JSON.");
  });
}

/** An answer of another shape than the API's. */
export const otherShape = (): ModelError =>
  new ModelError("Its API answered in a shape that isn't known here.");
