/** kill −9 of the real program around an approval: no answer is lost, and none admits a call twice. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createKillableGateway, type KillableGateway } from "../fixtures/killable-gateway.ts";
import { OFFICE_POLICY } from "../scenarios/running-gateway.ts";

const POLICY = OFFICE_POLICY.replace("slack_post: { permissions: [connect], sink: public }", (declared) =>
  declared.replace(" }", ", approval: always }"),
);
const POST = { tool: "slack_post", arguments: { channel: "general", text: "Hello" } };

let gateway: KillableGateway;
beforeEach(() => {
  gateway = createKillableGateway(POLICY);
});
afterEach(() => gateway.remove());

/** A question with a body is a POST. */
const ask = (path: string, body?: object): Promise<any> =>
  gateway.request(body === undefined ? "GET" : "POST", `/v1${path}`, body);

/** How many messages really arrived in the chat. */
const posted = (): number => {
  const file = join(gateway.folder, "state", "chat.jsonl");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").length : 0;
};

it("finds the question again after a kill, and the answer after another, and runs the call once (X15-approvals, D6-binding)", async () => {
  await gateway.start();
  const { session_id } = await ask("/session", {});
  const { approval } = await ask(`/session/${session_id}/call`, POST);
  await gateway.kill();
  await gateway.start();
  const { approvals } = await ask("/approvals");
  expect(approvals).toMatchObject([{ id: approval.id, arguments: POST.arguments }]);
  expect(await ask(`/session/${session_id}/call`, POST)).toMatchObject({
    effect: "ask",
    approval: { id: approval.id },
  });
  expect(await ask(`/approvals/${approval.id}/approve`, {})).toMatchObject({ status: "approved" });
  await gateway.kill();
  await gateway.start();
  expect(posted()).toBe(0);
  expect(await ask(`/session/${session_id}/call`, POST)).toMatchObject({ effect: "allow" });
  await gateway.kill();
  await gateway.start();
  expect((await ask(`/session/${session_id}/call`, POST)).effect).toBe("ask");
  expect(posted()).toBe(1);
  await gateway.kill();
  expect(await gateway.verifyCopy()).toMatchObject({ status: 0 });
});

it("runs an approved call at most once, whenever it is killed in the middle of ten that want to (X15-approvals, law-7)", async () => {
  for (let round = 0; round < 4; round += 1) {
    const before = posted();
    await gateway.start();
    const { session_id } = await ask("/session", {});
    const { approval } = await ask(`/session/${session_id}/call`, POST);
    await ask(`/approvals/${approval.id}/approve`, {});
    const answered = Promise.withResolvers<void>();
    const calls = Array.from({ length: 10 }, async (_, index) => {
      await ask(`/session/${session_id}/call`, POST).catch(() => null);
      if (index >= round * 3) answered.resolve();
    });
    await answered.promise;
    await gateway.kill();
    await Promise.allSettled(calls);
    await gateway.start();
    await Promise.all(Array.from({ length: 3 }, () => ask(`/session/${session_id}/call`, POST)));
    expect(posted() - before).toBeLessThanOrEqual(1);
    await gateway.kill();
  }
});
