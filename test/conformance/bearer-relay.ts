/**
 * The suites can't send a bearer token, and the gateway answers nobody without one. This relay stands between them
 * and adds that header, nothing else: method, path, status, headers and both bodies pass byte for byte and as they
 * come. Its own address becomes the gateway's in Host and Origin, since that is what a client of the gateway would
 * send; any other Host or Origin goes through, so that the gateway must refuse it by itself.
 */
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface BearerRelay {
  /** `http://127.0.0.1:PORT`, without a path. */
  readonly url: string;
  close(): Promise<void>;
}

export async function startBearerRelay(target: string, token: string): Promise<BearerRelay> {
  const agent = new Agent({ keepAlive: true });
  const there = new URL(target);
  const server = createServer((incoming, outgoing) => {
    const here = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const headers = [...translate(incoming.rawHeaders, here, there.host), "Authorization", `Bearer ${token}`];
    const onward = request(
      { agent, host: there.hostname, port: there.port, method: incoming.method, path: incoming.url, headers },
      (answer) => passBack(answer, outgoing),
    );
    onward.on("error", () => outgoing.destroy());
    outgoing.on("close", () => onward.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      agent.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function passBack(answer: IncomingMessage, outgoing: ServerResponse): void {
  outgoing.writeHead(answer.statusCode ?? 502, answer.statusMessage, answer.rawHeaders);
  outgoing.flushHeaders();
  answer.on("error", () => outgoing.destroy());
  answer.pipe(outgoing);
}

/** Raw headers are names and values by turns. */
function translate(raw: readonly string[], here: string, there: string): string[] {
  return raw.map((value, index) => {
    const name = index % 2 === 1 ? raw[index - 1]?.toLowerCase() : undefined;
    if (name === "host" && value === here) return there;
    if (name === "origin" && value === `http://${here}`) return `http://${there}`;
    return value;
  });
}
