/** The log of what lasts, on standard error: for people, or a JSON document a line for what collects logs. */
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
