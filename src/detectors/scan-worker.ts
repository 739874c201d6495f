/** The thread that looks through texts: it can be ended in the middle of one. Started by `scanner.ts`, never imported. */
import { parentPort } from "node:worker_threads";
import type { Hit } from "./pattern.ts";
import { type ScanRequest, scanText } from "./scan-text.ts";

export type ScanReply = { readonly hits: readonly Hit[] } | { readonly failed: true };

parentPort?.on("message", (request: ScanRequest) => {
  const answer = (reply: ScanReply): void => parentPort?.postMessage(reply);
  scanText(request).then(
    (hits) => answer({ hits }),
    () => answer({ failed: true }),
  );
});
parentPort?.postMessage("ready");
