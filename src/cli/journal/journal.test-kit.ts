/** For the tests of the journal's commands: a real store with a record in it. */
import { definePolicy } from "../../core/index.ts";
import { createGate } from "../../runtime/index.ts";
import { openSqliteStore } from "../../stores/index.ts";
import { createFolder, createStateStore, type Folder } from "../cli.test-kit.ts";

/** A tool name that tries to change what a terminal shows. */
export const HOSTILE = "evil\u001b[2K\u202etxt\nwhole";

const POLICY = definePolicy({
  tools: {
    search_email: { permissions: ["read"], source: { level: "internal", trust: "untrusted" } },
    web_search: { permissions: ["connect"], sink: [{ level: "public" }] },
    wire_transfer: { permissions: ["write"], approval: "always" },
  },
  roles: { analyst: { tools: ["search_email", "web_search"] } },
});

/** A folder with a store of two sessions; gives the id of the one that was used. */
export async function createRecord(calls: readonly string[]): Promise<Folder & { readonly session: string }> {
  const folder = createFolder();
  const gate = createGate({ policy: POLICY, store: openSqliteStore(createStateStore(folder.path)) });
  const session = await gate.open({ principal: "ada\u202e" });
  await session.decide(calls.map((tool) => ({ tool })));
  await gate.open({ principal: "bob", role: "analyst" });
  await gate.close();
  return { ...folder, session: session.id };
}

/** One call that is admitted, two that are refused, one that waits. */
export const CALLS = ["search_email", "web_search", "wire_transfer", HOSTILE];
