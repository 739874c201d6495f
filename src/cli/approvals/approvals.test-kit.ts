/** For the tests of what shows approvals: one to change at will, and a store in which calls wait. */
import { join } from "node:path";
import { loadConfig } from "../../policy-file/index.ts";
import { createGate, type Gate, type Session } from "../../runtime/index.ts";
import { openSqliteStore } from "../../stores/index.ts";
import { createFolder, createStateStore, type Folder } from "../cli.test-kit.ts";
import type { WireApproval } from "./parse-approval.ts";

/** A call that waits, as REST tells about it. */
export const approvalOf = (changes: Partial<WireApproval> = {}): WireApproval => ({
  id: `appr_${"1".repeat(32)}`,
  status: "pending",
  session_id: "sess_1",
  principal: "ada",
  approvers: 1,
  approved_by: [],
  call_id: "call_1",
  tool: "wire_transfer",
  arguments: { amount: 12 },
  reasons: [{ code: "approval-required", message: "Tool `wire_transfer` waits for a person." }],
  why: ["The operator's policy asks for an approval of each call."],
  release: false,
  targets: [],
  diff: null,
  label: { level: "internal", categories: [], trust: "untrusted" },
  requested_at: "2026-11-22T08:00:00.000Z",
  expires_at: "2026-11-22T09:00:00.000Z",
  waiting_behind: 0,
  proposal: null,
  alike: 0,
  caller_gone: false,
  ...changes,
});

/** Asks at every transfer; its server needs a variable that no terminal has, and is never started here. */
export const ASKING_POLICY = `version: 1
servers:
  mail:
    command: node
    args: [none.ts]
    env: { MAILBOX: "\${A_VARIABLE_OF_THE_AGENTS_OWN}" }
tools:
  search_email: { permissions: [read], source: { level: internal, trust: untrusted } }
  wire_transfer: { permissions: [write], approval: always }
`;

export interface Workplace extends Folder, AsyncDisposable {
  /** A gate like the one of `sluicegate mcp`: it shares the store, and has no port. */
  readonly gate: Gate;
  readonly session: Session;
}

/** A folder with a policy, a store, and a process' gate on it. */
export async function createWorkplace(policy = ASKING_POLICY): Promise<Workplace> {
  const folder = createFolder({ "sluicegate.yaml": policy });
  const { policy: loaded } = await loadConfig(join(folder.path, "sluicegate.yaml"), {
    environment: { A_VARIABLE_OF_THE_AGENTS_OWN: "inbox" },
  });
  const gate = createGate({ policy: loaded, store: openSqliteStore(createStateStore(folder.path)) });
  const session = await gate.open({ principal: "ada" });
  return {
    ...folder,
    gate,
    session,
    [Symbol.asyncDispose]: async () => {
      await gate.close();
      folder[Symbol.dispose]();
    },
  };
}
