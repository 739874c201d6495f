/** From a policy file and a store to a running gateway: what `serve` and `mcp` have in common. */
import { createHash } from "node:crypto";
import { dirname } from "node:path";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import type { Policy } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import type { Gateway, GatewayLimits } from "../../gateway/index.ts";
import { assertStoreNotLost, readSecrets, type Secrets } from "../../gateway/state/secrets.ts";
import type { HookGate } from "../../hooks/index.ts";
import {
  type Config,
  type IssuerConfig,
  loadConfig,
  type NotifyConfig,
  type WebhookConfig,
} from "../../policy-file/index.ts";
import { connectServer } from "../../providers/mcp/index.ts";
import { createRateLimitedLog } from "../../providers/mcp/transport/rate-limited-log.ts";
import {
  createRunOrder,
  type Runner,
  type RunOrder,
  type Store,
  systemClock,
  systemRandom,
} from "../../runtime/index.ts";
import { PolicyAnnouncements, SealedValues } from "../../runtime/internal.ts";
import { openSqliteStore } from "../../stores/index.ts";
import { holdRunnerLock } from "../../stores/sqlite/runner-lock.ts";
import { CONSOLE_FOLDER } from "../built-console.ts";
import type { Log } from "../terminal/lasting.ts";
import { packageVersion } from "../version.ts";
import { openConnectors, openDetectors } from "./open-connectors.ts";
import { openHooks } from "./open-hooks.ts";
import { openSignIns } from "./open-sign-ins.ts";
import { openTelemetry } from "./open-telemetry.ts";
import { openWorkspace } from "./open-workspace.ts";
import { prepareStateFolder } from "./state-folder.ts";
import { storePlaceOf } from "./store-file.ts";

export interface RunOptions {
  readonly config: string;
  readonly store?: string | undefined;
  readonly limits?: Partial<GatewayLimits>;
  /** Warnings and faults, a line each. */
  readonly log: Log;
  /** Whether the log also has what the servers behind it say. */
  readonly verbose?: boolean | undefined;
  /** Whether it serves agents, and so tells other gateways on the store by which policy it decides. */
  readonly announces?: boolean;
}

export interface Running {
  readonly gateway: Gateway;
  readonly config: Config;
  readonly storeFile: string;
  /** The store, for people. */
  readonly storeName: string;
  /** The operator's token where this start made it. */
  readonly freshToken: string | null;
  /** A gate on the same store for the hooks of coding agents. To be closed before the gateway. */
  openHooks(): Promise<HookGate>;
  /** Has ended sessions kept no longer than the policy says. To be stopped before the gateway is closed. */
  keepRetention(): Promise<{ stop(): Promise<void> } | null>;
}

/** Starts everything but the doors. What is broken is told before anything runs. */
export async function runGateway(options: RunOptions): Promise<Running> {
  // THREAT: clients choose how many requests fail, and each may cost a stack trace.
  const log = createRateLimitedLog(
    (line) => options.log(line, "error"),
    () => performance.now(),
  );
  const fault = (cause: unknown): void =>
    log(`fault: ${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}`);
  const stopWatching = (): void => void process.off("unhandledRejection", fault);
  // A promise that nobody waits for must not end the gateway for everybody else; what it was for has failed closed.
  process.on("unhandledRejection", fault);
  try {
    const running = await start(options, fault);
    const close = (): Promise<void> => running.gateway.close().finally(stopWatching);
    return { ...running, gateway: { ...running.gateway, close } };
  } catch (error) {
    stopWatching();
    throw error;
  }
}

async function start(
  { config: file, store, limits, log, verbose, announces = false }: RunOptions,
  fault: (cause: unknown) => void,
): Promise<Running> {
  const config = await loadConfig(file);
  for (const { file: at, line, column, message } of config.warnings)
    log(`${at}:${line}:${column}: ${message}`);
  const storeFile = await prepareStateFolder({ config: config.file, store, log });
  const place = storePlaceOf(config.file, store);
  const { opened, secrets, holdRunner, order } = await (place.url === null
    ? openFile(storeFile)
    : openDatabase(storeFile, place.url));
  // It starts a small process of its own, which costs least while this one is small.
  const workspace = await openWorkspace(config, storeFile);
  const connectors = await openConnectors(config, log);
  const detectors = await openDetectors(config);
  const telemetry = await openTelemetry();
  let policyVersion = config.policy.version;
  const { key } = secrets;
  const sealing = { store: opened, clock: systemClock, key, policyVersion: () => policyVersion };
  const signIns = openSignIns(config, sealing, order);
  const upstreams = [...config.servers.values()].map((server) =>
    connectServer(server, signIns.get(server.id), {
      version: packageVersion(),
      ...(verbose && { onLog: (line: string) => log(`${server.id}: ${line}`) }),
    }),
  );
  // The servers take their time to start: once they are on their way, what stands before them is loaded meanwhile.
  await setImmediate();
  const { createGateway } = await import("./doors.ts");
  const hookGates = new Set<HookGate>();
  const id = Buffer.from(systemRandom(8)).toString("hex");
  const runner = await holdRunner(id);
  const announcements = new PolicyAnnouncements({
    store: opened,
    clock: systemClock,
    id,
    policyVersion: () => policyVersion,
    onOther: ({ version }) =>
      log(
        `Another gateway on this store decides by policy ${version}, this one by ${policyVersion}.`,
        "error",
      ),
  });
  const gateway = createGateway({
    runner,
    policy: config.policy,
    policyFile: {
      load: async () => {
        const next = await loadConfig(file);
        assertOnlyPolicyChanged(config, next);
        return next;
      },
      onReload: (policy) => {
        policyVersion = policy.version;
        if (announces) void announcements.announce().catch(fault);
        for (const hooks of hookGates) hooks.usePolicy(policy);
      },
    },
    identities: config.identities,
    notify: config.notify,
    store: opened,
    providers: [...upstreams, ...connectors, ...workspace],
    signIns,
    ...(detectors && { inspect: detectors.inspect }),
    operatorToken: secrets.operatorToken,
    key: secrets.key,
    version: packageVersion(),
    consoleFolder: CONSOLE_FOLDER,
    onFault: fault,
    otherPolicy: () => announcements.other,
    ...(telemetry && { telemetry }),
    ...(limits && { limits }),
  });
  const stopAnnouncing = announces ? await announce(announcements, log, fault) : null;
  return {
    gateway: {
      ...gateway,
      close: () =>
        Promise.resolve(stopAnnouncing?.())
          .then(gateway.close)
          .finally(() => detectors?.close())
          .finally(runner.release),
    },
    config,
    storeFile,
    storeName: place.name,
    freshToken: secrets.fresh ? secrets.operatorToken : null,
    keepRetention: async () => {
      const { retention } = config;
      if (retention === null) return null;
      const { keepRetention } = await import("../storage/keep-retention.ts");
      const policy = (): Policy => gateway.gate.policy;
      const values = new SealedValues(sealing);
      return keepRetention({ store: opened, storeFile, retention, policy, values }, log);
    },
    openHooks: async () => {
      const hooks = await openHooks(config, {
        store: opened,
        storeFile,
        key: secrets.key,
        ...(detectors && { inspect: detectors.inspect }),
        onFault: fault,
      });
      hookGates.add(hooks);
      return hooks;
    },
  };
}

/** How often another gateway's announcement is looked for. */
const LOOK_MS = 1000;

/** Announces the policy, and listens to others' announcements. Answers how to stop; nothing of it rejects. */
async function announce(
  announcements: PolicyAnnouncements,
  log: Log,
  fault: (cause: unknown) => void,
): Promise<() => Promise<void>> {
  const before = await announcements.announce().catch(fault);
  if (before) log(`The policy of this store's gateways was ${before.version} since ${before.since}.`);
  // A store that can't be read is reported where a caller waits for it.
  const listening = setInterval(() => announcements.look().catch(() => {}), LOOK_MS).unref();
  return () => {
    clearInterval(listening);
    return announcements.end().catch(fault);
  };
}

interface OpenedStore {
  readonly opened: Store;
  readonly secrets: Secrets;
  readonly holdRunner: (id: string) => Promise<Runner & { release(): void }>;
  /** Over all gateways on the store. */
  readonly order: RunOrder;
}

const secretsOf = (storeFile: string): Secrets =>
  readSecrets({
    storeFile,
    token: process.env.SLUICEGATE_TOKEN,
    key: process.env.SLUICEGATE_KEY,
    random: systemRandom,
  });

async function openFile(storeFile: string): Promise<OpenedStore> {
  assertStoreNotLost(storeFile);
  const opened = openSqliteStore(storeFile, { thread: true });
  return {
    opened,
    secrets: secretsOf(storeFile),
    holdRunner: async (id) => holdRunnerLock(storeFile, id),
    // One gateway runs on a file.
    order: createRunOrder(),
  };
}

async function openDatabase(storeFile: string, url: string): Promise<OpenedStore> {
  const secrets = secretsOf(storeFile);
  const { openPostgresStore } = await import("../../stores/postgres/postgres.ts");
  const sharedKey = createHash("sha256").update("sluicegate key\n").update(secrets.key).digest("hex");
  const opened = await openPostgresStore(url, { markFolder: dirname(storeFile), sharedKey });
  return { opened, secrets, holdRunner: opened.holdRunner, order: opened.runOrder() };
}

/** What is started with the gateway. */
const STARTED = ["servers", "databases", "apis", "workspace", "detectors", "retention"] as const;

/** Whether nobody is sent more than before: an approver can be taken out with their principal. */
function notifiesNoMore(before: NotifyConfig | null, after: NotifyConfig | null): boolean {
  if (after === null) return true;
  const isKnown = ({ approvers, hasArguments, ...webhook }: WebhookConfig): boolean =>
    before?.webhooks.some(
      ({ approvers: had, hasArguments: hadArguments, ...known }) =>
        isDeepStrictEqual(webhook, known) &&
        approvers.every((name) => had.includes(name)) &&
        (hadArguments || !hasArguments),
    ) ?? false;
  return before?.address.href === after.address.href && after.webhooks.every(isKnown);
}

/** @throws SluicegateError `reload-refused` where something changed that is only read at the start. */
function assertOnlyPolicyChanged(before: Config, after: Config): void {
  const changed: string[] = STARTED.filter((section) => !isDeepStrictEqual(before[section], after[section]));
  // THREAT: what the agent's tools may not write is fixed at the start, and whoever writes an issuer's keys comes in by them.
  const isNewFile = ({ jwks }: IssuerConfig): boolean =>
    jwks.protocol === "file:" && !before.files.includes(fileURLToPath(jwks));
  if (after.identities?.issuers.some(isNewFile)) changed.push("jwks");
  if (!notifiesNoMore(before.notify, after.notify)) changed.push("notify");
  if (changed.length === 0) return;
  const named = changed.map((section) => `\`${section}\``).join(", ");
  throw new SluicegateError("reload-refused", "The policy was not reloaded: the gateway must be restarted.", {
    why: `What is started with the gateway changed: ${named}.`,
    fix: "Restart it, or take these changes back.",
  });
}

/** Runs what the gateway is for, and closes it whatever happens. */
export async function closeWith(gateway: Gateway, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } finally {
    await gateway.close();
  }
}
