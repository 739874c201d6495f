import { afterEach, expect, it } from "vitest";
import { createSignInArena, type SignInArena } from "../../../../test/fixtures/sign-in-arena.ts";
import type { ToolProvider } from "../../../runtime/index.ts";
import { createManualSchedule, failureOf, textOf, until } from "../upstream.test-kit.ts";
import type { UpstreamOptions } from "../upstream.ts";
import { connectServer } from "./connect-server.ts";

let arena: SignInArena | undefined;
let server: ToolProvider | undefined;
afterEach(async () => {
  await server?.close();
  await arena?.close();
});

async function start(
  principals: readonly string[],
  given: Parameters<typeof createSignInArena>[1] = {},
  options: UpstreamOptions = {},
) {
  const at = await createSignInArena({}, given);
  arena = at;
  for (const principal of principals) await at.signIn(principal);
  const transport = { kind: "http", url: at.server.url, headers: {} } as const;
  const web = connectServer({ id: "web", transport }, at.signIns, options);
  server = web;
  await web.settled;
  return { at, web };
}

const whoami = async (web: ToolProvider, principal: string) =>
  textOf(await web.run("whoami", {}, { principal }));

it("is down until somebody signs in, and again once all have signed out (X21)", async () => {
  const { at, web } = await start([]);
  expect([web.status, web.problem]).toEqual([
    "down",
    "nobody has signed in to it (`sluicegate sign-in web`)",
  ]);
  await at.signIn("ada");
  await until(web, () => web.status === "ready");
  expect([...web.tools.keys()]).toContain("whoami");
  expect(await whoami(web, "ada")).toBe("ada");
  await at.signIn("ben");
  await at.signIns.signOut("ada");
  await until(web, () => web.status === "ready");
  expect(await whoami(web, "ben")).toBe("ben");
  await at.signIns.signOut("ben");
  await until(web, () => web.status === "down");
});

it("runs no call of somebody who has not signed in, or of nobody (X21)", async () => {
  const { at, web } = await start(["ada"]);
  const before = at.server.seen.length;
  for (const exchange of [{ principal: "ben" }, { principal: "" }, {}])
    expect(await failureOf(web.run("whoami", {}, exchange))).toMatchObject({ code: "upstream-unavailable" });
  expect(at.server.seen).toHaveLength(before);
});

it("offers no resources and prompts, which would be one principal's (X21)", async () => {
  const { web } = await start(["ada"]);
  expect(web.offers).toBeUndefined();
});

it("runs no tool that a principal's own connection describes otherwise than to all (X21)", async () => {
  const describe = (account: string): string => `For ${account === "eve" ? "eve alone" : "all"}.`;
  const { web } = await start(["ada", "ben", "eve"], { server: { describe } });
  expect([await whoami(web, "ada"), await whoami(web, "ben")]).toEqual(["ada", "ben"]);
  expect(await failureOf(web.run("whoami", {}, { principal: "eve" }))).toMatchObject({
    code: "upstream-failed",
  });
});

it("closes a connection ten minutes after its last call, but the one that lists the tools (X21)", async () => {
  const clock = createManualSchedule();
  const { at, web } = await start(["ada", "ben"], {}, { schedule: clock.schedule });
  const idle = () => clock.delays().filter((delay) => delay === 600_000).length;
  await whoami(web, "ada");
  expect(idle()).toBe(0);
  await whoami(web, "ben");
  expect(idle()).toBe(1);
  clock.elapse(600_000);
  expect(web.status).toBe("ready");
  const before = at.server.seen.length;
  expect(await whoami(web, "ben")).toBe("ben");
  expect(at.server.seen.length - before).toBeGreaterThan(1);
});

it("leaves nothing behind of a connection whose principal signed out (X21)", async () => {
  const clock = createManualSchedule();
  const { at, web } = await start(["ada", "ben"], {}, { schedule: clock.schedule });
  await whoami(web, "ada");
  const before = clock.delays();
  await whoami(web, "ben");
  await at.signIns.signOut("ben");
  await whoami(web, "ada");
  expect(clock.delays()).toEqual(before);
});
