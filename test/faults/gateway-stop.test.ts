/** SIGTERM to the real program, in the middle of a call: the call gets its answer, and the journal knows its end. */
import { expect, it } from "vitest";
import { startPost } from "../../bypass/fixtures/post.ts";
import { createKillableGateway } from "../fixtures/killable-gateway.ts";

const policyFor = (url: string): string => `
version: 1
servers:
  post:
    url: "${url}"
    sink: public
    tools:
      send_later: { permissions: [connect], sink: public }
`;

it("ends once the calls that run have their answers, and takes no new ones (X15-sqlite)", async () => {
  const post = await startPost({ port: 0, legacyOnly: true });
  const gateway = createKillableGateway(policyFor(post.url));
  try {
    await gateway.start();
    const { session_id } = await gateway.request("POST", "/v1/session", {});
    const path = `/v1/session/${session_id}/call`;
    const call = () => gateway.request("POST", path, { tool: "send_later", arguments: { text: "x" } });
    const running = call();
    await expect.poll(() => post.hold.waiting).toBe(1);
    const stopped = gateway.stop();
    await expect.poll(async () => (await gateway.request("GET", "/readyz")).draining).toBe(true);
    expect(await call()).toMatchObject({ error: { code: "not-ready" } });
    post.hold.release();
    expect(await running).toMatchObject({ effect: "allow" });
    expect(await stopped).toBe(0);
    await gateway.start();
    const { events } = await gateway.request("GET", `/v1/session/${session_id}/journal`);
    expect(events.map(({ kind }: { kind: string }) => kind)).toEqual([
      "session-opened",
      "call-admitted",
      "call-finished",
    ]);
  } finally {
    await gateway.remove();
    await post.close();
  }
});
