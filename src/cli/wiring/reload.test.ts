/** A changed policy file is taken up while the gateway runs: whole or not at all, and wider only where that is meant. */
import { writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/temporary-folder.ts";
import { runGateway } from "./run-gateway.ts";

const { path } = temporaryFolder();
const POLICY = `version: 1
servers:
  mail: { command: "true", tools: { read: { permissions: [read], source: internal } } }
tools:
  look: { permissions: [read], source: internal }
  note: { permissions: [write], approval: always }
  post: { permissions: [connect], sink: public }
`;
const SURE = { allowsWidening: true };
const UNSURE = { allowsWidening: false };

async function start() {
  const config = path("sluicegate.yaml");
  const write = (text: string): void => writeFileSync(config, text);
  write(POLICY);
  const log = (): void => {};
  const running = await runGateway({ config, store: `sqlite:${path()}`, log });
  const { gate, service } = running.gateway;
  const hooks = await running.openHooks();
  const close = async (): Promise<void> => {
    hooks.close();
    await running.gateway.close();
  };
  return { gate, hooks, write, reload: service.reload, [Symbol.asyncDispose]: close };
}

const codesOf = (decisions: readonly { reasons: readonly { code: string }[] }[]): readonly string[] =>
  decisions.flatMap(({ reasons }) => reasons.map(({ code }) => code));

it("puts a narrower policy in force for gateway and hooks; sessions keep their labels (X26)", async () => {
  await using at = await start();
  const session = await at.gate.open();
  await session.decide([{ tool: "look" }]);
  const [asked] = await session.decide([{ tool: "note" }]);
  at.write(
    POLICY.replace(
      "approval: always }",
      "approval: always }\n  pay: { permissions: [write], approval: always }",
    ),
  );
  await expect(at.reload(UNSURE)).rejects.toMatchObject({
    details: { widens: ["Tool `pay` can be called."] },
  });
  at.write(`${POLICY}policy: { denied_tools: [look] }\n`);
  const reloaded = await at.reload(UNSURE);
  expect(reloaded).toMatchObject({ isChanged: true, widens: [] });
  expect([at.gate.policy.version, at.hooks.gate.policy.version]).toEqual([
    reloaded.version,
    reloaded.version,
  ]);
  expect(session.label.level).toBe("internal");
  expect(codesOf(await session.decide([{ tool: "look" }, { tool: "post" }]))).toEqual([
    "denied-by-policy",
    "flow-blocked",
  ]);
  await at.gate.answerApproval(asked?.approval?.id ?? "", { answer: "approved", by: "ada" }).catch(() => {});
  expect(codesOf(await session.decide([{ tool: "note" }]))).toEqual(["approval-required"]);
  expect((await at.reload(UNSURE)).isChanged).toBe(false);
});

it("takes up what allows more only where that is meant, and tells it (X26)", async () => {
  await using at = await start();
  const { version } = at.gate.policy;
  at.write(POLICY.replace("sink: public", "sink: internal"));
  await expect(at.reload(UNSURE)).rejects.toMatchObject({
    code: "reload-refused",
    why: "Tool `post`: it may receive more.",
  });
  expect(at.gate.policy.version).toBe(version);
  expect(await at.reload(SURE)).toMatchObject({ widens: ["Tool `post`: it may receive more."] });
  expect(at.gate.policy.version).not.toBe(version);
});

it.each([
  ["a broken file", POLICY.replace("approval", "aproval"), "policy-invalid"],
  ["a server that is started otherwise", POLICY.replace('"true"', '"false"'), "reload-refused"],
])("leaves the policy in force after %s (X26)", async (_, text, code) => {
  await using at = await start();
  const { version } = at.gate.policy;
  at.write(text);
  await expect(at.reload(SURE)).rejects.toMatchObject({ code });
  expect(at.gate.policy.version).toBe(version);
  expect((await (await at.gate.open()).decide([{ tool: "look" }]))[0]?.effect).toBe("allow");
});
