/**
 * Reports repeatedly that a call waits for a person, as progress: clients that restart their timeout at each progress
 * notification keep waiting.
 */
import type { ServerMessage } from "../../../runtime/index.ts";
import type { ClientLink } from "../../../runtime/internal.ts";

const EVERY_MS = 10_000;
/** MCP requires progress to increase. These steps are so small that a server's own progress can follow. */
const STEP = 1e-6;

export class WaitProgress {
  readonly #link: Pick<ClientLink, "notify" | "progress">;
  #told = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(link: Pick<ClientLink, "notify" | "progress">) {
    this.#link = link;
  }

  /** Starts at once, if the client requested progress. */
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

  /** Passes on the server's later notifications, except progress that would decrease. */
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
