/** kill −9 around an approval that is bound to a file: what was shown is what is written, once, or nothing is. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createKillableGateway, type KillableGateway } from "../fixtures/killable-gateway.ts";

const POLICY = `
version: 1
workspace: { root: project }
`;

let gateway: KillableGateway;
let session: string;
beforeEach(async () => {
  gateway = createKillableGateway(POLICY);
  mkdirSync(join(gateway.folder, "project"));
  execFileSync("git", ["-C", join(gateway.folder, "project"), "init", "-q"]);
  writeFileSync(notes(), "one\n");
  await gateway.start();
  session = (await ask("/session", {})).session_id;
});
afterEach(() => gateway.remove());

const notes = (): string => join(gateway.folder, "project", "notes.txt");
const written = (): string => readFileSync(notes(), "utf8");

/** A question with a body is a POST. */
const ask = (path: string, body?: object): Promise<any> =>
  gateway.request(body === undefined ? "GET" : "POST", `/v1${path}`, body);

const write = (content: string, file = "notes.txt"): Promise<any> =>
  ask(`/session/${session}/call`, { tool: "write_text_file", arguments: { path: file, content } });

async function killAndStart(): Promise<void> {
  await gateway.kill();
  await gateway.start();
}

const kinds = async (): Promise<readonly string[]> =>
  (await ask(`/session/${session}/journal`)).events.map(({ kind }: { kind: string }) => kind);

it("finds what a person must see again after a kill, and writes after the yes exactly what was shown, once (X15-approvals, D6-targets)", async () => {
  const { approval } = await write("two\n");
  await killAndStart();
  const shown = await ask(`/approvals/${approval.id}`);
  expect(shown).toMatchObject({ status: "pending", arguments: { content: "two\n" } });
  expect(shown.targets).toMatchObject([{ path: expect.stringMatching(/\/notes\.txt$/) }]);
  expect(shown.diff).toContain("+two");
  await ask(`/approvals/${approval.id}/approve`, {});
  await killAndStart();
  expect(written()).toBe("one\n");
  expect(await write("two\n")).toMatchObject({ effect: "allow" });
  expect(written()).toBe("two\n");
  await killAndStart();
  expect((await write("two\n")).effect).toBe("ask");
  writeFileSync(notes(), "one\n");
  // The file lies as it lay when the yes was given, and the yes is used up all the same.
  expect((await write("two\n")).effect).toBe("ask");
  expect(written()).toBe("one\n");
  expect((await kinds()).filter((kind) => kind === "call-admitted")).toHaveLength(1);
  await gateway.kill();
  expect(await gateway.verifyCopy()).toMatchObject({ status: 0 });
});

it("asks anew where the file was changed while the gateway was dead, though the yes came before (X15-approvals, D6-targets)", async () => {
  const { approval } = await write("two\n");
  await ask(`/approvals/${approval.id}/approve`, {});
  await gateway.kill();
  writeFileSync(notes(), "by somebody else\n");
  await gateway.start();
  const again = await write("two\n");
  expect(again).toMatchObject({ effect: "ask", reasons: [{ code: "approval-required" }] });
  expect(again.approval.id).not.toBe(approval.id);
  expect((await ask(`/approvals/${again.approval.id}`)).diff).toContain("-by somebody else");
  expect(written()).toBe("by somebody else\n");
});

it("admits a write at most once, whenever it is killed around it, and never half of it (X15-approvals, law-7)", async () => {
  const long = (round: number): string => `${round}\n`.repeat(20_000);
  for (let round = 0; round < 4; round += 1) {
    writeFileSync(notes(), "one\n");
    const { approval } = await write(long(round));
    await ask(`/approvals/${approval.id}/approve`, {});
    const answered = Promise.withResolvers<void>();
    const calls = Array.from({ length: 4 }, async (_, index) => {
      await write(long(round)).catch(() => null);
      if (index >= round) answered.resolve();
    });
    if (round > 0) await answered.promise;
    await gateway.kill();
    await Promise.allSettled(calls);
    expect([long(round), "one\n"]).toContain(written());
    await gateway.start();
    const entries = (await ask(`/session/${session}/journal?limit=1000`)).events;
    const used = entries.filter(
      ({ kind, data }: any) => kind === "call-admitted" && data.approval === approval.id,
    );
    expect(used.length).toBeLessThanOrEqual(1);
    // What was written was admitted before.
    if (written() !== "one\n") expect(used).toHaveLength(1);
    writeFileSync(notes(), "one\n");
    const later = await write(long(round));
    expect(later.effect).toBe(used.length === 1 ? "ask" : "allow");
  }
});

it("creates no file for a yes whose place was taken meanwhile (X15-approvals, D6-targets)", async () => {
  const place = join(gateway.folder, "project", "new.txt");
  const { approval } = await write("mine\n", "new.txt");
  await ask(`/approvals/${approval.id}/approve`, {});
  await gateway.kill();
  writeFileSync(place, "theirs\n");
  await gateway.start();
  expect((await write("mine\n", "new.txt")).effect).toBe("ask");
  expect(existsSync(place) && readFileSync(place, "utf8")).toBe("theirs\n");
});
