/** What every adapter must do, run by each with its real SDK and a scripted model. */
import { afterEach, describe, expect, it } from "vitest";
import { currentSession, withSession } from "../../src/index.ts";
import { describeAdapterApprovals } from "./adapter-approvals.case.ts";
import type { Adapter, Played, Script, SessionSource } from "./adapter-driver.ts";
import { type Office, openOffice } from "./adapter-office.ts";

/** Describes what an adapter must do. */
export function describeAdapter(adapter: Adapter): void {
  describe(`${adapter.name} keeps the promises of an adapter`, () => {
    const offices: Office[] = [];
    const open = async (): Promise<Office> => {
      const office = await openOffice();
      offices.push(office);
      return office;
    };
    afterEach(async () => {
      await Promise.all(offices.splice(0).map(({ gate }) => gate.close()));
    });
    const play = (office: Office, script: Script, session: SessionSource = office.session): Promise<Played> =>
      adapter.run({ session, tools: office.tools, script });
    describeOrder(open, play);
    describeSight(adapter, open, play);
    describeResults(adapter, open, play);
    describeSessions(adapter, open, play);
    describeAdapterApprovals(adapter, open, play);
  });
}

type Open = () => Promise<Office>;
export type Play = (office: Office, script: Script, session?: SessionSource) => Promise<Played>;

const read = { id: "c-read", tool: "read_mail", args: { query: "Q3 secret words" } };
const search = { id: "c-web", tool: "web_search", args: { query: "market" } };

/** What the library says of a call to a session that has read mail. */
async function refusalAfterMail(open: Open): Promise<string> {
  const { session } = await open();
  await session.call({ tool: "read_mail" }, () => null);
  const { reasons } = await session.call({ tool: "web_search" }, () => null);
  return reasons.map(({ message }) => message).join("\n");
}

function describeOrder(open: Open, play: Play): void {
  it("denies what would send outside after private data came in, in the gate's own words (B8, law-10)", async () => {
    const office = await open();
    const { told } = await play(office, [[read], [search]]);
    expect(office.ran).toEqual(["read_mail"]);
    expect(told["c-read"]).toContain("Q3 is up");
    expect(told["c-web"]).toContain(await refusalAfterMail(open));
    expect(told["c-web"]).not.toContain("secret words");
  });

  it("decides a batch in the order given, though the facts of its first call take long (B8, law-8)", async () => {
    const office = await open();
    office.slow.add("read_mail");
    const { told } = await play(office, [[read, search]]);
    expect(office.ran).toEqual(["read_mail"]);
    expect(told["c-web"]).toContain(await refusalAfterMail(open));
    expect(await office.journal("call-admitted", "call-refused")).toEqual([
      ["call-admitted", "read_mail"],
      ["call-refused", "web_search"],
    ]);
  });

  it("admits both calls of a batch that sends outside first, though its facts take long", async () => {
    const office = await open();
    office.slow.add("web_search");
    const { told } = await play(office, [[search, read]]);
    expect([...office.ran].sort()).toEqual(["read_mail", "web_search"]);
    expect(told["c-web"]).toContain("The market is calm.");
    expect(await office.journal("call-admitted")).toEqual([
      ["call-admitted", "web_search"],
      ["call-admitted", "read_mail"],
    ]);
    expect(office.session.label.level).toBe("internal");
  });

  it("runs what it admitted of one step side by side", async () => {
    const office = await open();
    await play(office, [
      [
        { id: "c-1", tool: "meet", args: { of: 2 } },
        { id: "c-2", tool: "meet", args: { of: 2 } },
      ],
    ]);
    expect(office.ran).toEqual(["meet", "meet"]);
  });
}

function describeSight(adapter: Adapter, open: Open, play: Play): void {
  it("never runs a hidden tool that the model names, which looks like one that isn't there (law-5, B2)", async () => {
    const office = await open();
    const names = ["read_mail", "web_search"];
    const told = async (tool: string): Promise<string> => {
      const played = await office.session.run(
        { visibility: { visibleTools: (tools) => tools.filter(({ name }) => names.includes(name)) } },
        (view) => play(office, [[{ id: "c-hidden", tool, args: { amount: 1 } }]], view),
      );
      for (const shown of played.shown) expect([...shown].sort()).toEqual(names);
      return (played.told["c-hidden"] ?? played.failed ?? "").replaceAll(tool, "<tool>");
    };
    const hidden = await told("pay");
    expect(hidden).not.toBe("");
    expect(hidden).toBe(await told("pax"));
    expect(office.ran).toEqual([]);
  });

  it("shows the model at each step what the session has then, and what it would cost (X14)", async () => {
    const office = await open();
    office.onRun.set("read_mail", () => office.takeAway("note"));
    const { shown, described } = await play(office, [[read], [search]]);
    if (shown.length === 0) return; // It shows a model nothing: there is no step, only functions.
    expect(shown[0]).toContain("note");
    expect(described[0]?.web_search).toBe("Searches the web.");
    expect(described[0]?.read_mail).toContain("Calling it blocks `web_search`");
    if (adapter.looksOnce) return;
    expect(shown[1]).not.toContain("note");
    expect(shown[1]).toContain("web_search");
    expect(described[1]?.web_search).toContain("[Sluicegate] Blocked now");
  });

  it("refuses what the policy takes away while the model works, though the model was shown it (B8)", async () => {
    const office = await open();
    office.onRun.set("read_mail", () => office.takeAway("note"));
    const { told, failed } = await play(office, [[read], [{ id: "c-note", tool: "note", args: {} }]]);
    expect(office.ran).toEqual(["read_mail"]);
    expect(told["c-note"] ?? failed).toBeTruthy();
  });
}

function describeResults(adapter: Adapter, open: Open, play: Play): void {
  it("tells the model a tool's error, keeps its raise, and records that it failed (law-8)", async () => {
    const office = await open();
    const { told } = await play(office, [[{ id: "c-fail", tool: "fail", args: {} }], [search]]);
    expect(told["c-fail"]).toContain(adapter.error ?? "the index is broken");
    expect(told["c-web"]).toContain("is blocked in this session");
    expect(office.session.label.level).toBe("confidential");
    expect(await office.journal("call-finished")).toEqual([["call-finished", "error"]]);
  });

  it("labels a streamed result before its first chunk (law-8)", async () => {
    const office = await open();
    const { told } = await play(office, [[{ id: "c-stream", tool: "stream", args: { count: 3 } }], [search]]);
    expect(office.labels).toEqual(["internal", "internal", "internal"]);
    expect(told["c-stream"]).toContain("chunk 3");
    expect(told["c-web"]).toContain("is blocked in this session");
    expect(await office.journal("call-finished")).toEqual([["call-finished", "ok"]]);
  });

  it("runs a tool with the copy of its arguments that was decided on", async () => {
    const office = await open();
    const { told } = await play(office, [
      [{ id: "c-note", tool: "note", args: { b: [1, { c: null }], a: "ü" } }],
    ]);
    expect(told["c-note"]).toContain("noted");
    expect(office.args.at(-1)).toEqual({ a: "ü", b: [1, { c: null }] });
  });
}

function describeSessions(adapter: Adapter, open: Open, play: Play): void {
  it("keeps two sessions apart that use one shared agent at once (B3-library)", async () => {
    const office = await open();
    const [one, two] = [await office.gate.open(), await office.gate.open()];
    const agent = adapter.share({ session: currentSession, tools: office.tools });
    const [first, second] = await Promise.all([
      withSession(one, () => agent.run([[read], [search]])),
      withSession(two, () => agent.run([[{ id: "c-note", tool: "note", args: {} }], [search]])),
    ]);
    expect(first.told["c-web"]).toContain("is blocked in this session");
    expect(second.told["c-web"]).toContain("The market is calm.");
    expect([one.label.level, two.label.level]).toEqual(["internal", "public"]);
  });

  it("gives a sub-agent its parent's session, and what that reads is the parent's (B8)", async () => {
    const office = await open();
    office.onRun.set("delegate", async () => {
      const { told } = await adapter.run({ session: currentSession, tools: office.tools, script: [[read]] });
      return told["c-read"];
    });
    const { told } = await play(office, [[{ id: "c-sub", tool: "delegate", args: {} }], [search]]);
    expect(told["c-sub"]).toContain("Q3 is up");
    expect(told["c-web"]).toContain("is blocked in this session");
    expect(office.ran).toEqual(["delegate", "read_mail"]);
  });

  it("refuses every call where there is no session", async () => {
    const office = await open();
    const played = await play(office, [[read]], currentSession).catch((cause: Error) => cause);
    expect(office.ran).toEqual([]);
    const said = played instanceof Error ? played.message : (played.told["c-read"] ?? played.failed);
    expect(said).toContain("There is no current session here.");
  });
}
