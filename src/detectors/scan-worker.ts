/** The thread that looks through texts: it can be ended in the middle of one. Started by `scanner.ts`, never imported. */
import { parentPort } from "node:worker_threads";
import { findAll, type Hit } from "./pattern.ts";
import { PERSONAL_DATA } from "./personal-data/index.ts";
import { findSecrets } from "./secrets.ts";

/** A text to look through, and for what. */
export interface ScanRequest {
  readonly text: string;
  readonly secrets: boolean;
  readonly personalData: boolean;
}

export type ScanReply = { readonly hits: readonly Hit[] } | { readonly failed: true };

async function scan({ text, secrets, personalData }: ScanRequest): Promise<readonly Hit[]> {
  return [
    ...(secrets ? await findSecrets(text) : []),
    ...(personalData ? PERSONAL_DATA.flatMap((pattern) => findAll(text, pattern)) : []),
  ];
}

parentPort?.on("message", (request: ScanRequest) => {
  const answer = (reply: ScanReply): void => parentPort?.postMessage(reply);
  scan(request).then(
    (hits) => answer({ hits }),
    () => answer({ failed: true }),
  );
});
parentPort?.postMessage("ready");
