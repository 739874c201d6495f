/**
 * The terminal that the story is told in: pace, keys, and a question to whoever watches. Without a terminal (or
 * with `CI` or `NO_COLOR`) the same text comes without colour, without pauses and without a question.
 */
import { type Part, printLine, styled } from "../src/cli/terminal/terminal.ts";
import { toVisible } from "../src/json/visible-json.ts";

/** The watcher has stopped the story; `asked`: by `q`, rather than by a signal. */
export class StoppedError extends Error {
  readonly asked: boolean;

  constructor(asked: boolean) {
    super("The story was stopped.");
    this.asked = asked;
  }
}

export interface Stage {
  /** Aborted once the watcher has stopped the story. */
  readonly stopped: AbortSignal;
  /** Whether somebody watches who can be asked. */
  readonly watched: boolean;
  chapter(title: string): Promise<void>;
  /** Text from anybody, wrapped and indented. */
  say(text: string, tone?: "dim" | "bold"): void;
  /** A verdict in its colour, what it is about, and what came of it. */
  verdict(word: string, about: string, after?: string): void;
  /** Something that is shown as it is. */
  show(...parts: readonly Part[]): void;
  /** Waits, where somebody watches; any key goes on. */
  pause(seconds: number): Promise<void>;
  /** A yes or no; yes where nobody answers in time. */
  ask(question: string, seconds: number): Promise<boolean>;
  close(): void;
}

const WIDTH = 84;
const COLUMN = 9;
/** What came of it stands behind this. */
const AFTER = 56;

/** Takes the terminal over until it is closed. */
export function openStage(environment: NodeJS.ProcessEnv): Stage {
  const plain = Boolean(environment.CI) || Boolean(environment.NO_COLOR);
  const watched = !plain && process.stdin.isTTY === true && process.stdout.isTTY === true;
  if (!watched) environment.NO_COLOR = "1";
  const keys = new Keys(watched);
  let chapters = 0;
  return {
    stopped: keys.stopped,
    watched,
    chapter: async (title) => {
      chapters += 1;
      printLine();
      printLine(styled("bold", `${chapters}  ${title}`));
      printLine();
      await keys.next(0.7);
    },
    say: (text, tone) => {
      for (const line of wrap(text, WIDTH - 3)) printLine("   ", tone ? styled(tone, line) : line);
    },
    verdict: (word, about, after = "") => {
      const [first = "", ...rest] = wrap(about, WIDTH - 3 - COLUMN);
      const told = after === "" ? first : first.padEnd(AFTER);
      printLine("   ", inColour(word.padEnd(COLUMN)), told, styled("dim", after && `  ${after}`));
      for (const line of rest) printLine(" ".repeat(3 + COLUMN), line);
    },
    show: (...parts) => printLine("   ", ...parts),
    pause: async (seconds) => {
      await keys.next(seconds);
    },
    ask: (question, seconds) => askKey(keys, question, seconds),
    close: () => keys.close(),
  };
}

const TONES: ReadonlyMap<string, "green" | "red" | "yellow" | "dim"> = new Map([
  ["allow", "green"],
  ["safe", "green"],
  ["yes", "green"],
  ["deny", "red"],
  ["no", "red"],
  ["ask", "yellow"],
]);

const inColour = (word: string): Part => styled(TONES.get(word.trim()) ?? "dim", word);

async function askKey(keys: Keys, question: string, seconds: number): Promise<boolean> {
  if (!keys.watched) {
    printLine("   ", styled("bold", question), "  yes (nobody is here to be asked)");
    return true;
  }
  printLine("   ", styled("bold", question), ` [y/n], yes after ${seconds} seconds`);
  const end = performance.now() + seconds * 1000;
  for (;;) {
    const key = await keys.next((end - performance.now()) / 1000);
    if (key === null || key === "y" || key === "n") {
      printLine("   ", key === "n" ? styled("red", "no") : styled("green", "yes"));
      return key !== "n";
    }
  }
}

/** Keys as they are pressed, one at a time. */
class Keys {
  readonly watched: boolean;
  readonly #controller = new AbortController();
  #press: (key: string) => void = () => {};

  constructor(watched: boolean) {
    this.watched = watched;
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
      process.once(signal, () => this.#stop(false));
    if (!watched) return;
    process.stdin.setRawMode(true);
    process.stdin.setEncoding("utf8");
    process.stdin.on("data", (key: string) => {
      if (key === "\u0003") this.#stop(false);
      else if (key === "q") this.#stop(true);
      else this.#press(key);
    });
  }

  get stopped(): AbortSignal {
    return this.#controller.signal;
  }

  /** The next key, or null when the time is up. Throws StoppedError. */
  async next(seconds: number): Promise<string | null> {
    this.stopped.throwIfAborted();
    if (!this.watched || seconds <= 0) return null;
    const { promise, resolve } = Promise.withResolvers<string | null>();
    const timer = setTimeout(() => resolve(null), seconds * 1000);
    const stop = (): void => resolve(null);
    this.stopped.addEventListener("abort", stop, { once: true });
    this.#press = resolve;
    const key = await promise;
    this.#press = () => {};
    clearTimeout(timer);
    this.stopped.removeEventListener("abort", stop);
    this.stopped.throwIfAborted();
    return key;
  }

  close(): void {
    if (!this.watched) return;
    process.stdin.setRawMode(false);
    process.stdin.pause();
    process.stdin.removeAllListeners("data");
  }

  #stop(asked: boolean): void {
    this.#controller.abort(new StoppedError(asked));
  }
}

/** Words on lines of a width; what is longer than a line is cut into pieces. Line breaks of the text stay. */
export function wrap(text: string, width: number): readonly string[] {
  return text.split("\n").flatMap((paragraph) => {
    const lines: string[] = [];
    let line = "";
    for (const word of toVisible(paragraph).split(/ +/)) {
      if (line !== "" && line.length + 1 + word.length > width) {
        lines.push(line);
        line = "";
      }
      line = line === "" ? word : `${line} ${word}`;
      for (; line.length > width; line = line.slice(width)) lines.push(line.slice(0, width));
    }
    return [...lines, line];
  });
}
