/** A load of HTTP requests that costs its own process little: raw sockets, prepared bytes. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** A POST that is sent again and again. */
export interface Post {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What each answer must contain; an error may come with status 200. */
  readonly expects?: string;
}

/** Answers of status 200 per second, over so long a time, each connection sending one request after the other. */
export const requestsPerSecond = async (posts: readonly Post[], forMs: number): Promise<number> =>
  (await measureLoad(posts, forMs)).perSecond;

/** The same, with how long each took, in milliseconds. */
export async function measureLoad(
  posts: readonly Post[],
  forMs: number,
): Promise<{ readonly perSecond: number; readonly latencies: readonly number[] }> {
  const began = performance.now();
  const latencies = (await Promise.all(posts.map((post) => repeatPost(post, began + forMs)))).flat();
  return { perSecond: latencies.length / ((performance.now() - began) / 1000), latencies };
}

/** How long each answer took, in milliseconds. */
async function repeatPost(post: Post, until: number): Promise<readonly number[]> {
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
  const latencies: number[] = [];
  try {
    for (let now = performance.now(); now < until; ) {
      socket.write(bytes);
      await answerOf(socket, post.expects);
      const sent = now;
      now = performance.now();
      latencies.push(now - sent);
    }
  } finally {
    socket.destroy();
  }
  return latencies;
}

/** Waits until one whole answer has come. */
function answerOf(socket: Socket, expects = ""): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let answer = "";
  const onData = (chunk: Buffer): void => {
    answer += chunk.toString("latin1");
    if (!isWhole(answer)) return;
    socket.off("data", onData).off("close", onClose);
    if (answer.startsWith("HTTP/1.1 200") && answer.includes(expects)) resolve();
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
