/** Checks what databases and APIs are called, and that nothing else has the same name as them or speaks for their tools. */
import { isPattern, isServerId, parseToolId, WORKSPACE_SERVER } from "../../core/index.ts";
import { wordPlace } from "../document/include.ts";
import { didYouMean, quote } from "../document/quote.ts";
import type { Report } from "../document/report.ts";
import type { Entry } from "../document/tree.ts";
import type { Wording } from "../shape-wording.ts";
import { noSuchTool } from "./databases.ts";
import { DATABASE_TOOLS, type Declared, type DeclaredTool } from "./declared.ts";
import { ID_FIX } from "./servers.ts";

/** `policy` is the policy file, as messages name it. */
export function checkServerIds(declared: Declared, policy: string, report: Report): void {
  const taken = new Map<string, readonly [noun: string, entry: Entry]>();
  for (const server of declared.servers) taken.set(server.key, ["server", server]);
  for (const [noun, entry] of connectorsOf(declared)) {
    const { key, at } = entry;
    const before = taken.get(key);
    if (!isServerId(key)) report.add(at, `${ARTICLES[noun]} can't be called ${quote(key)}.`, ID_FIX);
    else if (key === WORKSPACE_SERVER) report.add(at, ...LIKE_WORKSPACE);
    else if (before !== undefined) {
      const [other, { at: first }] = before;
      const message = `The ${noun} ${quote(key)} has the same name as the ${other} ${wordPlace(first, { policy })}.`;
      report.add(at, message, "Give one of them another name: their tools go by it.");
    } else taken.set(key, [noun, entry]);
  }
  for (const tool of declared.tools) checkTopLevelTool(tool, declared, report);
}

const ARTICLES = { database: "A database", API: "An API" } as const;

const LIKE_WORKSPACE: Wording = [
  "`workspace` is the server of the workspace's own tools, so nothing else can be called so.",
  "Choose another name.",
];

const connectorsOf = ({ databases, apis }: Declared) => [
  ...databases.map((database) => ["database", database] as const),
  ...apis.map((api) => ["API", api] as const),
];

/** The tools of databases and APIs are declared already, where those are. */
function checkTopLevelTool({ id, at, server }: DeclaredTool, declared: Declared, report: Report): void {
  const parts = parseToolId(id);
  if (server !== null || parts.server === null || isPattern(parts.tool)) return;
  const database = declared.databases.find(({ key }) => key === parts.server);
  const api = declared.apis.find(({ key }) => key === parts.server);
  const names = database ? DATABASE_TOOLS : (api?.offered ?? []);
  if (names.includes(parts.tool)) {
    const section = database ? "databases" : "apis";
    const fix = `Declare it under its ${database ? "`tools`" : "`operations`"}.`;
    report.add(at, `${quote(id)} is declared by ${quote(`${section}.${parts.server}`)} already.`, fix);
  } else if (database) report.add(at, ...noSuchTool(database, parts.tool));
  else if (api?.names) {
    const end = didYouMean(parts.tool, names);
    report.add(at, `The API ${quote(api.key)} offers no operation ${quote(parts.tool)}${end}`);
  }
}
