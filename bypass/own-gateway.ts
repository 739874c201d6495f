/** This project's gateway as the suite's target: its command line on a free port, with a store of its own. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { TargetOptions } from "./target.ts";
import type { World } from "./world.ts";

export interface RunningTarget {
  readonly options: TargetOptions;
  stop(): Promise<void>;
}

const LAUNCHER = resolve(import.meta.dirname, "../bin/sluicegate");
/** Less than a gateway has by itself, so that the suite needn't fill as much memory to get there. */
const MAX_UNSENT_BYTES = 32 * 1024 * 1024;
const TOKEN = "operator-token-of-the-bypass-suite";

export async function startOwnGateway({
  notes,
  post,
  impostor,
  stranger,
  drawer,
  databases,
  api,
}: World): Promise<RunningTarget> {
  const folder = mkdtempSync(join(tmpdir(), "sluicegate-bypass-"));
  const store = `sqlite:${join(folder, "store.db")}`;
  const config = join(import.meta.dirname, "sluicegate.yaml");
  // Whatever is open when the last check is over has been judged.
  const args = ["serve", "--json", "--config", config, "--port", "0", "--store", store];
  args.push("--drain-seconds", "0", "--limit", `unsent-bytes=${MAX_UNSENT_BYTES}`);
  const child = spawn(LAUNCHER, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      SLUICEGATE_TOKEN: TOKEN,
      NOTES_URL: notes.url,
      POST_URL: post.url,
      IMPOSTOR_URL: impostor.url,
      STRANGER_URL: stranger.url,
      DRAWER_URL: drawer.url,
      VAULT_FILE: databases.sqliteFile,
      DEPOT_PORT: String(databases.postgres.port),
      DEPOT_USER: databases.postgres.user,
      DEPOT_PASSWORD: databases.postgres.password,
      TICKETS_URL: api.url,
      TICKETS_KEY: api.key,
    },
  });
  const ended = new Promise<void>((done) => child.once("close", () => done()));
  let [log, logLength] = ["", 0];
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    logLength += text.length;
    log = `${log}${text}`.slice(-4_000);
  });
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const url = await new Promise<string>((done, fail) => {
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (more: string) => {
      text += more;
      const url = /"url": "([^"]+)"/.exec(text)?.[1];
      if (url !== undefined) done(url);
    });
    void ended.then(() => fail(new Error(`The gateway didn't start: ${text}${log}`)));
  });
  return {
    options: {
      url: `${url}/mcp`,
      token: TOKEN,
      adminUrl: url,
      adminToken: TOKEN,
      agentHook: LAUNCHER,
      logLength: () => logLength,
    },
    stop,
  };
}
