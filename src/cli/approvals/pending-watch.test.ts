/** The live view on streams that stand for a terminal, over a store that another gate asks in. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { expect, it } from "vitest";
import { OPERATOR_TOKEN, startGateway } from "../../../test/scenarios/running-gateway.ts";
import { createWorkplace } from "../approvals.test-kit.ts";
import { type ApprovalsSource, isWaiting } from "./approvals-source.ts";
import { openStoreApprovals } from "./approvals-store.ts";
import { openApprovals } from "./open-approvals.ts";
import { QUIET_MS } from "./pending-view.ts";
import { watchPending } from "./pending-watch.ts";
import type { ScreenStreams } from "./screen.ts";

const ENTER = "\u001b[?1049h";
const LEAVE = "\u001b[?1049l";

const ASKING_TOOL = `version: 1
tools:
  wire_transfer: { permissions: [write], approval: always }
`;

interface Fake extends ScreenStreams {
  readonly raw: boolean[];
  written(): string;
  /** The last frame, without its colours. */
  frame(): string;
  type(keys: string): void;
  resize(columns: number, rows: number): void;
}

/** What the view needs of a terminal, and no more. */
function createFake(): Fake {
  const raw: boolean[] = [];
  const input = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (mode: boolean) => raw.push(mode),
  });
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 100, rows: 30 });
  let text = "";
  output.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  return {
    input: input as unknown as NodeJS.ReadStream,
    output: output as unknown as NodeJS.WriteStream,
    raw,
    written: () => text,
    frame: () => stripVTControlCharacters(text.split("\u001b[H").at(-1) ?? ""),
    type: (keys) => void input.write(keys),
    resize: (columns, rows) => {
      Object.assign(output, { columns, rows });
      output.emit("resize");
    },
  };
}

const open = (folder: string): Promise<ApprovalsSource> =>
  openStoreApprovals({ config: join(folder, "sluicegate.yaml") });
const shows = (fake: Fake, text: string | RegExp) =>
  expect.poll(() => fake.frame(), { timeout: 20_000 }).toMatch(text);
/** A clock that stands still until a key is to count. */
function createClock() {
  let time = 0;
  const pass = async (): Promise<void> => {
    // What was written is known to be drawn some turns of the event loop later.
    for (let turn = 0; turn < 20; turn += 1) await nextTurn();
    time += QUIET_MS;
  };
  return { now: () => time, pass };
}

it("shows what begins to wait, takes a yes, tells of a no given elsewhere, and gives the terminal back (D5-terminal)", async () => {
  await using place = await createWorkplace();
  const source = await open(place.path);
  const fake = createFake();
  const clock = createClock();
  const watching = watchPending(source, fake, new Promise(() => {}), clock.now);
  await shows(fake, "Nothing waits for a person.");

  const held = place.session.call({ tool: "wire_transfer", arguments: { amount: 12 } }, () => "sent", {
    waitSeconds: 60,
  });
  await shows(fake, /wire_transfer {2}for ada[\s\S]*"amount": 12/);
  await clock.pass();
  fake.type("a");
  expect(await held).toMatchObject({ effect: "allow", result: "sent" });
  await shows(fake, "wire_transfer for ada: approved");

  const [second] = await place.session.decide([{ tool: "wire_transfer", arguments: { amount: 13 } }]);
  await shows(fake, '"amount": 13');
  const id = second?.approval?.id ?? "";
  await place.gate.answerApproval(id, { answer: "denied", by: "bo", via: "console" });
  await shows(fake, /Nothing waits[\s\S]*wire_transfer for ada: denied by bo, in the console/);

  fake.type("q");
  await watching;
  expect(fake.raw).toEqual([true, false]);
  expect([fake.written().startsWith(ENTER), fake.written().endsWith(LEAVE)]).toEqual([true, true]);
  const events = await place.gate.feed(0);
  const kinds = events.map(({ entry }) => entry.kind);
  expect(kinds.filter((kind) => kind === "approval-shown")).toHaveLength(2);
  expect(events.find(({ entry }) => entry.kind === "approval-answered")?.entry.data).toMatchObject({
    answer: "approved",
    by: "operator",
    via: "terminal",
  });
  await source.close();
});

it("refuses a yes until a long value was scrolled to its end, and draws itself anew in another size (D5-terminal)", async () => {
  await using place = await createWorkplace();
  const body = `${"word ".repeat(900)}the end`;
  const [asked] = await place.session.decide([{ tool: "wire_transfer", arguments: { body } }]);
  const source = await open(place.path);
  const fake = createFake();
  const clock = createClock();
  const watching = watchPending(source, fake, new Promise(() => {}), clock.now);
  await shows(fake, "space goes on");
  await clock.pass();
  fake.type("a");
  await shows(fake, "Not yet: scroll to its end first");
  expect(isWaiting(await source.find(asked?.approval?.id ?? ""))).toBe(true);
  fake.resize(60, 20);
  await shows(fake, /lines 1-13 of/);
  for (let page = 0; !fake.frame().includes("the end"); page += 1) {
    expect(page).toBeLessThan(50);
    const before = fake.frame();
    fake.type(" ");
    await expect.poll(() => fake.frame()).not.toBe(before);
  }
  fake.type("a");
  await shows(fake, "wire_transfer for ada: approved");
  fake.type("\u0003");
  await watching;
  await source.close();
});

it("takes words for a no, and shows nothing from outside as it came (D5-terminal, D7-data)", async () => {
  await using place = await createWorkplace();
  await place.session.decide([
    { tool: "wire_transfer", arguments: { to: "\u001b[2J\u001b]0;x\u0007\u202e\u009b1m" } },
  ]);
  const source = await open(place.path);
  const fake = createFake();
  const clock = createClock();
  const watching = watchPending(source, fake, new Promise(() => {}), clock.now);
  await shows(fake, "\\u001b[2J\\u001b]0;x\\u0007\\u202e\\u009b1m");
  for (const hostile of ["\u001b[2J", "\u001b]", "\u0007", "\u202e", "\u009b"]) {
    expect(fake.written()).not.toContain(hostile);
  }
  await clock.pass();
  fake.type("dwrong ");
  fake.type("account\r");
  await shows(fake, "wire_transfer for ada: denied");
  const events = await place.gate.feed(0);
  expect(events.at(-1)?.entry.data).toMatchObject({ answer: "denied", why: "wrong account" });
  fake.type("q");
  await watching;
  await source.close();
});

it("gives the terminal back when it is ended from outside, and when approvals can't be looked at (D5-terminal)", async () => {
  await using place = await createWorkplace();
  const source = await open(place.path);
  const stopped = createFake();
  await watchPending(source, stopped, Promise.resolve("SIGTERM"));
  expect([stopped.raw, stopped.written().endsWith(LEAVE)]).toEqual([[true, false], true]);

  const broken = createFake();
  const failing: ApprovalsSource = { ...source, pending: () => Promise.reject(new TypeError("broken")) };
  await expect(watchPending(failing, broken, new Promise(() => {}))).rejects.toThrow("broken");
  expect([broken.raw, broken.written().endsWith(LEAVE)]).toEqual([[true, false], true]);

  const closed = createFake();
  const watching = watchPending(source, closed, new Promise(() => {}));
  closed.input.push(null);
  await watching;
  expect(closed.written().endsWith(LEAVE)).toBe(true);
  await source.close();
});

it("looks again while its gateway is away, and says so (D5-terminal)", async () => {
  const gate = await startGateway({ policy: ASKING_TOOL });
  writeFileSync(`${gate.storeFile}.token`, OPERATOR_TOKEN);
  const source = await openApprovals({ config: join(gate.folder, "sluicegate.yaml"), url: gate.url });
  const fake = createFake();
  const watching = watchPending(source, fake, new Promise(() => {}));
  const { session_id } = (await gate.request("POST", "/v1/session", { principal: "ada" })).body;
  await gate.request("POST", `/v1/session/${session_id}/decide`, { tool: "wire_transfer" });
  await shows(fake, /Approvals at http[\s\S]*wire_transfer {2}for ada/);
  await gate.stop();
  await shows(fake, "doesn't answer");
  fake.type("q");
  await watching;
  expect(fake.written().endsWith(LEAVE)).toBe(true);
});
