/** For tests: `sluicegate serve` as people start it, in a process of its own. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { BUNDLED_COMMAND } from "../cli.test-kit.ts";

export interface StartedServe {
  readonly url: string;
  /** What it has logged until now. */
  log(): string;
  /** Sends a SIGHUP, as to a service. */
  hangUp(): void;
  /** Ends it as a person does. */
  stop(): Promise<void>;
  /** Ends it at once, with nothing put in order. */
  kill(): Promise<void>;
}

/** Starts it, and waits until it answers. */
export async function startServe(config: string): Promise<StartedServe> {
  const env = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", HOOK_TEST_TOKEN: "x" };
  const child = spawn(BUNDLED_COMMAND, ["serve", "--config", config, "--port", "0", "--json"], {
    env,
    stdio: "pipe",
  });
  const ended = once(child, "exit");
  let [out, err] = ["", ""];
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text;
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text;
      const found = /"url": "([^"]+)"/.exec(out)?.[1];
      if (found !== undefined && out.trimEnd().endsWith("}")) resolve(found);
    });
    ended.then(() => reject(new Error(`The gateway ended: ${out} ${err}`)), reject);
  });
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await ended;
  };
  return {
    url,
    log: () => err,
    hangUp: () => void child.kill("SIGHUP"),
    stop: () => end("SIGTERM"),
    kill: () => end("SIGKILL"),
  };
}
