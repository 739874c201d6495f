/** Who is told that a call waits for a person: webhooks, with a link for each approver. */
import type { z } from "zod";
import { isLoopback } from "../document/loopback.ts";
import { quote } from "../document/quote.ts";
import type { Report } from "../document/report.ts";
import { child, entriesOf, isText, itemsOf, type Tree, textsOf } from "../document/tree.ts";
import { byName, described, flag, map, name, names } from "./shape.ts";

const webhookSchema = map("A webhook", {
  url: name.meta({ description: "Where it is sent by POST: an `https` address, or one of this machine." }),
  secret: name.meta({
    description: `What it is signed with, 16 characters or more: a variable, \`\${NAME}\`.`,
  }),
  approvers: names.min(1).meta({
    description: "Who gets a link to answer by: `operator`, or principals with the right `approve`.",
  }),
  arguments: described(
    flag,
    "Whether it holds the call's arguments. Left out: it doesn't; the link shows them.",
  ),
});

const notifySchema = map("`notify`", {
  address: name.meta({
    description:
      "The gateway's address as approvers reach it, such as `https://gate.acme.example`; links begin with it.",
  }),
  webhooks: byName(webhookSchema, "a map of webhooks by name").meta({
    description: "What is told, by name.",
  }),
});

export const notifyKeys = {
  notify: described(notifySchema, "Who is told that a call waits for a person. Left out: nobody."),
};

export function checkNotify(root: Tree, report: Report): void {
  const notify = child(root, "notify");
  checkAddress(child(notify, "address"), "address", report);
  const mayApprove = new Set([
    "operator",
    ...entriesOf(child(child(root, "identities"), "principals")).flatMap(({ key, value }) =>
      textsOf(child(value, "rights")).some((right) => right.value === "approve") ? [key] : [],
    ),
  ]);
  for (const { value } of entriesOf(child(notify, "webhooks"))) {
    checkAddress(child(value, "url"), "url", report);
    const secret = child(value, "secret");
    // THREAT: a policy file is shared and kept in repositories; what stands in it is quoted nowhere.
    if (isText(secret) && !/^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/.test(secret.written))
      report.add(
        secret.at,
        "The secret stands in the file itself.",
        `Write \`\${NAME}\` and set that variable.`,
      );
    else if (isText(secret) && !secret.unresolved && secret.value.length < 16)
      report.add(secret.at, "The secret is too short.", "Set it to the output of `openssl rand -hex 32`.");
    for (const approver of itemsOf(child(value, "approvers")).filter(isText))
      if (!mayApprove.has(approver.value))
        report.add(
          approver.at,
          `${quote(approver.written)} may not approve.`,
          "Name a principal of `identities` with the right `approve`, or `operator`.",
        );
  }
}

function checkAddress(tree: Tree | undefined, key: string, report: Report): void {
  if (!isText(tree) || tree.unresolved) return;
  const url = URL.parse(tree.value);
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
  if (isSafe && url?.username === "" && url.password === "") return;
  report.add(
    tree.at,
    `\`${key}\` is no address that this can safely go to.`,
    "Write an `https` address without a user, or one of this machine.",
  );
}

/** A webhook that is told. */
export interface WebhookConfig {
  readonly name: string;
  readonly url: URL;
  readonly secret: string;
  readonly approvers: readonly string[];
  /** Whether it is sent the call's arguments. */
  readonly hasArguments: boolean;
}

export interface NotifyConfig {
  /** The gateway's, as approvers reach it. */
  readonly address: URL;
  readonly webhooks: readonly WebhookConfig[];
}

export function toNotify(document: z.infer<typeof notifySchema> | undefined): NotifyConfig | null {
  if (document === undefined) return null;
  const webhooks = Object.entries(document.webhooks).map(
    ([name, { url, arguments: hasArguments = false, ...rest }]) =>
      Object.freeze({ name, ...rest, url: new URL(url), hasArguments }),
  );
  return Object.freeze({ address: new URL(document.address), webhooks });
}
