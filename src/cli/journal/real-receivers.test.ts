/**
 * The record arrives at receivers that others wrote: rsyslog, where the machine has it, and the collector of `autotel-mcp`,
 * which keeps what it takes in a SQLite file and is installed into a temporary folder.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createConnection, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { endWithTest, expectAllArrives, kill, type Receiver } from "../../../test/fixtures/journal-push.ts";

const TITLE = "whole, whichever side is killed; what comes twice has the same position (X27)";

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Resolves once something listens on `port`. */
const listens = (port: number): Promise<void> =>
  expect
    .poll(async () => {
      const socket = createConnection({ port, host: "127.0.0.1" });
      return await once(socket, "connect").then(
        () => socket.destroy().destroyed,
        () => false,
      );
    })
    .toBe(true);

/** A program that listens on a port of this machine. */
function createProgram(
  command: (port: number) => readonly [program: string, ...args: string[]],
  rest: Pick<Receiver, "to" | "received">,
): Receiver {
  let child: ChildProcess;
  return {
    start: async (wanted) => {
      const port = wanted === 0 ? await freePort() : wanted;
      const [program, ...args] = command(port);
      child = endWithTest(
        spawn(program, args, {
          stdio: "ignore",
          env: { ...process.env, AUTOTEL_OFFLINE_MODE: "true" },
        }),
      );
      await listens(port);
      return port;
    },
    kill: () => kill(child),
    ...rest,
  };
}

const hasRsyslog = spawnSync("rsyslogd", ["-v"]).status === 0;

// The queue is `Direct`: rsyslog closes a connection only when it has written what came over it.
const toRsyslogSettings = (folder: string, port: number): string => `
global(workDirectory="${folder}" maxMessageSize="64k")
module(load="imtcp")
template(name="message" type="string" string="%msg%\\n")
ruleset(name="record" queue.type="Direct") { action(type="omfile" file="${folder}/received" template="message") }
input(type="imtcp" address="127.0.0.1" port="${port}" ruleset="record")
`;

describe.skipIf(!hasRsyslog)(
  `the record is pushed to rsyslog${hasRsyslog ? "" : " (needs `rsyslogd`)"}`,
  () => {
    it(TITLE, () =>
      expectAllArrives((folder) =>
        createProgram(
          (port) => {
            const settings = join(folder, "rsyslog.conf");
            writeFileSync(settings, toRsyslogSettings(folder, port));
            return ["rsyslogd", "-n", "-f", settings, "-i", join(folder, `rsyslog-${port}.pid`)];
          },
          {
            to: (port) => `syslog:tcp://127.0.0.1:${port}`,
            received: () => {
              const file = join(folder, "received");
              const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
              // A message that was cut off by the kill comes again.
              return lines.flatMap((line) =>
                line.endsWith("}") ? [JSON.parse(line.replace(/^\s*\uFEFF/, ""))] : [],
              );
            },
          },
        ),
      ),
    );
  },
);

describe("the record is pushed to an OpenTelemetry collector", () => {
  const installed = mkdtempSync(join(tmpdir(), "sluicegate-collector-"));
  beforeAll(() => {
    writeFileSync(join(installed, "package.json"), "{}");
    const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    execFileSync("npm", ["install", "autotel-mcp@0.8.0", ...options], { cwd: installed });
  });
  afterAll(() => rmSync(installed, { recursive: true }));

  it(TITLE, () =>
    expectAllArrives((folder) => {
      const file = join(folder, "collector.db");
      return createProgram(
        (port) => [
          process.execPath,
          join(installed, "node_modules/autotel-mcp/bin/autotel-mcp"),
          ...["--persist", file, "--collector-port", String(port), "--transport", "http", "--port", "0"],
        ],
        {
          to: (port) => `otlp:http://127.0.0.1:${port}/v1/logs`,
          received: () => {
            using database = new DatabaseSync(file, { readOnly: true });
            const rows = database.prepare("SELECT body FROM log_records").all();
            return rows.map(({ body }) => JSON.parse(String(body)));
          },
        },
      );
    }),
  );
});
