/**
 * A program of somebody who installed the package: every subpath whose types need no agent SDK, with values and types. It is checked here against
 * the sources, and in an empty project against the packed file.
 */
import { createGate, type Outcome, REVIEWER_TOOLS, SluicegateError, type ToolSet } from "sluicegate";
import { type Config, parseConfig } from "sluicegate/config";
import { decide, initialState, type Label, type Policy } from "sluicegate/core";
import { ERROR_CODES, type ErrorCode } from "sluicegate/errors";
import { createGateway, type Gateway, listen } from "sluicegate/gateway";
import type { Session, Store } from "sluicegate/session";
import { createMemoryStore, openSqliteStore } from "sluicegate/store";

const config: Config = await parseConfig(
  `version: 1
tools:
  search_email: { permissions: [read], source: { level: internal, trust: untrusted } }
  web_search:   { permissions: [connect], source: { level: public, trust: untrusted }, sink: public }
`,
  { file: "sluicegate.yaml", environment: {} },
);
const policy: Policy = config.policy;
const store: Store = createMemoryStore();
const lasting: Store = openSqliteStore("consumer.db");

const gate = createGate({ policy, store });
const session: Session = await gate.open({ principal: "ada" });
const order: readonly string[] | "undetermined" | null = session.checkPlan([
  "search_email",
  "web_search",
]).safeOrdering;
const mail: Outcome<number> = await session.call({ tool: "search_email" }, () => 3);
const web = await session.call({ tool: "web_search" }, () => "never");
const label: Label = session.label;
const code: ErrorCode = "usage";
const tools: ToolSet = REVIEWER_TOOLS;

const gateway: Gateway = createGateway({
  policy,
  store: lasting,
  providers: [],
  operatorToken: "a token of at least thirty-two characters",
  key: new Uint8Array(32),
  version: "1.0.0",
});
const doors = await listen(gateway, { port: 0 });
const health = await fetch(`${doors.url}/healthz`);
await doors.close();
await gateway.close();
await gate.close();

console.log(
  JSON.stringify({
    order,
    mail: mail.effect === "allow" && mail.result,
    web: web.effect,
    level: label.level,
    clean: decide(policy, initialState(policy.lattice), { tool: "web_search" }).effect,
    known: code in ERROR_CODES && new SluicegateError(code, "m", { why: "w", fix: "f" }).code === code,
    tools: tools.size > 0,
    health: health.status,
  }),
);
