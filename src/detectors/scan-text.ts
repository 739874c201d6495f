/** All that is looked for in a text. */
import { unescapeLines } from "./json-escapes.ts";
import { findAll, type Hit } from "./pattern.ts";
import { PERSONAL_DATA } from "./personal-data/index.ts";
import { findSecrets } from "./secrets.ts";

/** A text to look through, and for what. */
export interface ScanRequest {
  readonly text: string;
  readonly secrets: boolean;
  readonly personalData: boolean;
}

/** What stands in a text, as it is or behind escapes of JSON. */
export async function scanText(request: ScanRequest): Promise<readonly Hit[]> {
  const hits = await scanAsIs(request);
  const lines = unescapeLines(request.text);
  if (lines === null) return hits;
  const unescaped = await scanAsIs({ ...request, text: lines.text });
  return [
    ...hits,
    ...unescaped.map(({ kind, start, end }) => ({
      kind,
      start: lines.toOriginal(start),
      end: lines.toOriginal(end),
    })),
  ];
}

async function scanAsIs({ text, secrets, personalData }: ScanRequest): Promise<readonly Hit[]> {
  return [
    ...(secrets ? await findSecrets(text) : []),
    ...(personalData ? PERSONAL_DATA.flatMap((pattern) => findAll(text, pattern)) : []),
  ];
}
