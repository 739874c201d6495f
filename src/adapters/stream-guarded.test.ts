import { describe, expect, it } from "vitest";
import { createGate, createMemoryStore, definePolicy } from "../index.ts";
import type { InspectResult } from "../runtime/index.ts";
import { streamGuarded } from "./stream-guarded.ts";

/** Finds the word "secret" in a text. */
const inspect: InspectResult = async (result) =>
  String(result).includes("secret")
    ? { findings: [{ kind: "secret/word", place: "" }], label: { level: "secret" } }
    : { findings: [], label: null };

const open = () =>
  createGate({
    policy: definePolicy({ tools: { read: { permissions: ["read"] } } }),
    store: createMemoryStore(),
    inspect,
  }).open();

/** The chunks that a reader gets, each with the session's level as it got it. */
async function read(run: () => unknown): Promise<string[]> {
  const session = await open();
  const got: string[] = [];
  for await (const chunk of streamGuarded(session, { tool: "read", input: {}, run }))
    got.push(`${chunk}: ${session.label.level}`);
  return got;
}

describe("a tool that streams, where results are looked into", () => {
  it("has raised the session before a chunk is given on in which something is found (C1-detectors)", async () => {
    const got = await read(async function* () {
      yield "plain";
      yield "a secret";
      yield "more";
    });
    expect(got).toEqual(["plain: public", "a secret: secret", "more: secret"]);
  });

  it("is found out with what comes in two pieces by the time of the second (C1-detectors)", async () => {
    const got = await read(async function* () {
      yield "a sec";
      yield "ret";
    });
    expect(got).toEqual(["a sec: public", "ret: secret"]);
  });

  it("has raised the session before its one result is given on (C1-detectors)", async () => {
    expect(await read(async () => "a secret")).toEqual(["a secret: secret"]);
  });

  it("has raised the session before its error is (C1-detectors)", async () => {
    const session = await open();
    const run = async function* () {
      yield "plain";
      throw new Error("no secret");
    };
    const levels: string[] = [];
    const reading = (async () => {
      for await (const _ of streamGuarded(session, { tool: "read", input: {}, run })) levels.push("chunk");
    })().catch(() => levels.push(session.label.level));
    await reading;
    expect(levels).toEqual(["chunk", "secret"]);
  });
});
