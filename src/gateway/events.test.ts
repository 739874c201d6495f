import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/fixtures/temporary-folder.ts";
import { definePolicy } from "../core/index.ts";
import { openSqliteStore } from "../store/index.ts";
import { createGateway } from "./gateway.ts";

const { path } = temporaryFolder();

/** A gateway that has a place for one event stream. */
function gatewayOfOneStream() {
  const faults: unknown[] = [];
  const file = path();
  const gateway = createGateway({
    policy: definePolicy({}),
    store: openSqliteStore(file),
    providers: [],
    operatorToken: "operator-token-for-tests",
    key: Buffer.alloc(32, 7),
    limits: { eventStreams: 1 },
    version: "0.0.0-test",
    onFault: (cause) => faults.push(cause),
  });
  gateway.allowHosts({ hosts: new Set(["gate.test"]) });
  const events = async (signal?: AbortSignal): Promise<Response> =>
    gateway.fetch(
      new Request("http://gate.test/v1/events", {
        headers: { host: "gate.test", authorization: "Bearer operator-token-for-tests" },
        ...(signal && { signal }),
      }),
    );
  return { gateway, file, faults, events };
}

describe("The place of an event stream", () => {
  it("is taken as long as somebody reads, and free once they stop", async () => {
    const { gateway, events } = gatewayOfOneStream();
    const first = await events();
    expect((await events()).status).toBe(429);
    await first.body?.cancel();
    expect((await events()).status).toBe(200);
    await gateway.close();
  });

  it("is free once its reader has gone, also where nothing was ever read", async () => {
    const { gateway, faults, events } = gatewayOfOneStream();
    const leaving = new AbortController();
    expect((await events(leaving.signal)).status).toBe(200);
    leaving.abort();
    expect((await events(AbortSignal.abort())).status).toBe(200);
    expect((await events()).status).toBe(200);
    expect(faults).toEqual([]);
    await gateway.close();
  });

  it("is free after the stream broke off because the store couldn't be read, which is told as a fault", async () => {
    const { gateway, file, faults, events } = gatewayOfOneStream();
    await gateway.gate.open();
    const other = new DatabaseSync(file);
    other.exec("UPDATE events SET body = '{}'");
    other.close();
    const broken = await events();
    expect(await broken.text()).toBe("");
    expect(faults).toMatchObject([{ code: "store-damaged" }]);
    expect((await events()).status).toBe(200);
    await gateway.close();
  });

  it("is not taken where the stream can't begin", async () => {
    const { gateway, events } = gatewayOfOneStream();
    await gateway.close();
    for (let again = 0; again < 2; again += 1) {
      expect((await events()).status).toBe(503);
    }
  });
});
