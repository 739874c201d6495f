/** All that is looked for in a text: personal data, and secrets, by the rules that secretlint recommends and by ours. */
import { lintSource } from "@secretlint/core";
import { rules } from "@secretlint/secretlint-rule-preset-recommend";
import { unescapeLines } from "./json-escapes.ts";
import { findAll, type Hit, MAX_HITS } from "./pattern.ts";
import { PERSONAL_DATA } from "./personal-data/index.ts";
import { isPlaceholderToken, SECRET_PATTERNS } from "./secret-patterns.ts";

/** A text to look through, and for what. */
export interface ScanRequest {
  readonly text: string;
  readonly secrets: boolean;
  readonly personalData: boolean;
}

/** What stands in a text, as it is or behind escapes of JSON. */
export async function scanText(request: ScanRequest): Promise<readonly Hit[]> {
  const hits = await scanAsIs(request);
  const lines = unescapeLines(request.text);
  if (lines === null) return hits;
  const unescaped = await scanAsIs({ ...request, text: lines.text });
  return [
    ...hits,
    ...unescaped.map(({ kind, start, end }) => ({
      kind,
      start: lines.toOriginal(start),
      end: lines.toOriginal(end),
    })),
  ];
}

async function scanAsIs({ text, secrets, personalData }: ScanRequest): Promise<readonly Hit[]> {
  return [
    ...(secrets ? await findSecrets(text) : []),
    ...(personalData ? PERSONAL_DATA.flatMap((pattern) => findAll(text, pattern)) : []),
  ];
}

const PREFIX = "@secretlint/secretlint-rule-";

/** Our own names for what the rules find: they stay where a rule is called otherwise. */
export const KINDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "1password": "secret/1password",
    anthropic: "secret/anthropic",
    aws: "secret/aws",
    cloudflare: "secret/cloudflare",
    databricks: "secret/databricks",
    docker: "secret/docker",
    figma: "secret/figma",
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
    shopify: "secret/shopify",
    stripe: "secret/stripe",
    tailscale: "secret/tailscale",
    vercel: "secret/vercel",
  }).map(([rule, kind]) => [PREFIX + rule, kind]),
);

/** Rules in whose place ours stand, and one that obeys comments in the text. THREAT: the text is whoever's. */
const LEFT_OUT: ReadonlySet<string> = new Set(
  [
    "basicauth",
    "database-connection-string",
    "gcp",
    "privatekey",
    "sendgrid",
    "slack",
    "filter-comments",
  ].map((rule) => PREFIX + rule),
);

// Each by itself: within the preset, a rule that is disabled runs all the same.
export const RULES: readonly { readonly id: string; readonly rule: (typeof rules)[number] }[] = rules
  .filter(({ meta }) => !LEFT_OUT.has(meta.id))
  .map((rule) => ({ id: rule.meta.id, rule }));

async function findSecrets(text: string): Promise<readonly Hit[]> {
  // THREAT: a rule opens the file of this path, so there is none.
  const source = { content: withoutMark(text), filePath: "", ext: ".txt", contentType: "text" } as const;
  const { messages } = await lintSource({
    source,
    options: { config: { rules: [...RULES] }, noPhysicFilePath: true },
  });
  const found = messages
    .filter(({ range: [start, end] }) => !isPlaceholder(text.slice(start, end)))
    .slice(0, MAX_HITS)
    .map(({ ruleId, range: [start, end] }) => ({ kind: KINDS.get(ruleId) ?? "secret/other", start, end }));
  return [...found, ...SECRET_PATTERNS.flatMap((pattern) => findAll(text, pattern))];
}

/** What secretlint reports begins with the prefix that all tokens of a maker have, or with a setting's name. */
const isPlaceholder = (found: string): boolean =>
  isPlaceholderToken(found.replace(/^(?:_authToken=|[A-Za-z0-9]{1,12}[-_.])/, ""));

/** A byte order mark would be cut off, and all positions were one too low. */
const withoutMark = (text: string): string => text.replace(/^\uFEFF/, " ");
