/** HTTP APIs whose operations agents may call: where each is, which operations are offered, and their labels. */
import { z } from "zod";
import {
  join,
  type Label,
  type Lattice,
  lowestClearance,
  type Permission,
  type ServerDeclaration,
} from "../../core/index.ts";
import type { JsonObject } from "../document/json-value.ts";
import { isLiteralAddress, isLoopback } from "../document/loopback.ts";
import { createSuggester, quote, quoteAll, type Suggester } from "../document/quote.ts";
import type { Report } from "../document/report.ts";
import {
  child,
  type Entry,
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
import { type ApiFile, type ApiFiles, isAddress, specOf } from "./api-document.ts";
import type { Declared, DeclaredApi } from "./declared.ts";
import {
  checkSensitivity,
  checkSourceAndSink,
  saysNothing,
  sensitivity,
  sensitivityOf,
  sink,
} from "./labels.ts";
import { checkLimits } from "./limits.ts";
import { checkHeaders } from "./servers.ts";
import { byName, described, map, name, names, number, texts } from "./shape.ts";
import { LATER_TOOL_KEYS, type Making, ownToolKeys, permissions, toRest } from "./tools.ts";

const operationSchema = map(
  "An operation",
  {
    sensitivity: described(name, "How sensitive its responses are: one of `levels`. Left out: as the API."),
    categories: described(names, "The categories of its responses. Left out: those of the API."),
    trust: described(name, "How far its responses can be trusted. Left out: as the API."),
    fields: described(
      names,
      "The fields of a JSON response that are let through, such as `id` and `items[].name`; the rest is taken out. Left out: all.",
    ),
    sink: described(
      sink,
      "What may be sent with a call. Left out: what the API itself holds, so that it can be read again.",
    ),
    permissions: described(
      permissions,
      "What a call does. Left out: `read` and `connect`, and `write` where the method is none of GET, HEAD, OPTIONS and TRACE.",
    ),
    ...ownToolKeys,
  },
  { later: ["critical", "payload", ...LATER_TOOL_KEYS] },
);

const limitsSchema = map("`limits`", {
  seconds: described(number, "How long a call may take. Left out: 30."),
  bytes: described(number, "The largest response. Left out: 4194304, which is 4 MiB."),
});

const apiSchema = map(
  "An API",
  {
    spec: described(
      name,
      "The API's OpenAPI document, 3.0 or 3.1, as JSON or YAML: a file, relative to the one that this stands in.",
    ),
    spec_source: described(name, "The same as `spec`."),
    base_url: name.meta({
      description: "Where calls go, and nowhere else; the document's own `servers` are ignored.",
    }),
    ...sensitivity,
    headers: described(texts, "Headers sent with each call, such as `authorization`. Agents never see them."),
    query: described(texts, "Query parameters sent with each call. Agents never see them."),
    private_addresses: described(
      z.enum(["allow", "deny"]),
      "Whether the name in `base_url` may lead to an address that isn't public. Left out: `deny`.",
    ),
    only: described(names, "Only these operations, by name. Left out: all."),
    operations: described(
      byName(operationSchema, "a map of operations by name"),
      "Settings of some operations, by name.",
    ),
    limits: described(limitsSchema, "What one call may take."),
  },
  { error: "a map with `spec` and `base_url`" },
).meta({
  id: "api",
  description: "An HTTP API whose operations agents may call.",
  oneOf: [{ required: ["spec"] }, { required: ["spec_source"] }],
});

export const apiKeys = {
  apis: described(
    byName(apiSchema, "a map of APIs by name"),
    "HTTP APIs with an OpenAPI document, by name: each the server of its operations.",
  ),
};

type ApiDocument = z.infer<typeof apiSchema>;
type OperationDocument = z.infer<typeof operationSchema>;

/** An operation that is offered as a tool. */
export interface ApiOperation {
  /** The tool's own name: 1 to 64 letters, digits, `_` and `-`. */
  readonly name: string;
  /** In lower case. */
  readonly method: string;
  /** The template as in the document, such as `/tickets/{id}`. */
  readonly path: string;
  /** What it brings in. */
  readonly label: Label;
  /** The fields of a response that are let through, such as `items[].id`; null for all. */
  readonly fields: readonly string[] | null;
}

/** An HTTP API whose operations agents may call. May hold secrets, which variables filled in. */
export interface ApiConfig {
  /** The server under which its tools stand. */
  readonly id: string;
  /** Its OpenAPI document (3.0 or 3.1) as it is: frozen, its references not followed. */
  readonly document: JsonObject;
  /** Where calls go, and nowhere else; without a `/` at its end. */
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** Whether `baseUrl` may lead to an address that isn't public. */
  readonly allowPrivate: boolean;
  /** In the order of the document. */
  readonly operations: readonly ApiOperation[];
  readonly limits: { readonly bytes: number; readonly seconds: number };
}

/** What is said of its operations, by their names. */
const operationsIn = ({ value }: Entry): readonly Entry[] => entriesOf(child(value, "operations"));

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
    for (const operation of operationsIn(api)) checkOperation(operation.value, declared, report);
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

/** The most operations that one API may offer: each is a tool that an agent is told about. */
const MAX_OPERATIONS = 2000;

/** The operations that are named, under `only` and under `operations`. */
function checkNames(api: DeclaredApi, report: Report): void {
  const { names: known, offered, value } = api;
  if (known === null) return;
  const suggest = createSuggester(known);
  const all = new Set(known);
  for (const name of textsOf(child(value, "only"))) {
    if (!all.has(name.value) && name.value !== "") report.add(name.at, ...wordUnknown(name, known, suggest));
  }
  const left = new Set(offered);
  for (const operation of operationsIn(api)) {
    const name = toText(operation);
    if (!all.has(name.value)) report.add(name.at, ...wordUnknown(name, known, suggest));
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

function wordUnknown(name: TextTree, known: readonly string[], suggest: Suggester): Wording {
  const end = suggest(name);
  const message = `The document has no operation ${quote(name.written)}${end}`;
  const fix = known.length === 0 ? "It has none at all." : `It has ${quoteAll(known)}.`;
  return end === "." ? [message, fix] : [message];
}

/** Steps with `.` between them: a name, `*` for any one, and `[]` for each item of a list. */
const FIELD = /^(?:\[\]|[^.[\]]+(?:\[\])*)(?:\[\])*(?:\.[^.[\]]+(?:\[\])*)*$/;
const MAX_FIELD_LENGTH = 500;

function checkOperation(operation: Tree, declared: Declared, report: Report): void {
  checkSensitivity(operation, declared, report);
  checkSourceAndSink(operation, declared, report);
  for (const field of textsOf(child(operation, "fields"))) {
    if (field.value === "" || (field.value.length <= MAX_FIELD_LENGTH && FIELD.test(field.value))) continue;
    const fix = "Write its path in the response: `id`, `customer.name`, `items[].id`.";
    report.add(field.at, `${quote(field.written)} is not the name of a field.`, fix);
  }
}

/** Warns of APIs that let through more than their policy probably means. */
export function warnAboutApis(
  declared: Declared,
  apis: ReadonlyMap<string, ApiConfig>,
  lattice: Lattice,
  report: Report,
): void {
  for (const api of declared.apis) {
    const config = apis.get(api.key);
    if (config) warnAboutApi(api, config, lattice, report);
  }
}

function warnAboutApi(api: DeclaredApi, config: ApiConfig, lattice: Lattice, report: Report): void {
  const { key, at, value } = api;
  const isUnsaid = saysNothing(value) && operationsIn(api).every((operation) => saysNothing(operation.value));
  if (isUnsaid) {
    const message = `Nothing says how sensitive the API ${quote(key)} is, so all that it answers is ${quote(lattice.levels[0] ?? "")}.`;
    report.add(at, message, "Say so with `sensitivity`, or name another level.");
  }
  if (config.operations.length === 0) {
    const place = entryOf(value, "only")?.at ?? specOf(api)?.at ?? at;
    report.add(place, `The API ${quote(key)} offers no operation, so agents get none of it.`);
  }
  const base = URL.parse(config.baseUrl);
  if (base?.protocol !== "http:" || isLoopback(base.hostname)) return;
  const place = child(value, "base_url")?.at ?? at;
  report.add(
    place,
    "The API is on another machine, and what it is asked and answers goes unencrypted.",
    "Use `https://` where it answers that.",
  );
}

/** How the APIs are reached, and what the core is told about them. One whose document can't be used is left out. */
export function toApis(apis: Readonly<Record<string, ApiDocument>>, documents: ApiFiles, making: Making) {
  const configs = new Map<string, ApiConfig>();
  const declarations = new Map<string, ServerDeclaration>();
  for (const [id, api] of Object.entries(apis)) {
    const found = documents.get(id);
    if (found === undefined) continue;
    const config = toApi(id, api, found, making.lattice);
    configs.set(id, config);
    declarations.set(id, toDeclaration(api, config, making));
  }
  return { configs, declarations: Object.fromEntries(declarations) };
}

function toApi(id: string, api: ApiDocument, { document, operations }: ApiFile, lattice: Lattice): ApiConfig {
  const { headers = {}, query = {}, only, limits = {}, base_url: baseUrl } = api;
  const offered = only === undefined ? operations : operations.filter(({ name }) => only.includes(name));
  const isLiteral = isLiteralAddress(URL.parse(baseUrl)?.hostname ?? "");
  return Object.freeze({
    id,
    document,
    baseUrl: baseUrl.replace(/\/+$/, ""),
    headers: Object.freeze({ ...headers }),
    query: Object.freeze({ ...query }),
    allowPrivate: isLiteral || api.private_addresses === "allow",
    operations: Object.freeze(
      offered.map((operation) => {
        const { fields, ...own } = operationOf(api, operation.name);
        const label = sensitivityOf(own, lattice, sensitivityOf(api, lattice));
        return Object.freeze({ ...operation, label, fields: fields ? Object.freeze([...fields]) : null });
      }),
    ),
    limits: Object.freeze({ bytes: limits.bytes ?? 4 * 1024 * 1024, seconds: limits.seconds ?? 30 }),
  });
}

/** What a policy says of an operation. */
const operationOf = ({ operations = {} }: ApiDocument, name: string): OperationDocument =>
  (Object.hasOwn(operations, name) ? operations[name] : undefined) ?? {};

function toDeclaration(api: ApiDocument, { operations }: ApiConfig, making: Making): ServerDeclaration {
  const { lattice } = making;
  const own = sensitivityOf(api, lattice);
  const declared = operations.map((operation) => {
    const said = operationOf(api, operation.name);
    return [
      operation.name,
      {
        permissions: said.permissions ?? permissionsOf(operation),
        source: operation.label,
        sink: [sinkOf(api, join(lattice, own, operation.label), lattice)],
        ...toRest(said, making),
      },
    ] as const;
  });
  return { tools: Object.fromEntries(declared) };
}

/** What may be sent is what the API holds already; trust is asked for where the API names it. */
const sinkOf = ({ trust }: ApiDocument, held: Label, lattice: Lattice): Label =>
  trust === undefined ? { ...held, trust: lowestClearance(lattice).trust } : held;

const SAFE: ReadonlySet<string> = new Set(["get", "head", "options", "trace"]);

const permissionsOf = ({ method }: ApiOperation): readonly Permission[] =>
  SAFE.has(method) ? ["read", "connect"] : ["read", "write", "connect"];
