/** Databases and APIs as the core takes them: a server each, whose tools' labels and permissions follow from what it is. */
import {
  join,
  type Label,
  type Lattice,
  lowestClearance,
  type Permission,
  type ServerDeclaration,
} from "../../core/index.ts";
import type { ApiDocument } from "./api-schema.ts";
import { type ApiConfig, type ApiOperation, operationOf } from "./apis.ts";
import type { DatabaseDocument } from "./database-schema.ts";
import { DATABASE_TOOLS, ROW_READING } from "./database-tools.ts";
import type { DatabaseConfig } from "./databases.ts";
import { sensitivityOf } from "./to-label.ts";
import { type Making, toRest } from "./to-tool-declaration.ts";

/** A query brings in what it reads, at most everything; what that is is found before it runs. */
export function toDatabaseDeclaration(
  { tools = {} }: DatabaseDocument,
  { label, catalog, columns, aggregates }: DatabaseConfig,
  lattice: Lattice,
  making: Making,
): ServerDeclaration {
  const worst = [...columns.values(), ...aggregates.values(), catalog].reduce(
    (left, right) => join(lattice, left, right),
    label,
  );
  const declared = DATABASE_TOOLS.map((name) => {
    const own = Object.hasOwn(tools, name) ? tools[name] : undefined;
    const source = ROW_READING.has(name)
      ? ({ source: worst, sourceBound: "most" } as const)
      : { source: catalog };
    return [name, { permissions: ["read"] as const, ...source, ...toRest(own ?? {}, making) }] as const;
  });
  return { tools: Object.fromEntries(declared) };
}

export function toApiDeclaration(
  api: ApiDocument,
  { operations }: ApiConfig,
  lattice: Lattice,
  making: Making,
): ServerDeclaration {
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
