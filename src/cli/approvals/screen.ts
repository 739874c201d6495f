/**
 * The whole terminal, for a view that is drawn again and again. Whatever happens, the terminal is given back as it
 * was: by `close`, and by the end of the process.
 */
import { emitKeypressEvents } from "node:readline";
import { setImmediate as nextTurn } from "node:timers/promises";
import { toText } from "../terminal/terminal.ts";
import type { Line } from "../terminal/wrap-line.ts";
import type { TerminalSize } from "./pending-frame.ts";
import type { Key } from "./pending-view.ts";

export interface ScreenStreams {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
}

export interface ScreenListener {
  readonly key: (key: Key) => void;
  readonly resized: () => void;
  /** The terminal is gone. */
  readonly ended: () => void;
}

export interface Screen {
  readonly size: TerminalSize;
  /** Resolves once the lines are on the terminal, and the keys are told of that were pressed before. */
  draw(lines: readonly Line[]): Promise<void>;
  /** Gives the terminal back. */
  close(): void;
}

// The other screen; no cursor; no line goes on by itself; what is pasted is told from what is typed.
const ENTER = "\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[?2004h";
const LEAVE = "\u001b[?2004l\u001b[?7h\u001b[?25h\u001b[?1049l";
const HOME = "\u001b[H";
const CLEAR_LINE = "\u001b[K";
const CLEAR_BELOW = "\u001b[J";

/** Takes the terminal over. */
export function openScreen({ input, output }: ScreenStreams, listener: ScreenListener): Screen {
  const onKey = (_text: string | undefined, key: Key): void => listener.key(key);
  let isOpen = true;
  let last = "";
  const close = (): void => {
    if (!isOpen) return;
    isOpen = false;
    process.off("exit", close);
    input.off("keypress", onKey).off("end", listener.ended).off("error", listener.ended);
    output.off("resize", onResize);
    if (!input.destroyed) input.setRawMode(false);
    input.pause();
    output.write(LEAVE);
  };
  const onResize = (): void => {
    last = "";
    listener.resized();
  };
  process.once("exit", close);
  emitKeypressEvents(input);
  input.on("keypress", onKey).once("end", listener.ended).once("error", listener.ended);
  output.on("resize", onResize);
  input.setRawMode(true);
  input.resume();
  output.write(ENTER);
  return {
    get size() {
      return { columns: output.columns, rows: output.rows };
    },
    draw: async (lines) => {
      const text = lines.map((line) => toText(output, line) + CLEAR_LINE).join("\r\n") + CLEAR_BELOW;
      if (!isOpen) return;
      if (text !== last) await new Promise<void>((done) => output.write(HOME + text, () => done()));
      last = text;
      await nextTurn();
    },
    close,
  };
}
