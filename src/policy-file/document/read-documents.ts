/** The OpenAPI documents that a policy's APIs name. */
import {
  type ApiFile,
  type DocumentFault,
  MAX_DOCUMENT_SIZE,
  readApiDocument,
} from "../sections/api-document.ts";
import { quote } from "./quote.ts";
import { type Files, nameOf, readNamed } from "./read-named.ts";
import type { Report } from "./report.ts";
import { child, type Entry, entriesOf, isText, type TextTree, type Tree } from "./tree.ts";

/** The documents of all APIs, by the API's id; without those that can't be used, which are reported. */
export type ApiFiles = ReadonlyMap<string, ApiFile>;

/** How long all documents may be together. */
const MAX_CHARACTERS = 2 * MAX_DOCUMENT_SIZE;

export async function readDocuments(root: Tree, files: Files, report: Report): Promise<ApiFiles> {
  const documents = new Map<string, ApiFile>();
  const readOnce = createReader(files, report);
  for (const api of entriesOf(child(root, "apis"))) {
    const spec = specOf(api);
    if (spec === undefined || isAddress(spec.value)) continue;
    const found = await readOnce(spec);
    if (found === null) continue;
    if ("document" in found) documents.set(api.key, found);
    else report.add(spec.at, `The document ${quote(spec.written)} ${found[0]}`, found[1]);
  }
  return documents;
}

/** Reads each document once, however many APIs it is of, and no more than may be. */
function createReader(files: Files, report: Report) {
  const read = new Map<string, ApiFile | DocumentFault | null>();
  let left = MAX_CHARACTERS;
  return async (spec: TextTree): Promise<ApiFile | DocumentFault | null> => {
    const file = nameOf(spec, files);
    const before = read.get(file);
    if (before !== undefined) return before;
    const named = left < 0 ? null : await readNamed(spec, MAX_DOCUMENT_SIZE, files, report);
    left -= named?.text.length ?? 0;
    if (left < 0) return ["makes the documents of all APIs larger than 64 MiB together.", "Leave some out."];
    const found = named && readApiDocument(named, report);
    read.set(file, found);
    return found;
  };
}

/** Where an API says which document is its own. */
export function specOf({ value }: Entry): TextTree | undefined {
  const spec = child(value, "spec") ?? child(value, "spec_source");
  return isText(spec) && spec.value !== "" ? spec : undefined;
}

/** Whether a document is said to lie on some server. */
export const isAddress = (spec: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(spec);
