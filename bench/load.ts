/** A load of HTTP requests that costs its own process little: raw sockets, prepared bytes. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** A POST that is sent again and again. */
export interface Post {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Answers of status 200 per second, over so long a time, each connection sending one request after the other. */
export async function requestsPerSecond(posts: readonly Post[], forMs: number): Promise<number> {
  const until = performance.now() + forMs;
  const began = performance.now();
  const counts = await Promise.all(posts.map((post) => repeatPost(post, until)));
  const seconds = (performance.now() - began) / 1000;
  return counts.reduce((sum, count) => sum + count, 0) / seconds;
}

async function repeatPost(post: Post, until: number): Promise<number> {
  const { hostname, port, pathname } = new URL(post.url);
  const head = [
    `POST ${pathname} HTTP/1.1`,
    `Host: ${hostname}:${port}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(post.body)}`,
    ...Object.entries(post.headers).map(([name, value]) => `${name}: ${value}`),
  ];
  const bytes = Buffer.from(`${head.join("\r\n")}\r\n\r\n${post.body}`);
  const socket = connect(Number(port), hostname).setNoDelay(true);
  await once(socket, "connect");
  let count = 0;
  try {
    for (; performance.now() < until; count += 1) {
      socket.write(bytes);
      await answerOf(socket);
    }
  } finally {
    socket.destroy();
  }
  return count;
}

/** Waits until one whole answer has come. */
function answerOf(socket: Socket): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let answer = "";
  const onData = (chunk: Buffer): void => {
    answer += chunk.toString("latin1");
    if (!isWhole(answer)) return;
    socket.off("data", onData).off("close", onClose);
    if (answer.startsWith("HTTP/1.1 200")) resolve();
    else reject(new Error(`The server refuses: ${answer.slice(0, 300)}`));
  };
  const onClose = (): void => reject(new Error("The server hung up."));
  socket.on("data", onData).once("close", onClose);
  return promise;
}

function isWhole(answer: string): boolean {
  const end = answer.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(answer.slice(0, end + 2))?.[1];
  return length === undefined ? answer.endsWith("0\r\n\r\n") : answer.length >= end + 4 + Number(length);
}
