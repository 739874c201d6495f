/**
 * Messages between the gateway and its runner: frames with two lengths (32 bits each, big-endian), a JSON head and a
 * binary body.
 */
import { parseJson } from "../../../json/parse-json.ts";
import type { TurnOwner } from "../../../threads/index.ts";

/** A program to run. */
export interface RunHead {
  readonly id: number;
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly lane: Lane;
  /** Whose call it serves. */
  readonly owner: TurnOwner;
  /** Whether the body is its standard input; otherwise it has none. */
  readonly hasInput: boolean;
}

/** Short questions, searches and commands have separate queues. */
export type Lane = "question" | "search" | "command";

/** Ends a program and everything that it started. */
export interface AbortHead {
  readonly abort: number;
}

/** How a program ended; the body is its standard output followed by its standard error. */
export interface EndHead {
  readonly id: number;
  readonly code: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly truncated: boolean;
  readonly outBytes: number;
  /** The system's code if it couldn't be started; otherwise null. */
  readonly failure: string | null;
}

const LENGTHS = 8;

export function toFrame(head: RunHead | AbortHead | EndHead, body: Uint8Array = Buffer.alloc(0)): Buffer {
  const text = Buffer.from(JSON.stringify(head));
  const lengths = Buffer.alloc(LENGTHS);
  lengths.writeUInt32BE(text.length, 0);
  lengths.writeUInt32BE(body.length, 4);
  return Buffer.concat([lengths, text, body]);
}

/** Takes bytes as they come, and passes on each complete frame. */
export function createFrameReader(take: (head: unknown, body: Buffer) => void): (chunk: Uint8Array) => void {
  let chunks: Uint8Array[] = [];
  let held = 0;
  let wanted = LENGTHS;
  return (chunk) => {
    chunks.push(chunk);
    held += chunk.length;
    while (held >= wanted) {
      const bytes = Buffer.concat(chunks);
      chunks = [bytes];
      const head = bytes.readUInt32BE(0);
      wanted = LENGTHS + head + bytes.readUInt32BE(4);
      if (held < wanted) return;
      chunks = [bytes.subarray(wanted)];
      held -= wanted;
      const frame = bytes.subarray(0, wanted);
      wanted = LENGTHS;
      take(parseJson(frame.toString("utf8", LENGTHS, LENGTHS + head)), frame.subarray(LENGTHS + head));
    }
  };
}
