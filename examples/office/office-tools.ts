/** The tools inside the house: they search the mailbox and the documents, and send nothing anywhere. */
import { readFile } from "node:fs/promises";
import { type CallToolResult, McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";
import { readDocuments, type Section } from "./documents.ts";
import type { Mail } from "./mail.ts";
import { parseMbox } from "./mbox.ts";
import { type Found, search } from "./search.ts";
import { toErrorResult, toMessage } from "./tool-error.ts";

export interface OfficeFiles {
  /** An mbox file. */
  readonly mailbox: string;
  /** A folder of Markdown files. */
  readonly documents: string;
}

const searchInput = z.object({
  query: z.string().min(1).describe("Words to look for; those that match best come first"),
  limit: z.number().int().min(1).max(20).default(5).describe("How many results at most"),
});

const mailOutput = z.object({
  total: z.number().int().describe("How many mails match, shown or not"),
  mails: z.array(
    z.object({
      id: z.string(),
      date: z.string(),
      from: z.string(),
      to: z.string(),
      subject: z.string(),
      body: z.string(),
    }),
  ),
});

const sectionOutput = z.object({
  total: z.number().int().describe("How many sections match, shown or not"),
  sections: z.array(
    z.object({
      document: z.string().describe("File name, such as `pricing.md`"),
      title: z.string(),
      text: z.string(),
    }),
  ),
});

export function createOfficeServer(files: OfficeFiles): McpServer {
  const server = new McpServer({ name: "office", version: "1.0.0" });
  const annotations = { readOnlyHint: true, openWorldHint: false };
  server.registerTool(
    "search_email",
    {
      title: "Search mail",
      description:
        "Searches the company mailbox by words in sender, recipients, subject and text, and returns the best matching mails in full. Mails come from colleagues, customers and strangers.",
      inputSchema: searchInput,
      outputSchema: mailOutput,
      annotations,
    },
    (input) => searchEmail(files.mailbox, input),
  );
  server.registerTool(
    "search_docs",
    {
      title: "Search documents",
      description:
        "Searches the company's internal documents (roadmap, prices, incidents, processes, competitors) and returns the best matching sections.",
      inputSchema: searchInput,
      outputSchema: sectionOutput,
      annotations,
    },
    (input) => searchDocuments(files.documents, input),
  );
  return server;
}

type SearchInput = z.infer<typeof searchInput>;

async function searchEmail(mailbox: string, { query, limit }: SearchInput): Promise<CallToolResult> {
  let mails: Mail[];
  try {
    mails = parseMbox(await readFile(mailbox));
  } catch (thrown) {
    return toErrorResult({
      what: "The mailbox can't be read.",
      why: `${toMessage(thrown)}.`,
      fix: "Put an mbox file there that this process may read.",
    });
  }
  const found = search({ query, items: mails, limit, fields: mailFields });
  const text = describe(found, `of ${mails.length} mails`, query, toMailText);
  return { content: [{ type: "text", text }], structuredContent: { total: found.total, mails: found.items } };
}

async function searchDocuments(folder: string, { query, limit }: SearchInput): Promise<CallToolResult> {
  let sections: Section[];
  try {
    sections = await readDocuments(folder);
  } catch (thrown) {
    return toErrorResult({
      what: "The documents can't be read.",
      why: `${toMessage(thrown)}.`,
      fix: "Put Markdown files into that folder that this process may read.",
    });
  }
  const found = search({ query, items: sections, limit, fields: sectionFields });
  const text = describe(found, `of ${sections.length} sections`, query, toSectionText);
  return {
    content: [{ type: "text", text }],
    structuredContent: { total: found.total, sections: found.items },
  };
}

function mailFields(mail: Mail) {
  return [
    { text: mail.subject, weight: 3 },
    { text: mail.from, weight: 2 },
    { text: mail.to, weight: 1 },
    { text: mail.body, weight: 1 },
  ];
}

function sectionFields(section: Section) {
  return [
    { text: section.title, weight: 3 },
    { text: section.document, weight: 1 },
    { text: section.text, weight: 1 },
  ];
}

/** `3 of 15 mails match …`, then each; or a sentence that says that there is nothing. */
function describe<Item>(
  found: Found<Item>,
  ofAll: string,
  query: string,
  toText: (item: Item) => string,
): string {
  if (found.total === 0) return `None ${ofAll} matches \`${query}\`. Try fewer or other words.`;
  const shown = found.items.length < found.total ? `, the best ${found.items.length} are shown` : "";
  const head = `${found.total} ${ofAll} match \`${query}\`${shown}.`;
  return [head, ...found.items.map(toText)].join("\n\n---\n\n");
}

function toMailText(mail: Mail): string {
  return `From: ${mail.from}\nTo: ${mail.to}\nDate: ${mail.date}\nSubject: ${mail.subject}\n\n${mail.body}`;
}

function toSectionText(section: Section): string {
  return `${section.title} (${section.document})\n\n${section.text}`;
}
