import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readSecrets } from "../../gateway/state/secrets.ts";
import { stateStoreOf } from "../../gateway/state/state-files.ts";
import { systemRandom } from "../../runtime/index.ts";
import { sluicegate } from "../cli.test-kit.ts";
import { CALLS, createRecord } from "./journal.test-kit.ts";

it("issues a receipt that somebody verifies with the public key alone (X27-receipts)", async () => {
  using record = await createRecord(CALLS);
  const receipt = (...args: string[]) => sluicegate(["journal", "receipt", ...args], { cwd: record.path });
  const without = await receipt(record.session);
  expect([without.status, without.err]).toEqual([
    2,
    expect.stringContaining("There is no key to sign with."),
  ]);
  const storeFile = stateStoreOf(join(record.path, "sluicegate.yaml"));
  readSecrets({ storeFile, token: "operator-token-for-tests", random: systemRandom });

  const [whole, pem] = await Promise.all([receipt(record.session), receipt("--public-key")]);
  expect(whole).toMatchObject({ status: 0, err: "" });
  const call = JSON.parse(whole.out).statement.entries[2].data.call;
  const one = await receipt(call);
  const files = {
    whole: whole.out,
    one: one.out,
    changed: one.out.replace("web_search", "web_sear_h"),
    pem: pem.out,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(record.path, name), text);
  const verify = (name: string) =>
    sluicegate(["journal", "verify-receipt", join(record.path, name), "--key", join(record.path, "pem")], {
      cwd: "/",
    });
  const [first, second, third] = await Promise.all(["whole", "one", "changed"].map(verify));
  expect(first).toMatchObject({
    status: 0,
    out: expect.stringMatching(/^valid: session sess_\w+\.\n {2}5 of the 5 /),
  });
  expect(second).toMatchObject({
    status: 0,
    out: expect.stringMatching(/, call call_\w+\.\n {2}1 of the 5 /),
  });
  expect(third).toMatchObject({ status: 1, out: expect.stringContaining("not valid: It was changed") });

  const key = readFileSync(join(record.path, ".sluicegate/key"), "utf8").trim();
  expect(whole.out + pem.out).not.toContain(key);
  const unknown = await receipt("call_00");
  expect([unknown.status, unknown.err]).toEqual([2, expect.stringContaining("There is no call `call_00`")]);
});

it("signs with the key of the environment, and takes nothing else for a key (X27-receipts)", async () => {
  using record = await createRecord(CALLS);
  const run = (args: string[], key: string) =>
    sluicegate(args, { cwd: record.path, env: { SLUICEGATE_RECEIPT_KEY: key } });
  const [receipt, pem, bad] = await Promise.all([
    run(["journal", "receipt", record.session], "ab".repeat(32)),
    run(["journal", "receipt", "--public-key", "--json"], "ab".repeat(32)),
    run(["journal", "receipt", record.session], "short"),
  ]);
  expect([bad.status, bad.err]).toEqual([2, expect.stringContaining("openssl rand -hex 32")]);
  writeFileSync(join(record.path, "receipt.json"), receipt.out);
  writeFileSync(join(record.path, "key.pem"), JSON.parse(pem.out).public_key);
  const verify = (key: string) =>
    sluicegate(["journal", "verify-receipt", "receipt.json", "--key", key, "--json"], { cwd: record.path });
  expect((await verify("key.pem")).json()).toMatchObject({ ok: true, problem: null });
  expect(await verify("receipt.json")).toMatchObject({
    status: 2,
    out: expect.stringContaining("is no public key"),
  });
});
