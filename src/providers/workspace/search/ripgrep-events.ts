/** Parses the output of `rg --json`, which may be truncated anywhere. */
import { parseJson } from "../../../json/parse-json.ts";

/** A line of ripgrep's output, or several if a match spans them. */
export interface MatchEvent {
  readonly line: number;
  /** Its position in the file, in bytes. */
  readonly offset: number;
  readonly bytes: Buffer;
  /** False for a context line. */
  readonly isMatch: boolean;
}

/** By the file's name, in the order of the file. */
export function readEvents(output: Buffer): ReadonlyMap<string, readonly MatchEvent[]> {
  const found = new Map<string, MatchEvent[]>();
  for (const line of output.toString("utf8").split("\n")) {
    const read = readEvent(line);
    if (read === null) continue;
    const events = found.get(read.name);
    if (events === undefined) found.set(read.name, [read.event]);
    else events.push(read.event);
  }
  return found;
}

function readEvent(line: string): { name: string; event: MatchEvent } | null {
  if (!line.startsWith('{"type":"match"') && !line.startsWith('{"type":"context"')) return null;
  const data = member(parsed(line), "data");
  const name = bytesOf(member(data, "path"))?.toString("utf8");
  const bytes = bytesOf(member(data, "lines"));
  const [number, offset] = [member(data, "line_number"), member(data, "absolute_offset")];
  if (name === undefined || bytes === null || typeof number !== "number" || typeof offset !== "number") {
    return null;
  }
  return { name, event: { line: number, offset, bytes, isMatch: line.startsWith('{"type":"match"') } };
}

/** Text that isn't UTF-8 is in Base64. */
function bytesOf(value: unknown): Buffer | null {
  const [text, encoded] = [member(value, "text"), member(value, "bytes")];
  if (typeof text === "string") return Buffer.from(text);
  return typeof encoded === "string" ? Buffer.from(encoded, "base64") : null;
}

const member = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? new Map(Object.entries(value)).get(name) : undefined;

function parsed(line: string): unknown {
  try {
    return parseJson(line);
  } catch {
    return null; // the last line of an output that was cut off
  }
}
