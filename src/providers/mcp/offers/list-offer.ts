/**
 * What a server offers besides tools, page by page, within limits. THREAT: the server chooses how much there is,
 * whether the pages end, and all text.
 */

import { isJsonObject, type JsonObject } from "../../../json/json-object.ts";
import type { ServerOffer } from "../../../runtime/index.ts";
import type { UpstreamLimits } from "../limits.ts";
import type { Log } from "../transport/rate-limited-log.ts";

/** Requests one page of a list; rejects if it is unavailable. */
export type FetchPage = (method: string, cursor: string | undefined) => Promise<JsonObject>;

const NO_ENTRIES: ReadonlyMap<string, JsonObject> = new Map();

/** A server that has nothing besides tools. */
export const NO_OFFER: ServerOffer = Object.freeze({
  resources: NO_ENTRIES,
  templates: NO_ENTRIES,
  prompts: NO_ENTRIES,
  can: Object.freeze({ resources: false, prompts: false, completions: false, subscribe: false }),
});

/** Lists everything. If a list is unavailable or over a limit, the `known` one stays. */
export async function listOffer(
  can: ServerOffer["can"],
  known: ServerOffer,
  fetchPage: FetchPage,
  limits: UpstreamLimits,
  log: Log,
): Promise<ServerOffer> {
  const attempt = async (wanted: boolean, method: string, list: string, key: string, before: Entries) => {
    if (!wanted) return NO_ENTRIES;
    try {
      return await listAll(method, list, key, fetchPage, limits);
    } catch (cause) {
      log(`${method} could not be used: ${cause instanceof OverLimit ? cause.message : "it failed"}`);
      return before;
    }
  };
  const { resources, prompts } = can;
  return Object.freeze({
    can,
    resources: await attempt(resources, "resources/list", "resources", "uri", known.resources),
    templates: await attempt(
      resources,
      "resources/templates/list",
      "resourceTemplates",
      "uriTemplate",
      known.templates,
    ),
    prompts: await attempt(prompts, "prompts/list", "prompts", "name", known.prompts),
  });
}

type Entries = ReadonlyMap<string, JsonObject>;

class OverLimit extends Error {}

const MAX_KEY_LENGTH = 2048;

async function listAll(
  method: string,
  list: string,
  key: string,
  fetchPage: FetchPage,
  limits: UpstreamLimits,
): Promise<Entries> {
  const entries = new Map<string, JsonObject>();
  let bytes = 0;
  let cursor: string | undefined;
  for (let page = 0; page < limits.pages; page += 1) {
    const answer = await fetchPage(method, cursor);
    for (const [id, entry] of entriesOf(answer[list], key)) {
      bytes += Buffer.byteLength(JSON.stringify(entry));
      if (bytes > limits.definitionsBytes) throw new OverLimit(`more than ${limits.definitionsBytes} bytes`);
      if (entries.size >= limits.tools) throw new OverLimit(`more than ${limits.tools} entries`);
      if (!entries.has(id)) entries.set(id, Object.freeze(entry));
    }
    if (typeof answer.nextCursor !== "string") return entries;
    cursor = answer.nextCursor;
  }
  throw new OverLimit(`more than ${limits.pages} pages`);
}

/** The usable entries of a page, with their keys. */
function entriesOf(page: unknown, key: string): [string, JsonObject][] {
  const entries: [string, JsonObject][] = [];
  for (const entry of Array.isArray(page) ? page : []) {
    const id = isJsonObject(entry) ? entry[key] : undefined;
    if (isUsable(id)) entries.push([id, entry]);
  }
  return entries;
}

/** Addresses with the gateway's own scheme can't be a server's. */
const isUsable = (id: unknown): id is string =>
  typeof id === "string" &&
  id !== "" &&
  id.length <= MAX_KEY_LENGTH &&
  id.isWellFormed() &&
  !id.toLowerCase().startsWith("sluicegate:");
