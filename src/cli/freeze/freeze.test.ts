/** `sluicegate freeze` and `unfreeze` where no gateway answers: in the store, which every gateway reads. */
import { expect, it } from "vitest";
import { createGate, definePolicy, openSqliteStore } from "../../index.ts";
import { createFolder, createStateStore, POLICY, sluicegate } from "../cli.test-kit.ts";

it("freezes in the store, lists it, and ends it (X22)", async () => {
  using folder = createFolder({ "sluicegate.yaml": POLICY });
  const ask = (...args: readonly string[]) => sluicegate(args, { cwd: folder.path });
  const before = await ask("freeze");
  expect([before.status, before.err]).toEqual([2, expect.stringContaining("There is nothing to freeze.")]);
  const policy = definePolicy({ tools: { search_email: { permissions: ["read"] } } });
  const gate = createGate({
    policy,
    store: openSqliteStore(createStateStore(folder.path)),
  });
  const session = await gate.open();
  const frozen = await ask("freeze", "--tool", "search_email", "--why", "odd answers");
  expect(frozen).toMatchObject({ status: 0, err: "" });
  const id = /sluicegate unfreeze (frz_[0-9a-f]{32})/.exec(frozen.out)?.[1] ?? "";
  expect((await session.decide([{ tool: "search_email" }]))[0]?.reasons).toMatchObject([{ code: "frozen" }]);
  expect((await ask("freeze", "--list")).out).toMatch(
    /all calls of the tool search_email .* by operator +odd answers/,
  );
  expect((await ask("unfreeze", id, "--json")).json()).toMatchObject({ freezes: [{ id }] });
  expect((await ask("freeze", "--list")).out).toBe("Nothing is frozen.\n");
  await gate.close();
});
