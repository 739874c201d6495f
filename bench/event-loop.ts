/** How long one request of a session's token keeps everybody else waiting, at worst. */
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { atMost, type Benchmark, type Figure } from "./benchmark.ts";
import { type LoopCase, loopCases, loopPolicy } from "./event-loop-cases.ts";
import { openLoopSources } from "./loop-sources.ts";
import { ROOT } from "./machine.ts";
import { OPERATOR_TOKEN, type ServedGateway, startServe } from "./served-gateway.ts";

const BUDGET_MS = 50;

/** The gateway that is measured, and how its sessions are opened and used. */
export interface LoopWorld {
  readonly url: string;
  readonly quick: boolean;
  open(): Promise<OpenedSession>;
  /** As the operator; answers the body as text. */
  operator(path: string, body?: unknown): Promise<string>;
}

export interface OpenedSession {
  readonly id: string;
  /** Posts to a path below the session with its token; answers the body as text. */
  post(path: string, body: unknown): Promise<string>;
  readonly headers: Readonly<Record<string, string>>;
}

export const eventLoop: Benchmark = {
  name: "event-loop",
  title: "the worst block of the event loop by any request of a session's token, CPU time of the main thread",
  run: async ({ quick, scratch, progress }) => {
    const socket = join(scratch, "probe.sock");
    const probe = pathToFileURL(join(import.meta.dirname, "loop-probe.ts"));
    probe.searchParams.set("socket", socket);
    const command = [process.execPath, "--import", probe.href, join(ROOT, "src/cli/main.ts")] as const;
    const figures: Figure[] = [];
    const sources = await openLoopSources(scratch);
    for (const one of loopCases) {
      progress(one.what);
      const stem = join(scratch, `case-${figures.length}`);
      const gateway = await startServe(command, stem, `${loopPolicy}${sources.policy}`);
      try {
        figures.push(await measure(one, gateway, { quick, socket }));
      } finally {
        await gateway.program.stop();
      }
    }
    sources.close();
    return [...figures, yardstick()];
  },
};

/** How much of a block the machine itself is to blame for: much of one is memory that is used for the first time. */
function yardstick(): Figure {
  const text = JSON.stringify("A line of an honest document.\n".repeat((8 * 1024 * 1024) / 30));
  const times = Array.from({ length: 5 }, () => {
    const before = process.threadCpuUsage();
    JSON.stringify(JSON.parse(text));
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  });
  return {
    what: "for comparison: Node alone reads and writes 8 MiB of JSON",
    value: Math.max(...times),
    unit: "ms",
  };
}

async function measure(
  { what, prepare, run }: LoopCase,
  { url }: ServedGateway,
  { quick, socket }: { readonly quick: boolean; readonly socket: string },
): Promise<Figure> {
  const world = toWorld(url, quick);
  const session = await world.open();
  await prepare?.(world, session);
  const rounds = quick ? 1 : 3;
  let worst = 0;
  // The first round loads code.
  for (let round = 0; round <= rounds; round += 1) {
    await readProbe(socket);
    await run(world, session);
    const block = await readProbe(socket);
    if (round > 0) worst = Math.max(worst, block);
  }
  return { what, value: worst, unit: "ms", budget: atMost(BUDGET_MS) };
}

const readProbe = async (socket: string): Promise<number> => Number(await text(connect(socket)));

function toWorld(url: string, quick: boolean): LoopWorld {
  const post = async (path: string, body: unknown, headers: Readonly<Record<string, string>>) => {
    const sent = typeof body === "string" ? body : JSON.stringify(body);
    const response = await fetch(`${url}${path}`, { method: "POST", headers, body: sent });
    return response.text();
  };
  const operator = { authorization: `Bearer ${OPERATOR_TOKEN}`, "content-type": "application/json" };
  return {
    url,
    quick,
    open: async () => {
      const opened: { session_id: string; session_token: string } = JSON.parse(
        await post("/v1/session", {}, operator),
      );
      const { session_id: id, session_token: token } = opened;
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      return { id, headers, post: (path, body) => post(`/v1/session/${id}/${path}`, body, headers) };
    },
    operator: async (path, body) => {
      if (body !== undefined) return post(path, body, operator);
      return (await fetch(`${url}${path}`, { headers: operator })).text();
    },
  };
}
