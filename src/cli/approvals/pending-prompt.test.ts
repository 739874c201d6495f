/** The questions about what waits, on streams that stand for a terminal, over a store that another gate asks in. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { expect, it, vi } from "vitest";
import { OPERATOR_TOKEN, startGateway } from "../../../test/scenarios/running-gateway.ts";
import { createWorkplace } from "./approvals.test-kit.ts";
import { openStoreApprovals } from "./approvals-store.ts";
import { openApprovals } from "./open-approvals.ts";
import { promptPending, type TerminalStreams } from "./pending-prompt.ts";

const POLICY = `version: 1
tools:
  wire_transfer: { permissions: [write], approval: always }
`;

interface Fake extends TerminalStreams {
  readonly raw: boolean[];
  /** What came since the last one that was waited for. */
  shows(text: string): Promise<string>;
  type(line: string): void;
}

/** What the questions need of a terminal, and no more. */
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
    shows: async (wanted) => {
      await expect.poll(() => stripVTControlCharacters(text), { timeout: 20_000 }).toContain(wanted);
      const shown = text;
      text = "";
      return shown;
    },
    type: (line) => void input.write(`${line}\r`),
  };
}

const open = (folder: string) => openStoreApprovals({ config: join(folder, "sluicegate.yaml") });
const NUMBER = "The number of the one to see; q leaves: ";
const ANSWER = "`approve` or `deny`; anything else goes back: ";
const WHY = "Why, for the journal? Enter leaves it out: ";

it("lists what begins to wait, shows the one that is chosen, takes the answer with words, and ends at `q` (D5-terminal)", async () => {
  await using place = await createWorkplace();
  await using source = { ...(await open(place.path)), [Symbol.asyncDispose]: () => source.close() };
  const fake = createFake();
  const prompting = promptPending(source, fake, new Promise(() => {}));
  await fake.shows("Nothing waits for a person.");

  const held = place.session.call({ tool: "wire_transfer", arguments: { amount: 12 } }, () => "sent", {
    waitSeconds: 60,
  });
  expect(await fake.shows(NUMBER)).toContain("wire_transfer");
  fake.type("1");
  const card = await fake.shows(ANSWER);
  expect(stripVTControlCharacters(card)).toMatch(/tool {6}wire_transfer[\s\S]*"amount": 12[\s\S]*expires in/);
  fake.type("approve");
  await fake.shows(WHY);
  fake.type("agreed");
  expect(await held).toMatchObject({ effect: "allow", result: "sent" });
  expect(await fake.shows("Nothing waits for a person.")).toContain("approved by operator, in a terminal");

  await place.session.decide([{ tool: "wire_transfer", arguments: { amount: 13 } }]);
  await fake.shows(NUMBER);
  fake.type("1");
  await fake.shows(ANSWER);
  // No answer is a word that was not asked for.
  fake.type("a");
  await fake.shows(NUMBER);
  fake.type("1");
  await fake.shows(ANSWER);
  fake.type("deny");
  await fake.shows(WHY);
  fake.type("");
  expect(await fake.shows("Nothing waits for a person.")).toContain("denied by operator, in a terminal");
  fake.type("q");
  await prompting;
  expect(fake.raw).toEqual([true, false]);
  const events = (await place.gate.feed(0)).map(({ entry }) => entry);
  expect(events.filter(({ kind }) => kind === "approval-answered").map(({ data }) => data)).toMatchObject([
    { answer: "approved", by: "operator", via: "terminal", why: "agreed" },
    { answer: "denied", by: "operator", via: "terminal" },
  ]);
});

it("says who was faster, and takes nothing that was typed ahead for an answer (D5-terminal)", async () => {
  await using place = await createWorkplace();
  const [asked] = await place.session.decide([{ tool: "wire_transfer", arguments: { amount: 13 } }]);
  await using source = { ...(await open(place.path)), [Symbol.asyncDispose]: () => source.close() };
  const fake = createFake();
  const prompting = promptPending(source, fake, new Promise(() => {}));
  await fake.shows(NUMBER);
  fake.type("1\rapprove\r\r1\rapprove\r");
  await fake.shows(ANSWER);
  expect(await place.gate.pendingApprovals()).toHaveLength(1);
  await place.gate.answerApproval(asked?.approval?.id ?? "", { answer: "denied", by: "bo", via: "console" });
  expect(await fake.shows("Nothing waits for a person.")).toContain("denied by bo, in the console");
  fake.input.push(null);
  await prompting;
});

it("shows all of a long value before it asks, and nothing from outside as it came (D5-terminal, D7-data)", async () => {
  await using place = await createWorkplace();
  const body = `\u001b[2J\u001b]0;x\u0007\u202e\u009b1m ${"word ".repeat(900)}the end`;
  await place.session.decide([{ tool: "wire_transfer", arguments: { body } }]);
  await using source = { ...(await open(place.path)), [Symbol.asyncDispose]: () => source.close() };
  const fake = createFake();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const prompting = promptPending(source, fake, ended);
  await fake.shows(NUMBER);
  fake.type("1");
  const card = await fake.shows(ANSWER);
  expect(card).toContain("\\u001b[2J\\u001b]0;x\\u0007\\u202e\\u009b1m");
  expect(card).toContain('the end"');
  for (const hostile of ["\u001b[2J", "\u001b]", "\u0007", "\u202e", "\u009b"])
    expect(card).not.toContain(hostile);
  end();
  await prompting;
  expect(fake.raw).toEqual([true, false]);
});

it("shows what is proposed after three calls alike, and gives it with the yes (X19)", async () => {
  const gate = await startGateway({ policy: POLICY });
  writeFileSync(`${gate.storeFile}.token`, OPERATOR_TOKEN);
  const source = await openApprovals({ config: join(gate.folder, "sluicegate.yaml"), url: gate.url });
  try {
    const { session_id } = (await gate.request("POST", "/v1/session", { principal: "ada" })).body;
    const decide = async (amount: number) =>
      (
        await gate.request("POST", `/v1/session/${session_id}/decide`, {
          tool: "wire_transfer",
          arguments: { amount },
        })
      ).body;
    for (const amount of [1, 2, 3]) {
      await gate.request("POST", `/v1/approvals/${(await decide(amount)).approval.id}/approve`, {});
      await decide(amount);
    }
    await decide(2);
    const fake = createFake();
    const prompting = promptPending(source, fake, new Promise(() => {}));
    await fake.shows(NUMBER);
    fake.type("1");
    const card = await fake.shows(
      "`approve`, `approve such` as proposed, or `deny`; anything else goes back: ",
    );
    expect(stripVTControlCharacters(card)).toMatch(
      /Proposed, since [\s\S]*Calls of `wire_transfer` for session/,
    );
    fake.type("approve such");
    await fake.shows(WHY);
    fake.type("");
    await fake.shows("Standing approvals");
    fake.type("q");
    await prompting;
    // The yes to the call itself, and one that it covers.
    expect([await decide(2), await decide(3)]).toMatchObject([{ effect: "allow" }, { effect: "allow" }]);
  } finally {
    await gate.stop();
  }
});

it("shows those that are alike, answers them together, and clears those whose caller has gone (X19, D5-terminal)", async () => {
  const gate = await startGateway({ policy: POLICY });
  writeFileSync(`${gate.storeFile}.token`, OPERATOR_TOKEN);
  const source = await openApprovals({ config: join(gate.folder, "sluicegate.yaml"), url: gate.url });
  const real = performance.now.bind(performance);
  try {
    const { session_id } = (await gate.request("POST", "/v1/session", { principal: "ada" })).body;
    const decide = async (amount: number) =>
      (
        await gate.request("POST", `/v1/session/${session_id}/decide`, {
          tool: "wire_transfer",
          arguments: { amount },
        })
      ).body;
    for (const amount of [11, 12, 13]) await decide(amount);
    const fake = createFake();
    const prompting = promptPending(source, fake, new Promise(() => {}));
    await fake.shows(NUMBER);
    fake.type("1");
    await fake.shows("`deny`, `together` shows it with the 2 like it; anything else goes back: ");
    fake.type("together");
    const shown = await fake.shows("`approve all` 3 or `deny all`; anything else goes back: ");
    for (const amount of [11, 12, 13]) expect(shown).toContain(`"amount": ${amount}`);
    fake.type("approve all");
    await fake.shows(WHY);
    fake.type("");
    await fake.shows("Nothing waits for a person.");
    for (const amount of [11, 12, 13]) expect(await decide(amount)).toMatchObject({ effect: "allow" });

    await decide(14);
    vi.spyOn(performance, "now").mockImplementation(() => real() + 61_000);
    await fake.shows("its caller has gone");
    fake.type("clear");
    // What is typed before the next question is dropped.
    const cleared = await fake.shows("Nothing waits for a person.");
    expect(cleared).toContain("1 call denied whose caller had gone");
    fake.type("q");
    await prompting;
    expect(await decide(14)).toMatchObject({ effect: "deny" });
  } finally {
    await gate.stop();
    vi.restoreAllMocks();
  }
});

it("looks again while its gateway is away, and says so (D5-terminal)", async () => {
  const gate = await startGateway({ policy: POLICY });
  writeFileSync(`${gate.storeFile}.token`, OPERATOR_TOKEN);
  const source = await openApprovals({ config: join(gate.folder, "sluicegate.yaml"), url: gate.url });
  const fake = createFake();
  const prompting = promptPending(source, fake, new Promise(() => {}));
  const { session_id } = (await gate.request("POST", "/v1/session", { principal: "ada" })).body;
  await gate.request("POST", `/v1/session/${session_id}/decide`, { tool: "wire_transfer" });
  await fake.shows(NUMBER);
  await gate.stop();
  await fake.shows("doesn't answer");
  fake.type("q");
  await prompting;
  const broken = { ...source, pending: () => Promise.reject(new TypeError("broken")) };
  await expect(promptPending(broken, createFake(), new Promise(() => {}))).rejects.toThrow("broken");
});
