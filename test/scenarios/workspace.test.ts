/** The workspace behind a whole gateway: what git knows is free, all else asks a person, who sees what would happen. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type RunningGateway, startGateway } from "./running-gateway.ts";

const POLICY = `
version: 1
workspace: { root: . }
tools:
  read_payroll: { permissions: [read], source: confidential }
  wire: { permissions: [write], approval: "args.amount > 1000" }
roles:
  fixer: { tools: [Read, Edit, Write], approval: { Edit: never, Write: never } }
`;

let gate: RunningGateway;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sluicegate-workspace-"));
  const git = (...args: string[]) => execFileSync("git", ["-C", folder, ...args]);
  git("init", "-q");
  writeFileSync(join(folder, ".gitignore"), ".env\nsluicegate.db*\n");
  writeFileSync(join(folder, ".env"), "TOKEN=canary\n");
  writeFileSync(join(folder, "sluicegate.yaml"), POLICY);
  writeFileSync(join(folder, "sluicegate.db.token"), "of another start");
  gate = await startGateway({ policy: POLICY, folder });
});
afterAll(async () => {
  await gate.stop();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => writeFileSync(join(folder, "notes.txt"), "one\r\ntwo\r\n"));

const open = async (options: object = {}): Promise<string> =>
  (await gate.request("POST", "/v1/session", options)).body.session_id;
const call = async (session: string, tool: string, args: object) =>
  (await gate.request("POST", `/v1/session/${session}/call`, { tool, arguments: args })).body;
const approve = (id: string) => gate.request("POST", `/v1/approvals/${id}/approve`, {});
const look = async (id: string) => (await gate.request("GET", `/v1/approvals/${id}`)).body;
const textOf = (answer: any): string => answer.result.content[0].text;

describe("the workspace behind a gateway", () => {
  it("reads what belongs to the project, and asks for what git ignores (D1, D3, E6)", async () => {
    const session = await open();
    expect(textOf(await call(session, "Read", { file_path: "notes.txt" }))).toContain("two");
    expect(textOf(await call(session, "read_text_file", { path: "notes.txt" }))).toContain("two");
    const asked = await call(session, "Read", { file_path: ".env" });
    expect(asked).toMatchObject({ effect: "ask", reasons: [{ code: "approval-required" }] });
    expect(JSON.stringify(asked)).not.toContain("canary");
    expect(await look(asked.approval.id)).toMatchObject({
      why: ["Git ignores the path."],
      targets: [{ path: expect.stringMatching(/\/\.env$/) }],
      release: false,
      diff: null,
    });
    await approve(asked.approval.id);
    expect(textOf(await call(session, "Read", { file_path: ".env" }))).toContain("canary");
    expect(await call(session, "Read", { file_path: ".env" })).toMatchObject({ effect: "ask" });
  });

  it("finds nothing in what would have asked (D4)", async () => {
    const session = await open();
    const found = await call(session, "Grep", { pattern: "canary|two", output_mode: "content" });
    expect(textOf(found)).toContain("notes.txt");
    expect(textOf(found)).not.toContain("canary");
  });

  it("writes what was shown, once, and asks anew where the file has changed since (D6-targets, D7-data)", async () => {
    const session = await open();
    const edit = { file_path: "notes.txt", old_string: "two", new_string: "three" };
    const asked = await call(session, "Edit", edit);
    const { diff } = await look(asked.approval.id);
    expect(diff).toContain("-two");
    expect(diff).toContain("+three");
    await approve(asked.approval.id);
    writeFileSync(join(folder, "notes.txt"), "zero\r\ntwo\r\n");
    const again = await call(session, "Edit", edit);
    expect(again).toMatchObject({ effect: "ask" });
    expect(again.approval.id).not.toBe(asked.approval.id);
    await approve(again.approval.id);
    expect(await call(session, "Edit", edit)).toMatchObject({ effect: "allow" });
    expect(readFileSync(join(folder, "notes.txt"), "utf8")).toBe("zero\r\nthree\r\n");
    expect(await call(session, "Edit", { ...edit, old_string: "zero" })).toMatchObject({ effect: "ask" });
  });

  it("refuses what guards the gateway, whoever would say yes (D6-targets)", async () => {
    const session = await open();
    for (const path of ["sluicegate.db", "sluicegate.db-wal", "sluicegate.db.token", "sluicegate.yaml"]) {
      const refused = await call(session, "Read", { file_path: path });
      expect(refused, path).toMatchObject({ effect: "deny", approval: null });
      expect(refused.reasons[0].code).toBe("protected-path");
    }
    for (const path of ["sluicegate.yaml", "sluicegate.db.key"]) {
      const refused = await call(session, "Write", { file_path: path, content: "" });
      expect(refused, path).toMatchObject({ effect: "deny", approval: null });
    }
  });

  it("lets a role write unasked where its policy says so, within the project alone (D1)", async () => {
    const session = await open({ role: "fixer" });
    const edit = { file_path: "notes.txt", old_string: "two", new_string: "2" };
    expect(await call(session, "Edit", edit)).toMatchObject({ effect: "allow" });
    expect(readFileSync(join(folder, "notes.txt"), "utf8")).toBe("one\r\n2\r\n");
    expect(await call(session, "Write", { file_path: "new.txt", content: "x" })).toMatchObject({
      effect: "allow",
    });
    for (const path of [".env", "../elsewhere.txt", ".gitignore", ".git/config"]) {
      const asked = await call(session, "Write", { file_path: path, content: "x" });
      expect(asked, path).toMatchObject({ effect: "ask" });
    }
  });

  it("shows as a release what would put private data into the files (D7-data)", async () => {
    const session = await open();
    const read = { calls: [{ tool: "read_payroll", arguments: {} }] };
    await gate.request("POST", `/v1/session/${session}/decide`, read);
    const asked = await call(session, "Write", { file_path: "notes.txt", content: "salaries" });
    expect(asked).toMatchObject({ effect: "ask" });
    expect(asked.reasons.map(({ code }: any) => code)).toEqual([
      "flow-blocked",
      "approval-required",
      "approval-required",
    ]);
    expect(await look(asked.approval.id)).toMatchObject({ release: true });
    await approve(asked.approval.id);
    expect(await call(session, "Write", { file_path: "notes.txt", content: "salaries" })).toMatchObject({
      effect: "allow",
    });
    const { events } = (await gate.request("GET", `/v1/session/${session}/journal`)).body;
    const admitted = events.filter(({ kind }: any) => kind === "call-admitted").at(-1);
    expect(admitted.data).toMatchObject({ release: true, tool: "mcp__workspace__Write" });
  });

  it("asks by a condition on the arguments (X3-approval)", async () => {
    const session = await open();
    const decide = async (args: object) =>
      (await gate.request("POST", `/v1/session/${session}/decide`, { tool: "wire", arguments: args })).body;
    expect(await decide({ amount: 1000 })).toMatchObject({ effect: "allow" });
    for (const amount of [1001, 1000.5, "5", null, undefined]) {
      expect(await decide({ amount }), String(amount)).toMatchObject({ effect: "ask" });
    }
  });
});
