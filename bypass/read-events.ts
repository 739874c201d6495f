/** JSON-RPC messages of a response as they come: one document, or server-sent events. */
import type { Json } from "./wire.ts";

export async function* readEvents(
  response: Response,
  isStream: boolean,
  onText: (text: string) => void,
): AsyncGenerator<Json> {
  if (response.body === null) return;
  let rest = "";
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    onText(text);
    rest += text;
    if (!isStream) continue;
    const events = rest.split(/\r?\n\r?\n/);
    rest = events.pop() ?? "";
    for (const event of events) yield* toMessages(dataOf(event));
  }
  yield* toMessages(isStream ? dataOf(rest) : rest);
}

const dataOf = (event: string): string =>
  event
    .split(/\r?\n/)
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice(5))
    .join("\n");

function toMessages(text: string): readonly Json[] {
  try {
    const value: unknown = JSON.parse(text);
    return (Array.isArray(value) ? value : [value]).filter(isObject);
  } catch {
    return [];
  }
}

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null;
