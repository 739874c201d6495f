/** Which parts of PostgreSQL's own catalog contain only names and types, and which are refused. */

const CATALOG_COLUMNS: ReadonlyMap<string, string> = new Map([
  ["pg_catalog.pg_namespace", "oid nspname"],
  [
    "pg_catalog.pg_class",
    "oid relname relnamespace reltype relkind relnatts relpersistence relispartition relhasindex relrowsecurity relhassubclass",
  ],
  [
    "pg_catalog.pg_attribute",
    "attrelid attname atttypid attnum attlen attndims atttypmod attnotnull atthasdef attidentity attgenerated attisdropped attcollation",
  ],
  [
    "pg_catalog.pg_type",
    "oid typname typnamespace typlen typtype typcategory typrelid typelem typarray typbasetype typnotnull",
  ],
  ["pg_catalog.pg_index", "indexrelid indrelid indnatts indisunique indisprimary indisvalid indkey"],
  [
    "pg_catalog.pg_constraint",
    "oid conname connamespace contype conrelid conindid confrelid conkey confkey convalidated",
  ],
  ["pg_catalog.pg_inherits", "inhrelid inhparent inhseqno"],
  ["pg_catalog.pg_tables", "schemaname tablename hasindexes rowsecurity"],
  ["pg_catalog.pg_views", "schemaname viewname"],
  ["pg_catalog.pg_matviews", "schemaname matviewname"],
  ["information_schema.schemata", "catalog_name schema_name"],
  ["information_schema.tables", "table_catalog table_schema table_name table_type"],
  ["information_schema.views", "table_catalog table_schema table_name"],
  [
    "information_schema.columns",
    "table_catalog table_schema table_name column_name ordinal_position is_nullable data_type character_maximum_length numeric_precision numeric_scale datetime_precision udt_schema udt_name is_identity is_generated",
  ],
  [
    "information_schema.table_constraints",
    "constraint_catalog constraint_schema constraint_name table_catalog table_schema table_name constraint_type",
  ],
  [
    "information_schema.key_column_usage",
    "constraint_catalog constraint_schema constraint_name table_catalog table_schema table_name column_name ordinal_position position_in_unique_constraint",
  ],
  [
    "information_schema.constraint_column_usage",
    "table_catalog table_schema table_name column_name constraint_catalog constraint_schema constraint_name",
  ],
  [
    "information_schema.referential_constraints",
    "constraint_catalog constraint_schema constraint_name unique_constraint_catalog unique_constraint_schema unique_constraint_name match_option update_rule delete_rule",
  ],
]);

const COLUMNS = new Map([...CATALOG_COLUMNS].map(([name, columns]) => [name, new Set(columns.split(" "))]));

// THREAT: passwords, other people's statements, files, and samples of data.
const FORBIDDEN =
  /^(pg_authid|pg_shadow|pg_user_mappings?|pg_subscription|pg_largeobject|pg_largeobject_metadata|pg_stat_activity|pg_stat_(replication|wal_receiver|ssl|gssapi|subscription|get_.*)|pg_file_settings|pg_hba_file_rules|pg_ident_file_mappings|pg_settings|pg_config|pg_cursors|pg_locks|pg_prepared_(statements|xacts)|pg_replication_slots|pg_backend_memory_contexts|pg_shmem_.*|_?pg_user_mappings|user_mapping_options|foreign_server_options|_pg_foreign_servers)$/;

/** An extension creates this in any schema: the statements of other sessions. */
const OF_EXTENSIONS = /^pg_stat_statements(_info)?$/;

/** Schemas that begin with `pg_` belong to PostgreSQL; nobody else can create one. */
const isSystemSchema = (schema: string): boolean =>
  schema.startsWith("pg_") || schema === "information_schema";

/** Whether a relation is PostgreSQL's own, in any schema. */
export const isSystemRelation = (schema: string, table: string): boolean =>
  isSystemSchema(schema) || OF_EXTENSIONS.test(table);

type SystemColumnUse = "names" | "unresolved";

/** What a column of a system relation reveals. */
export const judgeSystemColumn = (schema: string, table: string, column: string): SystemColumnUse =>
  COLUMNS.get(`${schema}.${table}`)?.has(column) === true ? "names" : "unresolved";

/** What the number of rows of a system relation reveals. */
export const judgeSystemRelation = (schema: string, table: string): SystemColumnUse | "forbidden" => {
  if (FORBIDDEN.test(table) || OF_EXTENSIONS.test(table)) return "forbidden";
  return COLUMNS.has(`${schema}.${table}`) ? "names" : "unresolved";
};
