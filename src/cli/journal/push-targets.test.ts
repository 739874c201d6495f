/** What counts as arrived, and what is done where something doesn't. */
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { afterEach, expect, it } from "vitest";
import type { FeedEntry } from "../../runtime/ports/store.ts";
import { toTarget } from "./push-targets.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function listen(server: Server): Promise<string> {
  closing.push(() => server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return `127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
}

const PAGE: readonly FeedEntry[] = [
  {
    position: 1,
    session: "sess_1",
    entry: {
      seq: 1,
      kind: "call-refused",
      at: "2026-11-23T10:00:00.900Z",
      policy: "v1",
      prev: "0",
      hash: "ab",
      data: {},
    },
  },
];
const send = (to: string, signal = AbortSignal.timeout(5000)): Promise<void> =>
  toTarget(to, {}).send(PAGE, signal);

it("counts nothing as arrived at a syslog that closes the connection at once, since it may be full or stopping (X27)", async () => {
  const [leaving, resetting] = await Promise.all([
    listen(createServer((socket) => socket.destroy())),
    listen(createServer((socket) => socket.resetAndDestroy())),
  ]);
  await expect(send(`syslog:tcp://${leaving}`)).rejects.toThrow();
  await expect(send(`syslog:tcp://${resetting}`)).rejects.toThrow();
});

it.each([
  "syslog:tcp",
  "webhook:http",
  "otlp:http",
])("stops waiting for %s when it is told to (X27)", async (kind) => {
  const silent = await listen(createServer({ pauseOnConnect: true, allowHalfOpen: true }, () => {}));
  const to = toTarget(`${kind}://${silent}`, { SLUICEGATE_PUSH_SECRET: "a-secret-of-the-tests" });
  const stop = new AbortController();
  const sent = to.send(PAGE, stop.signal);
  stop.abort(new Error("stopped by a signal"));
  await expect(sent).rejects.toThrow("stopped by a signal");
});

it.each([
  "whsec_AAAAAAAAAAAA",
  `whsec_${"!".repeat(40)}`,
])("takes no secret `%s`, which others could guess (X27)", (secret) => {
  const make = () => toTarget("webhook:https://a.example", { SLUICEGATE_PUSH_SECRET: secret });
  expect(make).toThrow("secret");
});

it("counts a batch as arrived at a syslog that closes its connection in turn, but not where it ends meanwhile (X27)", async () => {
  const open = new Set<Socket>();
  const serve = (onRead: (socket: Socket) => void) =>
    listen(
      createServer({ allowHalfOpen: true }, (socket) => {
        open.add(socket);
        socket.on("error", () => {}).resume();
        socket.once("end", () => onRead(socket));
      }),
    );
  // As the system does for a process that is killed.
  const ending = await serve(() => {
    for (const socket of open) socket.destroy();
  });
  await expect(send(`syslog:tcp://${ending}`)).rejects.toThrow("it stopped while it read");
  await send(`syslog:tcp://${await serve((socket) => void socket.end())}`);
});
