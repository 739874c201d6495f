/**
 * Tells a client that its call waits for a person, again and again, as progress: clients that begin their time-out
 * anew at each sign of progress go on waiting.
 */
import type { ServerMessage } from "../../../runtime/index.ts";
import type { ClientLink } from "../../../runtime/internal.ts";

const EVERY_MS = 10_000;
/** MCP wants progress to rise. Our steps are so small that a server's own progress follows on them. */
const STEP = 1e-6;

export class WaitProgress {
  readonly #link: Pick<ClientLink, "notify" | "progress">;
  #told = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(link: Pick<ClientLink, "notify" | "progress">) {
    this.#link = link;
  }

  /** Begins, at once, where the client asked for progress. */
  begin(message: string): void {
    if (!this.#link.progress || this.#timer !== null) return;
    const tell = (): void => {
      this.#told += 1;
      const params = { progress: this.#told * STEP, message };
      this.#link.notify({ method: "notifications/progress", params });
    };
    tell();
    this.#timer = setInterval(tell, EVERY_MS);
    this.#timer.unref();
  }

  end(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Passes on what the tool's server tells afterwards, but for progress that would fall back. */
  notify(notice: ServerMessage): void {
    const { method, params } = notice;
    const fallsBack =
      this.#told > 0 &&
      method === "notifications/progress" &&
      typeof params.progress === "number" &&
      params.progress <= this.#told * STEP;
    if (!fallsBack) this.#link.notify(notice);
  }
}
