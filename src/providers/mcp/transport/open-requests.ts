/**
 * The HTTP requests that a server is still answering. THREAT: it may leave an answer open after the result has come, or
 * after the call was given up, and each keeps a connection of this process; so the gateway ends them itself.
 */
import type { RequestId, TransportSendOptions } from "@modelcontextprotocol/client";

/** The server has so long to end its answer, so that the connection can be used again. */
const GRACE_MS = 1_000;

interface OpenRequest {
  readonly controller: AbortController;
  end: NodeJS.Timeout | null;
  isSingle: boolean;
}

export class OpenRequests {
  readonly #open = new Map<RequestId | undefined, OpenRequest>();

  /** Options with which a request is sent, so that it can be ended. */
  begin(id: RequestId, options: TransportSendOptions = {}): TransportSendOptions {
    const controller = new AbortController();
    this.#open.set(id, { controller, end: null, isSingle: false });
    const { requestSignal, onRequestStreamEnd } = options;
    const abort = (): void => this.abort(id, requestSignal?.reason);
    if (requestSignal?.aborted) abort();
    else requestSignal?.addEventListener("abort", abort, { once: true });
    return {
      ...options,
      requestSignal: controller.signal,
      onRequestStreamEnd: () => {
        this.closed(id);
        onRequestStreamEnd?.();
      },
    };
  }

  /** The answer to a request has come, or nobody waits for it any more. */
  finish(id: RequestId | undefined): void {
    const request = this.#open.get(id);
    if (!request || request.end !== null) return;
    request.end = setTimeout(() => this.abort(id), GRACE_MS);
    request.end.unref();
  }

  /** Ends a request, whatever the server still sends. */
  abort(id: RequestId | undefined, reason?: unknown): void {
    const request = this.#open.get(id);
    this.closed(id);
    request?.controller.abort(reason);
  }

  /** The answer to a request is one document, which has been read once the request counts as sent. */
  single(id: RequestId | undefined): void {
    const request = this.#open.get(id);
    if (request) request.isSingle = true;
  }

  sent(id: RequestId): void {
    if (this.#open.get(id)?.isSingle) this.closed(id);
  }

  /** The server has ended its answer to a request. */
  closed(id: RequestId | undefined): void {
    clearTimeout(this.#open.get(id)?.end ?? undefined);
    this.#open.delete(id);
  }
}
