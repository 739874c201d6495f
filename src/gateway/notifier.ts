/**
 * Sends webhooks about pending approvals, with a link for each approver, until each was accepted or the approval is
 * over. Those pending when the gateway starts are sent again, under the same id.
 */
import { createHmac } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { explainWish } from "../core/index.ts";
import { SluicegateError } from "../errors/index.ts";
import { BoundedMap } from "../json/bounded-map.ts";
import type { NotifyConfig, WebhookConfig } from "../policy-file/index.ts";
import type { Gate, WaitingApproval } from "../runtime/index.ts";
import type { AnswerLinks } from "./http/answer-page.ts";

interface NotifierParts {
  readonly gate: Gate;
  readonly config: NotifyConfig;
  readonly links: AnswerLinks;
  readonly onFault: (cause: unknown) => void;
  /** Approvals that are being delivered; further ones wait. 1,000 if left out. */
  readonly maxOpen?: number;
}

const TIMEOUT_MS = 10_000;
const MAX_BACK_OFF_MS = 60_000;
/** Approvals sent last; each is sent once, even if its call is repeated. */
const MAX_TOLD = 10_000;
const MAX_OPEN = 1000;

export class Notifier {
  readonly #parts: NotifierParts;
  readonly #told = new BoundedMap<string, true>(MAX_TOLD);
  readonly #end = new AbortController();
  readonly #stopWatching: () => void;
  #config: NotifyConfig | null;
  #open = 0;
  /** Whether an approval wasn't told because too many deliveries were open. */
  #isBehind = false;

  constructor(parts: NotifierParts) {
    this.#parts = parts;
    this.#config = parts.config;
    this.#stopWatching = parts.gate.watch((entries) => {
      for (const { entry } of entries) {
        const { approval } = entry.data;
        const isAsked = entry.kind === "approval-requested" || entry.kind === "plan-requested";
        if (isAsked && typeof approval === "string") this.#tell(approval);
      }
    });
    this.#tellPending();
  }

  /** Notifies these from now on, or nobody. */
  useConfig(config: NotifyConfig | null): void {
    this.#config = config;
  }

  close(): void {
    this.#stopWatching();
    this.#end.abort();
  }

  #tell(approval: string): void {
    if (this.#told.get(approval)) return;
    if (this.#open >= (this.#parts.maxOpen ?? MAX_OPEN)) {
      this.#isBehind = true;
      return;
    }
    this.#told.set(approval, true);
    for (const webhook of this.#config?.webhooks ?? []) {
      this.#open += 1;
      this.#deliver(webhook, approval)
        .catch(this.#parts.onFault)
        .finally(() => {
          this.#open -= 1;
          if (this.#isBehind) this.#tellPending();
        });
    }
  }

  /** THREAT: an agent that makes many calls wait must not keep another session's from being told. */
  #tellPending(): void {
    this.#isBehind = false;
    this.#parts.gate.pendingApprovals().then((pending) => {
      for (const { id } of pending) this.#tell(id);
    }, this.#parts.onFault);
  }

  async #deliver(webhook: WebhookConfig, approval: string): Promise<void> {
    const { signal } = this.#end;
    for (let failures = 0; !signal.aborted; failures += 1) {
      const found = await this.#waiting(approval);
      if (found === null) return;
      const problem = typeof found === "string" ? found : await this.#send(webhook, found);
      if (problem === null) return;
      if (failures === 0)
        this.#parts.onFault(
          `The webhook \`${webhook.name}\` hasn't got an approval yet: ${problem} It is tried again.`,
        );
      await pause(Math.min(MAX_BACK_OFF_MS, 1000 * 2 ** Math.min(failures, 10)), null, { signal }).catch(
        () => {},
      );
    }
  }

  /** What waits; null if it waits no longer, and the problem where the store can't be read now. */
  async #waiting(approval: string): Promise<WaitingApproval | string | null> {
    try {
      const found = await this.#parts.gate.approval(approval);
      return "outcome" in found ? null : found;
    } catch (cause) {
      if (SluicegateError.isInstance(cause) && cause.code === "store-failed") return cause.message;
      throw cause;
    }
  }

  /** The error; null if the webhook was accepted. https://www.standardwebhooks.com */
  async #send({ url, secret, ...webhook }: WebhookConfig, approval: WaitingApproval): Promise<string | null> {
    const body = JSON.stringify(this.#message(webhook, approval));
    const timestamp = String(Math.floor(Date.now() / 1000));
    const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice(6), "base64") : secret;
    const signature = createHmac("sha256", key)
      .update(`${approval.id}.${timestamp}.${body}`)
      .digest("base64");
    try {
      const response = await fetch(url, {
        method: "POST",
        body,
        headers: {
          "content-type": "application/json",
          "webhook-id": approval.id,
          "webhook-timestamp": timestamp,
          "webhook-signature": `v1,${signature}`,
        },
        redirect: "error",
        signal: AbortSignal.any([this.#end.signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      await response.body?.cancel();
      return response.ok ? null : `It answers ${response.status}.`;
    } catch (cause) {
      return cause instanceof Error ? cause.message : String(cause);
    }
  }

  #message(
    { approvers, hasArguments }: Pick<WebhookConfig, "approvers" | "hasArguments">,
    { id, session, tool, principal, why, label, release, plan, arguments: args, expiresAt }: WaitingApproval,
  ): object {
    const { gate, links, config } = this.#parts;
    const { lattice, tools, names } = gate.policy;
    const wish = { principal, id: tool, tool: tools.get(tool) ?? null, release, label };
    return {
      type: "approval.requested",
      approval: {
        id,
        session_id: session,
        principal,
        tool: names.shown(tool),
        what: plan ? `A plan of ${plan.steps} steps waits for a person.` : explainWish(lattice, wish),
        why,
        expires_at: expiresAt,
        ...(hasArguments && { arguments: args }),
      },
      links: approvers.map((approver) => ({
        approver,
        url: `${config.address.href.replace(/\/$/, "")}${links.path({ approval: id, approver })}`,
      })),
    };
  }
}
