import { expect, it } from "vitest";
import { createGate, createMemoryStore, definePolicy } from "../../../index.ts";
import { DEFAULT_LIMITS } from "../../limits.ts";
import { META_TOOLS, PLAN_TOOL } from "./meta-tools.ts";

const policy = definePolicy({
  tools: {
    read_mail: { permissions: ["read"], source: { level: "internal" } },
    read_vault: { permissions: ["read"], source: { level: "secret" } },
    web: { permissions: ["connect"], sink: [{ level: "public" }] },
    intranet: { permissions: ["connect"], sink: [{ level: "internal" }] },
  },
});

it.each([
  true,
  false,
])("names what a plan blocks beyond what another process blocked meanwhile (C8), ask: %s", async (ask) => {
  const store = createMemoryStore();
  const key = new Uint8Array(32).fill(7);
  const [here, there] = [0, 1].map(() => createGate({ policy, store, digestKey: key }));
  const session = await here?.open({ principal: "ada" });
  const sameSession = await there?.session(session?.id ?? "");
  if (!session || !sameSession) throw new Error("no session");
  const checked = META_TOOLS.find(({ name }) => name === PLAN_TOOL)?.run(
    session,
    { planned_calls: ["read_vault"], ask },
    DEFAULT_LIMITS,
  );
  await sameSession.call({ tool: "read_mail" }, () => "mail");
  if (!ask) await session.refresh();
  expect((await checked)?.structuredContent).toMatchObject({ steps: [{ shut: ["intranet"] }] });
});
