/**
 * The gateway: a gate, the servers behind it, and its REST and MCP interfaces. `listen` serves it on a port,
 * `serveSessionOnStdio` on stdio.
 */
import type { Policy } from "../core/index.ts";
import type { IdentitiesConfig, NotifyConfig } from "../policy-file/index.ts";
import type { SignIns } from "../providers/mcp/index.ts";
import {
  Appeals,
  type Clock,
  createGate,
  examineCalls,
  type Gate,
  type InspectResult,
  Pins,
  type Runner,
  type Store,
  systemClock,
  type ToolProvider,
} from "../runtime/index.ts";
import { executeCall, type OtherPolicy } from "../runtime/internal.ts";
import { SessionIndex } from "./console-data/session-index.ts";
import { AnswerLinks } from "./http/answer-page.ts";
import { createApp, type Outgoing } from "./http/app.ts";
import { Authority } from "./http/authority.ts";
import { createConsoleFiles } from "./http/console-files.ts";
import type { OriginRules } from "./http/origin.ts";
import { DEFAULT_LIMITS, type GatewayLimits } from "./limits.ts";
import { createMcpService, type McpService } from "./mcp/session-server.ts";
import { createMcpEndpoint } from "./mcp/transport/http-endpoint.ts";
import { createMetrics } from "./metrics.ts";
import { Notifier } from "./notifier.ts";
import type { Execute, Telemetry } from "./service.ts";
import { watchStore } from "./state/store-health.ts";
import {
  noPolicyFile,
  type PolicyFile,
  type Reloaded,
  type ReloadOptions,
  reloadPolicy,
} from "./tools/reload-policy.ts";
import { createToolRegistry, type ToolRegistry } from "./tools/tool-registry.ts";

export interface GatewayOptions {
  readonly policy: Policy;
  readonly store: Store;
  readonly providers: readonly ToolProvider[];
  /** By server, for those that use OAuth. Left out: none does. */
  readonly signIns?: ReadonlyMap<string, SignIns>;
  /** The operator's token, which may do everything. */
  readonly operatorToken: string;
  /** At least 32 random bytes, stored with the store: keys session tokens and the journal's digests. */
  readonly key: Uint8Array;
  /** Who else may use the gateway, and what for. Left out: nobody. */
  readonly identities?: IdentitiesConfig | null;
  /** Who is notified of pending approvals. Left out: nobody. */
  readonly notify?: NotifyConfig | null;
  readonly limits?: Partial<GatewayLimits>;
  readonly clock?: Clock;
  /** Inspects each result before it is released. It can only raise the label. Left out, nothing is inspected. */
  readonly inspect?: InspectResult;
  /**
   * The id of this process, if several share the store. Calls that ended processes left open are ended at the start.
   */
  readonly runner?: Runner;
  readonly version: string;
  /** The folder of the built console: `index.html`, and `assets` beside it. Left out, there is no console. */
  readonly consoleFolder?: string;
  /** The file from which the policy is reloaded; left out, it can't be. */
  readonly policyFile?: PolicyFile;
  /** The policy by which another gateway on the store decides; left out, that isn't known. */
  readonly otherPolicy?: () => OtherPolicy | null;
  /** Measures calls; left out, nothing does. Closed with the gateway. */
  readonly telemetry?: Telemetry;
  /** Called with errors that have no caller. */
  readonly onFault?: (cause: unknown) => void;
}

export interface Gateway {
  readonly gate: Gate;
  readonly catalog: ToolRegistry;
  readonly service: McpService;
  /** Answers one HTTP request. Refuses every host until `allowHosts` was called. */
  fetch(request: Request, connection?: { readonly outgoing?: Outgoing }): Response | Promise<Response>;
  /** Sets the host names under which the gateway can be reached. */
  allowHosts(rules: OriginRules): void;
  /** Ends running calls, and closes the servers and the store. */
  close(): Promise<void>;
}

/** How often expired approvals are ended. */
const SWEEP_MS = 10 * 60 * 1000;
/** How often the clock is compared with other processes' entries. */
const CATCH_UP_MS = 1000;

/** A gateway that is ready to answer. Its servers may still be starting; see `catalog.settled`. */
export function createGateway(options: GatewayOptions): Gateway {
  const { policy, providers, key } = options;
  const onFault = options.onFault ?? (() => {});
  const clock = options.clock ?? systemClock;
  const storeHealth = watchStore(options.store, clock, onFault);
  const { store } = storeHealth;
  const pins = new Pins({ store, clock, policyVersion: () => gate.policy.version });
  const { inspect, runner } = options;
  const gate: Gate = createGate({
    policy,
    store,
    clock,
    digestKey: key,
    onFault,
    facts: examineCalls(providers, pins),
    ...(inspect && { inspect }),
    ...(runner && { runner }),
  });
  const catalog = createToolRegistry({ gate, base: policy, providers, pins, onFault });
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const authority = new Authority({
    operatorToken: options.operatorToken,
    key,
    identities: options.identities,
    clock,
  });
  const index = new SessionIndex({ gate });
  const appeals = new Appeals(store);
  const { version, signIns = new Map() } = options;
  const { policyFile } = options;
  let reloading: Promise<unknown> = Promise.resolve();
  // One at a time, so that the file that was read last is in force.
  const reload = (how: ReloadOptions): Promise<Reloaded> => {
    const reloaded = reloading.then(() => {
      if (policyFile === undefined) throw noPolicyFile();
      return reloadPolicy({ catalog, authority, notifier, file: policyFile }, how);
    });
    reloading = reloaded.catch(() => {});
    return reloaded;
  };
  const { telemetry } = options;
  const run: Execute = (session, call, how) => executeCall(session, catalog.providers, call, how);
  const execute = telemetry?.measured(run) ?? run;
  const { notify } = options;
  const links = notify ? new AnswerLinks(key) : null;
  const shared = {
    gate,
    catalog,
    authority,
    limits,
    clock,
    version,
    index,
    storeHealth,
    appeals,
    reload,
    otherPolicy: options.otherPolicy ?? (() => null),
    execute,
    signIns,
    links,
  };
  const service = createMcpService(shared, key, onFault);
  const mcp = createMcpEndpoint(service, onFault);
  const metrics = createMetrics(gate, catalog, storeHealth);
  const notifier = notify && links ? new Notifier({ gate, config: notify, links, onFault }) : null;
  // Expire approvals periodically, so that their arguments are deleted even if nobody lists them.
  const sweep = setInterval(() => gate.pendingApprovals().catch(onFault), SWEEP_MS).unref();
  // An unreadable store is reported to callers that need it.
  const catchUp = setInterval(() => gate.catchUp().catch(() => {}), CATCH_UP_MS).unref();
  void gate.calls.endThoseOfGone().catch(onFault);
  let rules: OriginRules = { hosts: new Set() };
  const app = createApp({
    service,
    mcp,
    metrics,
    origin: () => rules,
    onFault,
    ...(options.consoleFolder !== undefined && {
      consoleFiles: createConsoleFiles(options.consoleFolder, () => rules.basePath ?? ""),
    }),
  });
  return {
    gate,
    catalog,
    service,
    fetch: (request, connection) => {
      const answer = () => app.fetch(request, connection);
      return telemetry ? telemetry.within(request.headers.get("traceparent"), answer) : answer();
    },
    allowHosts: (given) => {
      rules = given;
      for (const one of signIns.values()) one.linkTo(given.origin);
    },
    close: async () => {
      clearInterval(sweep);
      clearInterval(catchUp);
      metrics.stop();
      notifier?.close();
      // Before the servers are closed, which would look as if the calls had failed there.
      await gate.calls.endOwn().catch(onFault);
      service.notices.close();
      service.conversations.close();
      await mcp.close();
      await catalog.close();
      await gate.close();
      await telemetry?.close();
    },
  };
}
