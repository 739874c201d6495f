/**
 * `npm run linearizability -- [--ops N] [--seed S] [--gateways N]`: clients of several gateways on one PostgreSQL read,
 * send, pay and approve in shared sessions while gateways are killed and started again; then each session's history is
 * checked. Exits 1 where one can't have happened in any order.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startPostgres } from "../fixtures/postgres.ts";
import { seededRandom } from "../fixtures/seeded-random.ts";
import { type Asked, findOrder, type Operation } from "./history.ts";

const { values } = parseArgs({
  options: {
    ops: { type: "string", default: "100000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
    gateways: { type: "string", default: "3" },
    "kill-every": { type: "string", default: "3000" },
  },
});
const MOST = Number(values.ops);
const below = seededRandom(Number(values.seed));
const random = (): number => below(1_000_000) / 1_000_000;
const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;

const TOKEN = "operator-token-for-tests";
const POLICY = `version: 1
tools:
  read: { permissions: [read], source: secret }
  send: { permissions: [connect], sink: public }
  pay: { permissions: [write], approval: always }
approvals: { wait: 0 }
`;
/** Of what a gateway says, shown where it doesn't come back. */
const KEPT_LINES = 50;
/** Which part of the starts is cut off by another kill, and how long one may take. */
const CUT_OFF = 0.3;
const START_MS = 2000;
const LAUNCHER = resolve(import.meta.dirname, "../../bin/sluicegate");

const folder = mkdtempSync(join(tmpdir(), "sluicegate-linear-"));
const postgres = await startPostgres();
const store = `postgres://${postgres.user}@${postgres.host}:${postgres.port}/${postgres.database}`;

/** A gateway in a process of its own, which comes back after each kill. */
class Node {
  readonly #home: string;
  #child: ChildProcess | null = null;
  url = "";
  isUp = false;
  kills = 0;

  constructor(name: string) {
    this.#home = join(folder, name);
    mkdirSync(this.#home);
    writeFileSync(join(this.#home, "sluicegate.yaml"), POLICY);
  }

  async start(): Promise<void> {
    const args = ["serve", "--config", "sluicegate.yaml", "--port", "0", "--json", "--store", store];
    const child = spawn(LAUNCHER, [...args, "--limit", "requests-per-second=1000000"], {
      cwd: this.#home,
      env: {
        PATH: process.env.PATH ?? "",
        HOME: this.#home,
        PGPASSWORD: postgres.password,
        SLUICEGATE_TOKEN: TOKEN,
        SLUICEGATE_KEY: "1f".repeat(32),
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    let out = "";
    let errors: readonly string[] = [];
    createInterface({ input: child.stderr }).on("line", (line) => {
      errors = [...errors, line].slice(-KEPT_LINES);
    });
    for await (const text of child.stdout.setEncoding("utf8")) {
      out += text;
      if (out.trimEnd().endsWith("}")) break;
    }
    if (child.killed) return;
    if (out === "") {
      await once(child, "close");
      const end = child.signalCode ?? `exit ${child.exitCode}`;
      throw new Error(`A gateway ended before it listened (${end}):\n${errors.join("\n")}`);
    }
    this.url = JSON.parse(out).url;
    this.isUp = true;
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child === null || child.exitCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    this.isUp = false;
    await ended;
    this.kills += 1;
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child === null || child.exitCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
  }
}

/** Mostly one that runs. */
const anyOf = (nodes: readonly Node[]): Node => {
  const up = nodes.filter(({ isUp }) => isUp);
  return pick(up.length > 0 ? up : nodes);
};

/** The answer; null where none came, and it isn't known whether the request was carried out. */
async function post(node: Node, path: string, body: object): Promise<{ status: number; body: any } | null> {
  try {
    const response = await fetch(node.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(20_000),
    });
    const answer = { status: response.status, body: await response.json() };
    return response.status >= 500 ? null : answer;
  } catch {
    return null;
  }
}

interface Session {
  readonly id: string;
  readonly operations: Operation[];
}

async function measure(
  session: Session,
  asked: Asked,
  run: () => Promise<Operation["answer"]>,
): Promise<void> {
  const begun = performance.now();
  const answer = await run();
  const ended = answer === null ? Number.POSITIVE_INFINITY : performance.now();
  session.operations.push({ asked, answer, begun, ended });
}

/** Decides a call at any gateway; gives the approval that it asks for. */
async function decide(nodes: readonly Node[], session: Session, asked: Asked): Promise<string | null> {
  let approval: string | null = null;
  await measure(session, asked, async () => {
    const call = asked.kind === "pay" ? { amount: asked.amount } : {};
    const path = `/v1/session/${session.id}/decide`;
    const answered = await post(anyOf(nodes), path, { tool: asked.kind, arguments: call });
    if (answered === null) return null;
    approval = answered.body.approval?.id ?? null;
    return answered.status === 200 ? answered.body.effect : "refused";
  });
  return approval;
}

async function approve(
  nodes: readonly Node[],
  session: Session,
  id: string,
  amounts: readonly number[],
): Promise<void> {
  await measure(session, { kind: "approve", approval: id, amounts }, async () => {
    const answered = await post(anyOf(nodes), `/v1/approvals/${id}/approve`, {});
    if (answered === null) return null;
    return answered.status === 200 ? "done" : "refused";
  });
}

/** Operations of one client in a session that others use at the same time. */
async function use(nodes: readonly Node[], session: Session): Promise<void> {
  for (let count = 0; count < 4; count += 1) {
    const draw = random();
    if (draw < 0.12) await decide(nodes, session, { kind: "read" });
    else if (draw < 0.45) await decide(nodes, session, { kind: "send" });
    else {
      const amount = pick([1, 2]);
      const id = await decide(nodes, session, { kind: "pay", amount });
      if (id !== null && random() < 0.8) await approve(nodes, session, id, [amount]);
    }
  }
}

/** A plan of two payments with one yes, whose steps several clients make at once. */
async function usePlan(nodes: readonly Node[], session: Session): Promise<void> {
  const planned_calls = [11, 12].map((amount) => ({ id: `p${amount}`, tool: "pay", arguments: { amount } }));
  const asked = await post(anyOf(nodes), `/v1/session/${session.id}/plan`, { planned_calls });
  const id = asked?.body.approval?.id;
  if (typeof id !== "string") return;
  await approve(nodes, session, id, [11, 12]);
  await Promise.all([11, 11, 12, 12].map((amount) => decide(nodes, session, { kind: "pay", amount })));
}

const nodes = Array.from({ length: Number(values.gateways) }, (_, at) => new Node(`gateway-${at}`));
let total = 0;
let unknown = 0;
let broken = 0;
let sessions = 0;
let isOver = false;

async function work(): Promise<void> {
  while (total < MOST) {
    const opened = await post(anyOf(nodes), "/v1/session", {});
    if (opened?.status !== 201) {
      await pause(50);
      continue;
    }
    const session: Session = { id: opened.body.session_id, operations: [] };
    if (random() < 0.25) await usePlan(nodes, session);
    else await Promise.all([use(nodes, session), use(nodes, session), use(nodes, session)]);
    total += session.operations.length;
    unknown += session.operations.filter(({ answer }) => answer === null).length;
    sessions += 1;
    if (findOrder(session.operations) !== null) continue;
    broken += 1;
    console.log(`no order for session ${session.id}:`, JSON.stringify(session.operations));
  }
}

async function killNowAndThen(): Promise<void> {
  while (!isOver) {
    await pause(Number(values["kill-every"]) * (0.5 + random()));
    if (isOver) return;
    const node = pick(nodes);
    await node.kill();
    while (random() < CUT_OFF) {
      const starting = node.start();
      await pause(START_MS * random());
      await node.kill();
      await starting;
    }
    await node.start();
  }
}

console.log(`seed ${values.seed}, ${nodes.length} gateways`);
const started = performance.now();
for (const node of nodes) await node.start();
const killing = killNowAndThen();
await Promise.all(Array.from({ length: 6 }, work));
isOver = true;
await killing;
const seconds = Math.round((performance.now() - started) / 1000);
const kills = nodes.reduce((sum, node) => sum + node.kills, 0);
await Promise.all(nodes.map((node) => node.stop()));
await postgres.stop();
rmSync(folder, { recursive: true, force: true });
console.log(
  `${total} operations in ${sessions} sessions, ${unknown} without an answer, ${kills} kills, ${seconds} s; ${broken} sessions without an order`,
);
process.exitCode = broken > 0 ? 1 : 0;
