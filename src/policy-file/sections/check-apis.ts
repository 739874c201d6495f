/** Checks APIs: where their documents and their servers are, and what is said of their operations. */

import { createSuggester, type Suggester } from "../document/near-miss.ts";
import { quote, quoteAll } from "../document/quote.ts";
import { isAddress, specOf } from "../document/read-documents.ts";
import type { Report } from "../document/report.ts";
import {
  child,
  entriesOf,
  entryOf,
  isText,
  type MapTree,
  type TextTree,
  type Tree,
  textsOf,
  toText,
} from "../document/tree.ts";
import type { Wording } from "../shape-wording.ts";
import { checkSensitivity, checkSink } from "./check-labels.ts";
import { checkLimits } from "./check-limits.ts";
import { checkHeaders } from "./check-servers.ts";
import type { Declared, DeclaredApi } from "./declared.ts";

export function checkApis(declared: Declared, report: Report): void {
  for (const api of declared.apis) {
    if (api.value.kind !== "map") continue;
    checkSpec(api, api.value, report);
    checkBaseUrl(child(api.value, "base_url"), report);
    checkSensitivity(api.value, declared, report);
    checkHeaders(child(api.value, "headers"), report);
    checkOwnHeaders(child(api.value, "headers"), report);
    checkLimits(api.value, report);
    checkNames(api, report);
    for (const operation of api.operations) checkOperation(operation.value, declared, report);
  }
}

function checkSpec(api: DeclaredApi, value: MapTree, report: Report): void {
  const [first, second] = entriesOf(value).filter(({ key }) => key === "spec" || key === "spec_source");
  if (first === undefined && !value.partial) {
    report.add(value.at, "`spec` is missing.", "Name the API's OpenAPI document, relative to this file.");
  } else if (second) {
    report.add(second.at, "The API has both `spec` and `spec_source`.", "Keep one of the two.");
  }
  const spec = specOf(api);
  if (spec === undefined || !isAddress(spec.value)) return;
  report.add(
    spec.at,
    "The document of an API is a file, and this is an address.",
    "Save the document beside the policy, so that nobody changes it unseen, and name that file.",
  );
}

// THREAT: a variable may fill in a secret, so an address is not quoted.
function checkBaseUrl(tree: Tree | undefined, report: Report): void {
  if (!isText(tree) || tree.value === "") return;
  const url = URL.parse(tree.value);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    report.add(tree.at, "`base_url` is not an address that begins with `http://` or `https://`.");
  } else if (url.username !== "" || url.password !== "") {
    const fix = "Send them in `headers` or in `query`, from a variable.";
    report.add(tree.at, "`base_url` holds a user name or a password.", fix);
  } else if (/[?#]/.test(tree.value)) {
    report.add(
      tree.at,
      "`base_url` holds more than a path.",
      "Parameters that every call needs stand under `query`.",
    );
  }
}

/** What says where a request goes and where it ends, which is not for a policy to say. */
const MANAGED: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

function checkOwnHeaders(headers: Tree | undefined, report: Report): void {
  const seen = new Map<string, string>();
  for (const { key, at } of entriesOf(headers)) {
    const name = key.toLowerCase();
    const before = seen.get(name);
    if (MANAGED.has(name)) report.add(at, `The header ${quote(key)} follows from the call.`, "Remove it.");
    if (before !== undefined) {
      report.add(at, `${quote(key)} and ${quote(before)} are the same header.`, "Keep one of the two.");
    }
    seen.set(name, key);
  }
}

/** The most operations that one API may offer: each is a tool that an agent is told of. */
const MAX_OPERATIONS = 2000;

/** The operations that are named, under `only` and under `operations`. */
function checkNames(api: DeclaredApi, report: Report): void {
  const { names, offered, operations, value } = api;
  if (names === null) return;
  const suggest = createSuggester(names);
  const all = new Set(names);
  for (const name of textsOf(child(value, "only"))) {
    if (!all.has(name.value) && name.value !== "") report.add(name.at, ...wordUnknown(name, names, suggest));
  }
  const left = new Set(offered);
  for (const operation of operations) {
    const name = toText(operation);
    if (!all.has(name.value)) report.add(name.at, ...wordUnknown(name, names, suggest));
    else if (!left.has(name.value)) {
      const fix = "Name it there too, or remove what is said of it.";
      report.add(name.at, `${quote(name.value)} is none of the operations that \`only\` names.`, fix);
    }
  }
  if (offered.length <= MAX_OPERATIONS) return;
  const at = entryOf(value, "only")?.at ?? specOf(api)?.at ?? api.at;
  const message = `The API has ${offered.length} operations, and ${MAX_OPERATIONS} are the most that it may offer.`;
  report.add(at, message, "Name those that agents need under `only`.");
}

function wordUnknown(name: TextTree, names: readonly string[], suggest: Suggester): Wording {
  const end = suggest(name);
  const message = `The document has no operation ${quote(name.written)}${end}`;
  const fix = names.length === 0 ? "It has none at all." : `It has ${quoteAll(names)}.`;
  return end === "." ? [message, fix] : [message];
}

/** Steps with `.` between them: a name, `*` for any one, and `[]` for each item of a list. */
const FIELD = /^(?:\[\]|[^.[\]]+(?:\[\])*)(?:\[\])*(?:\.[^.[\]]+(?:\[\])*)*$/;
const MAX_FIELD_LENGTH = 500;

function checkOperation(operation: Tree, declared: Declared, report: Report): void {
  checkSensitivity(operation, declared, report);
  checkSink(child(operation, "sink"), declared, report);
  for (const field of textsOf(child(operation, "fields"))) {
    if (field.value === "" || (field.value.length <= MAX_FIELD_LENGTH && FIELD.test(field.value))) continue;
    const fix = "Write its path in the response: `id`, `customer.name`, `items[].id`.";
    report.add(field.at, `${quote(field.written)} is not the name of a field.`, fix);
  }
}
