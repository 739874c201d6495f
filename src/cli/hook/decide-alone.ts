/** A hook that decides by itself, where no gateway runs on the store: it opens the store for one decision. */

import { assertStoreNotLost, readSecrets } from "../../gateway/state/secrets.ts";
import { answerEvent } from "../../hooks/claude-code/answer-event.ts";
import type { HookSettings } from "../../hooks/claude-code/hook-settings.ts";
import { loadConfig } from "../../policy-file/index.ts";
import { systemRandom } from "../../runtime/index.ts";
import { openSqliteStore } from "../../stores/sqlite/sqlite.ts";
import { openDetectors } from "../wiring/open-connectors.ts";
import { openHooks } from "../wiring/open-hooks.ts";
import { makeStateFolder } from "../wiring/state-folder.ts";

/** The answer to an event, as JSON. Never rejects. */
export async function decideAlone(settings: HookSettings, text: string): Promise<string> {
  const ending: (() => void | Promise<void>)[] = [];
  try {
    return await answerEvent(text, settings, async () => {
      // Variables are for servers, which the gateway's environment has and the agent's may not: none is started here.
      const config = await loadConfig(settings.config, { unset: "unset" });
      makeStateFolder(settings.store);
      assertStoreNotLost(settings.store);
      const store = openSqliteStore(settings.store);
      ending.push(() => store.close());
      const { key } = readSecrets({
        storeFile: settings.store,
        token: process.env.SLUICEGATE_TOKEN,
        random: systemRandom,
      });
      const detectors = await openDetectors(config);
      ending.unshift(() => detectors?.close());
      const hooks = await openHooks(config, {
        ...(detectors && { inspect: detectors.inspect }),
        store,
        storeFile: settings.store,
        key,
        onFault: () => {},
      });
      ending.unshift(() => hooks.close());
      return hooks;
    });
  } finally {
    for (const end of ending) await Promise.resolve(end()).catch(() => {});
  }
}
