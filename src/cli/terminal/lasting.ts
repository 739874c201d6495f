/** What lasts until a signal: its end, and its log on standard error, for people or as JSON documents for collectors. */
import { Option } from "commander";
import { toVisibleJson } from "../../json/visible-json.ts";
import { printError, styled } from "./terminal.ts";

export type LogFormat = "text" | "json";

export type Log = (line: string, level?: "info" | "error") => void;

export const logFormatOption = (): Option =>
  new Option(
    "--log-format <format>",
    "how the log is written to standard error: for people, or as JSON lines { time, level, message }",
  )
    .choices(["text", "json"])
    .default("text");

export const createLog =
  (format: LogFormat): Log =>
  (line, level = "info") => {
    if (format === "text") return printError(styled(level === "error" ? "red" : "dim", line));
    const time = new Date().toISOString();
    process.stderr.write(`${toVisibleJson({ time, level, message: line })}\n`);
  };

/**
 * Resolves with the name of the first signal that asks the process to end. SIGHUP does where the process has a terminal,
 * which is gone then; a service is told by it to read its configuration again, and `onHangUp` is called each time.
 */
export function untilSignal(onHangUp?: () => void): Promise<string> {
  return new Promise((done) => {
    const hasTerminal = process.stdin.isTTY || process.stdout.isTTY;
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => done(signal));
    if (onHangUp && !hasTerminal) process.on("SIGHUP", onHangUp);
    else process.once("SIGHUP", () => done("SIGHUP"));
  });
}
