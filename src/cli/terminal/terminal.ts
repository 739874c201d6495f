/**
 * The only place that prints. Every part of a line is made visible first and
 * coloured afterwards, so that no text from outside reaches the terminal as it came.
 */
import { once } from "node:events";
import { styleText } from "node:util";
import { toVisible, toVisibleJson } from "../../json/visible-json.ts";
import type { Problem } from "../../policy-file/index.ts";
import { wrapLine } from "./wrap-line.ts";

type Tone = "bold" | "dim" | "green" | "red" | "yellow";

interface Toned {
  readonly text: string;
  readonly tone: Tone;
}

/** A part of a line; its text may come from anybody. */
export type Part = string | Toned;

export const styled = (tone: Tone, text: string): Toned => ({ text, tone });

const textOf = (part: Part): string => toVisible(typeof part === "string" ? part : part.text);

// https://no-color.org
const hasColour = (stream: NodeJS.WriteStream): boolean =>
  stream.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== "dumb";

/** A line as it is written to a stream: harmless, in colours where the stream has them. */
function toText(stream: NodeJS.WriteStream, parts: readonly Part[]): string {
  const coloured = hasColour(stream);
  const written = parts.map((part) =>
    coloured && typeof part !== "string"
      ? styleText(part.tone, textOf(part), { validateStream: false })
      : textOf(part),
  );
  return written.join("").trimEnd();
}

const toLine = (stream: NodeJS.WriteStream, parts: readonly Part[]): string => `${toText(stream, parts)}\n`;

/** Prints one line of the answer. */
export function printLine(...parts: readonly Part[]): void {
  process.stdout.write(toLine(process.stdout, parts));
}

/** Prints lines; on a terminal none is longer than that is wide, and what goes on is marked. */
export function printLines(
  lines: readonly (readonly Part[])[],
  stream: NodeJS.WriteStream = process.stdout,
): void {
  const { isTTY, columns } = stream;
  for (const line of lines) {
    for (const part of isTTY ? wrapLine(line, columns) : [line]) stream.write(toLine(stream, part));
  }
}

/** Prints one line beside the answer, for what went wrong. */
export function printError(...parts: readonly Part[]): void {
  process.stderr.write(toLine(process.stderr, parts));
}

/** Prints the answer as one JSON document. */
export function printJson(value: unknown): void {
  process.stdout.write(`${toVisibleJson(value, 2)}\n`);
}

/** Prints JSON lines, no faster than they are read. */
export async function printJsonLines(values: readonly unknown[]): Promise<void> {
  const text = values.map((value) => `${toVisibleJson(value)}\n`).join("");
  if (!process.stdout.write(text)) await once(process.stdout, "drain");
}

const widthOf = (part: Part): number => [...textOf(part)].length;

/** Prints rows with their columns aligned; the last column takes what room it needs. */
export function printTable(rows: readonly (readonly Part[])[], indent = 2): void {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, widthOf(cell));
  }
  for (const row of rows) {
    const cells = row.flatMap((cell, column) => [
      cell,
      " ".repeat((widths[column] ?? 0) - widthOf(cell) + 2),
    ]);
    printLine(" ".repeat(indent), ...cells);
  }
}

/** Says that the answer is no, by the exit status. */
export function exitWithFailure(): void {
  process.exitCode = 1;
}

/** Ends quietly where nobody reads the answer any more, as in `… | head`; what lasts is asked to end, as by a signal. */
export function endWithReader(lasting: boolean): void {
  const end = (): void => {
    if (lasting) process.kill(process.pid, "SIGTERM");
    else process.exit(process.exitCode ?? 0);
  };
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") return end();
    printError(styled("red", "error: "), "The answer could not be written.");
    printError("  why: ", error.message);
    printError("  fix: See that the disk has room, and try again.");
    process.exit(2);
  });
  process.stderr.on("error", () => {});
}

const MAX_NAME_LENGTH = 100;

/** A name cut to a length that a table can show. */
export const shorten = (name: string): string =>
  name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name;

/** Prints each as `file:line:column: message fix`; a warning says that it is one. */
export function printProblems(
  problems: readonly Problem[],
  print: (...parts: readonly Part[]) => void,
  warning = false,
): void {
  for (const { file, line, column, message, fix } of problems) {
    const mark = warning ? [styled("yellow", "warning: ")] : [];
    print(styled("bold", `${file}:${line}:${column}:`), " ", ...mark, message, fix ? ` ${fix}` : "");
  }
}

/** A problem for JSON; `fix` is null where the message says what to do. */
export function toWireProblem({ file, line, column, message, fix }: Problem): object {
  return { file, line, column, message, fix: fix ?? null };
}
