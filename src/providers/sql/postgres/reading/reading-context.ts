/** The context of each part of a reading: its position in the query, and where to note what is read. */
import type { Facts, FunctionFact } from "../facts.ts";
import type { Fields } from "../parsing/parse-tree.ts";
import type { ValueKind } from "../value-identity.ts";
import type { Dependencies } from "./dependencies.ts";
import { isOrderFree } from "./row-order.ts";
import type { Entry, Level } from "./scope.ts";

/** What a SELECT returns to the outer query. */
export interface Derived {
  /** Names that it certainly has. */
  readonly columns: ReadonlySet<string>;
  /** Whether it may have others. */
  readonly open: boolean;
  /** What is read only with that output; the rest is noted already. */
  readonly outputs: ReadonlyMap<string, Dependencies>;
  /** The same by position, if positions are known. */
  readonly places: readonly Dependencies[] | null;
  /** By name, whether equal values of an output are identical. */
  readonly kinds?: ReadonlyMap<string, ValueKind>;
  /** The same by position, if positions are known. */
  readonly kindsByPlace?: readonly ValueKind[] | null;
}

/** Which outputs of a SELECT are noted only when they are read: none, plain columns, or all. */
export type Lazy = "none" | "columns" | "all";

export interface ViewReading {
  readonly rows: Dependencies;
  /** By column; null if every column may depend on everything. */
  readonly outputs: ReadonlyMap<string, Dependencies> | null;
}

export interface ReadingContext {
  readonly facts: Facts;
  readonly reads: Dependencies;
  readonly level: Level | null;
  readonly ctes: ReadonlyMap<string, Derived>;
  /** Whether this is part of a definition in the database, not of the statement. */
  readonly stored: boolean;
  /** Whether this is the outermost select list, whose aggregates are noted separately. */
  readonly outermost: boolean;
  /** Whether this SELECT returns its rows as a list: `ARRAY(SELECT …)`. */
  readonly isList?: boolean;
  /**
   * Whether this is in a WITH. The server computes all outputs of such a query, read or not, so an expression that
   * fails on some value reveals something; elsewhere it skips unread outputs.
   */
  readonly inWith: boolean;
  readonly views: Map<string, ViewReading | "busy">;
  /** Tables whose policies are being read, since a policy may read other tables. */
  readonly policed: Set<number>;
  /** Parses a definition; null if it isn't one SELECT. */
  parse(sql: string): Fields | null;
  readSelect(select: Fields, context: ReadingContext, lazy: Lazy): Derived;
}

export const derivedEntry = (name: string, derived: Derived): Entry => ({
  name,
  columns: derived.columns,
  open: derived.open,
  kindOf: (column) => derived.kinds?.get(column) ?? "loose",
  touch: (column, reads) => {
    const output = derived.outputs.get(column);
    if (output !== undefined) reads.merge(output);
  },
  touchAll: (reads) => force(derived, reads),
  // Outputs without a certain name are noted already.
  dependOnUnknown: () => {},
});

/** Notes everything that was deferred. */
export function force(derived: Derived, reads: Dependencies): void {
  for (const output of derived.outputs.values()) reads.merge(output);
}

/** Judges a function by every meaning of its name, and notes the result. */
export function noteFunction(context: ReadingContext, schema: string | null, name: string): void {
  const candidates = context.facts.functions(schema, name);
  if (candidates.length === 0) noteTypeByName(context, schema, name);
  noteVerdict(context, name, candidates);
}

/** `badge('x')` makes a value of a type, if there is no function of that name. */
function noteTypeByName(context: ReadingContext, schema: string | null, name: string): void {
  const type = context.facts.type(schema, name);
  if (type === null || type.builtin) return;
  context.reads.addOwnCode(`What a value does when it becomes a \`${name}\` isn't known.`);
}

/** `a.b` may call a function `b` or make a value of a type `b`, if `a` has no column of that name. */
export function noteFunctionNotation(context: ReadingContext, name: string): void {
  const candidates = context.facts.functions(null, name);
  if (!isOrderFree(name, candidates)) context.reads.dependOnOrder();
  if (candidates.length > 0) noteVerdict(context, name, candidates);
  else noteTypeByName(context, null, name);
}

function noteVerdict(context: ReadingContext, name: string, candidates: readonly FunctionFact[]): void {
  const verdict = judgeFunction(name, candidates);
  if (verdict === "names") context.reads.addCatalog();
  if (verdict === "unresolved" || (verdict === "forbidden" && context.stored)) {
    const reason = `What the function \`${name}\` reads isn't known.`;
    if (!context.stored && candidates.some(({ builtin }) => !builtin)) context.reads.addOwnCode(reason);
    else context.reads.leaveUnresolved(reason);
  } else if (verdict === "forbidden") {
    context.reads.forbid({
      message: `The function \`${name}\` may not be called here.`,
      why: "It runs other statements, reads files, settings or other sessions, waits, or has an effect.",
      fix: "Leave it out, and read the tables by their names.",
    });
  }
}

/** `pure`: its result depends on its arguments (and the clock). `names`: also on names in the catalog. */
type FunctionVerdict = "pure" | "names" | "unresolved" | "forbidden";

// THREAT: the model names the function. Functions that run SQL, read files or settings, examine other sessions, wait,
// lock, signal or write do what the statement doesn't show, so they are refused in any schema.
const FORBIDDEN: readonly RegExp[] = [
  /^(query|cursor|table|schema|database)_to_xml/,
  /^(ts_stat|ts_rewrite|set_config|setseed|current_setting|nextval|setval|currval|lastval)$/,
  /^(lo_|loread$|lowrite$|dblink|http_|txid_)/,
  /^pg_(read_|ls_|stat_|file_|sleep|advisory_|try_advisory_|terminate_|cancel_|reload_|rotate_|log_|logical_)/,
  /^pg_(notify|listening_channels|notification_|replication_|create_|drop_|copy_|sync_|export_|import_|backup_)/,
  /^pg_(current_xact_id|current_wal|current_logfile|promote|switch_wal|wal_|control_|config$|hba_|ident_|show_)/,
  /^pg_(cursor|prepared_|lock_status|get_replication_slots|get_backend_memory_contexts|get_shmem|restore_|clear_)/,
  /^(binary_upgrade_|brin_summarize_|brin_desummarize_|gin_clean_|currtid)/,
];

/** Not immutable, because of the time zone, the locale or randomness; none reads other data. */
const PURE: ReadonlySet<string> = new Set(
  `age anytextcat array_agg array_sample array_shuffle array_to_json array_to_string clock_timestamp concat concat_ws
  convert convert_from convert_to current_database current_schema current_schemas current_user date date_add date_part
  date_subtract date_trunc extract format gen_random_uuid generate_series in_range json_agg json_agg_strict json_build_array json_build_object json_object_agg
  json_object_agg_strict json_object_agg_unique json_object_agg_unique_strict json_populate_record
  json_populate_recordset json_to_record json_to_recordset json_to_tsvector jsonb_agg jsonb_agg_strict
  jsonb_build_array jsonb_build_object jsonb_object_agg jsonb_object_agg_strict jsonb_object_agg_unique
  jsonb_object_agg_unique_strict jsonb_path_exists_tz jsonb_path_match_tz jsonb_path_query_array_tz
  jsonb_path_query_first_tz jsonb_path_query_tz jsonb_populate_record jsonb_populate_record_valid
  jsonb_populate_recordset jsonb_to_record jsonb_to_recordset jsonb_to_tsvector length make_timestamptz money now
  numeric overlaps pg_client_encoding phraseto_tsquery plainto_tsquery
  quote_literal quote_nullable random random_normal row_to_json session_user statement_timestamp string_agg textanycat
  time timeofday timestamp timestamptz timetz timezone to_char to_date to_json to_jsonb to_number to_timestamp to_tsquery
  to_tsvector transaction_timestamp ts_headline uuidv4 uuidv7 version websearch_to_tsquery xml xml_is_well_formed`.split(
    /\s+/,
  ),
);

const NAMES: ReadonlySet<string> = new Set(
  `enum_first enum_last enum_range format_type get_current_ts_config pg_collation_for pg_function_is_visible
  pg_partition_root pg_table_is_visible pg_type_is_visible pg_typeof to_regclass to_regnamespace to_regtype`.split(
    /\s+/,
  ),
);

/** Declared immutable, but their results reveal names of roles or the number of transactions. */
const NOT_PURE: ReadonlySet<string> = new Set(["acldefault", "makeaclitem", "xid"]);

/** @param candidates every function that the name may mean, whatever its arguments */
function judgeFunction(name: string, candidates: readonly FunctionFact[]): FunctionVerdict {
  if (FORBIDDEN.some((pattern) => pattern.test(name))) return "forbidden";
  if (candidates.length === 0 || candidates.some(({ builtin }) => !builtin)) return "unresolved";
  if (NAMES.has(name)) return "names";
  if (NOT_PURE.has(name)) return "unresolved";
  if (PURE.has(name) || candidates.every(({ volatility }) => volatility === "i")) return "pure";
  // An unknown volatile function may have side effects.
  return candidates.some(({ volatility }) => volatility === "v") ? "forbidden" : "unresolved";
}
