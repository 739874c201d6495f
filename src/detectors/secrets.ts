/** Secrets, by the rules that secretlint recommends. */
import { lintSource } from "@secretlint/core";
import { rules } from "@secretlint/secretlint-rule-preset-recommend";
import { type Hit, MOST_HITS } from "./pattern.ts";

const PREFIX = "@secretlint/secretlint-rule-";

/** Our own names for what the rules find: they stay where a rule is called otherwise. */
export const KINDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "1password": "secret/1password",
    anthropic: "secret/anthropic",
    aws: "secret/aws",
    basicauth: "secret/basic-auth",
    cloudflare: "secret/cloudflare",
    "database-connection-string": "secret/database-connection",
    databricks: "secret/databricks",
    docker: "secret/docker",
    figma: "secret/figma",
    gcp: "secret/google-cloud",
    github: "secret/github",
    gitlab: "secret/gitlab",
    grafana: "secret/grafana",
    groq: "secret/groq",
    "hashicorp-vault": "secret/hashicorp-vault",
    huggingface: "secret/hugging-face",
    linear: "secret/linear",
    notion: "secret/notion",
    npm: "secret/npm",
    openai: "secret/openai",
    privatekey: "secret/private-key",
    sendgrid: "secret/sendgrid",
    shopify: "secret/shopify",
    slack: "secret/slack",
    stripe: "secret/stripe",
    tailscale: "secret/tailscale",
    vercel: "secret/vercel",
  }).map(([rule, kind]) => [PREFIX + rule, kind]),
);

/** THREAT: it obeys comments in the text, such as `secretlint-disable`, and the text is whoever's. */
const COMMENT_FILTER = `${PREFIX}filter-comments`;

// Each by itself: within the preset, a rule that is disabled runs all the same.
export const RULES: readonly { readonly id: string; readonly rule: (typeof rules)[number] }[] = rules
  .filter(({ meta }) => meta.id !== COMMENT_FILTER)
  .map((rule) => ({ id: rule.meta.id, rule }));

export async function findSecrets(text: string): Promise<readonly Hit[]> {
  // THREAT: a rule opens the file of this path, so there is none.
  const source = { content: withoutMark(text), filePath: "", ext: ".txt", contentType: "text" } as const;
  const { messages } = await lintSource({
    source,
    options: { config: { rules: [...RULES] }, noPhysicFilePath: true },
  });
  return messages.slice(0, MOST_HITS).map(({ ruleId, range: [start, end] }) => ({
    kind: KINDS.get(ruleId) ?? "secret/other",
    start,
    end,
  }));
}

/** A byte order mark would be cut off, and all positions were one too low. */
const withoutMark = (text: string): string => text.replace(/^\uFEFF/, " ");
