/** SDKs that take whole results: a tool that streams collects its chunks itself. */
export async function collect(given: unknown): Promise<string> {
  const result = await given;
  if (typeof result !== "object" || result === null || !(Symbol.asyncIterator in result))
    return String(result);
  const chunks: unknown[] = [];
  for await (const chunk of result as AsyncIterable<unknown>) chunks.push(chunk);
  return chunks.join(", ");
}
