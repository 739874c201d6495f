/** Reads facts from the catalog, in one statement. */
import { type FactName, keyOf } from "./facts.ts";

/** Runs a statement and returns its rows. */
type Ask = (text: string, values: readonly unknown[]) => Promise<readonly (readonly unknown[])[]>;

// Objects with lower numbers came with PostgreSQL (FirstNormalObjectId).
const FIRST_OWN = 16384;

const FAMILY = `
  WITH RECURSIVE ancestor(oid) AS (
    SELECT inhparent FROM pg_catalog.pg_inherits WHERE inhrelid = c.oid
    UNION SELECT i.inhparent FROM pg_catalog.pg_inherits i JOIN ancestor a ON i.inhrelid = a.oid
  ), descendant(oid) AS (
    SELECT inhrelid FROM pg_catalog.pg_inherits WHERE inhparent = c.oid
    UNION SELECT i.inhrelid FROM pg_catalog.pg_inherits i JOIN descendant d ON i.inhparent = d.oid
  )
  SELECT coalesce(json_agg(json_build_array(fn.nspname, f.relname) ORDER BY fn.nspname, f.relname), '[]')
  FROM pg_catalog.pg_class f JOIN pg_catalog.pg_namespace fn ON fn.oid = f.relnamespace
  WHERE f.relkind IN ('r', 'p', 'f')
    AND (f.oid IN (SELECT oid FROM ancestor) OR f.oid IN (SELECT oid FROM descendant))`;

/** Casts that run the database's own code; immutable C functions of an extension don't count. */
const OWN_CASTS = `
  SELECT k.castsource, k.casttarget FROM pg_catalog.pg_cast k JOIN pg_catalog.pg_proc p ON p.oid = k.castfunc
  JOIN pg_catalog.pg_language l ON l.oid = p.prolang
  WHERE k.oid >= ${FIRST_OWN} AND NOT (p.provolatile = 'i' AND l.lanname IN ('c', 'internal') AND EXISTS (
    SELECT FROM pg_catalog.pg_depend x WHERE x.classid = 'pg_catalog.pg_cast'::regclass
      AND x.objid = k.oid AND x.deptype = 'e'))`;

/** Types of the database whose values run such code: by a cast, or by a domain's check on conversion from text. */
const CODED = `
  SELECT castsource AS oid FROM own_cast WHERE castsource >= ${FIRST_OWN}
  UNION SELECT casttarget FROM own_cast WHERE casttarget >= ${FIRST_OWN}
  UNION SELECT k.contypid FROM pg_catalog.pg_constraint k JOIN pg_catalog.pg_depend x ON x.objid = k.oid
    AND x.classid = 'pg_catalog.pg_constraint'::regclass
    AND x.refclassid IN ('pg_catalog.pg_proc'::regclass, 'pg_catalog.pg_operator'::regclass)
  WHERE k.contypid <> 0 AND x.refobjid >= ${FIRST_OWN}`;

/** The types of a relation's rows and columns, with their parts. */
const REACHES_CODE = `
  WITH RECURSIVE part(oid) AS (
    SELECT unnest(ARRAY[c.reltype, r.typarray]) FROM pg_catalog.pg_type r WHERE r.oid = c.reltype
    UNION SELECT m.oid FROM part JOIN pg_catalog.pg_type t ON t.oid = part.oid CROSS JOIN LATERAL (
      SELECT unnest(ARRAY[t.typelem, t.typbasetype]) UNION ALL
      SELECT g.rngsubtype FROM pg_catalog.pg_range g WHERE t.oid IN (g.rngtypid, g.rngmultitypid) UNION ALL
      SELECT a.atttypid FROM pg_catalog.pg_attribute a
      WHERE t.typrelid <> 0 AND a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped
    ) AS m(oid) WHERE t.oid >= ${FIRST_OWN} AND m.oid >= ${FIRST_OWN}
  ) SELECT EXISTS (SELECT FROM part JOIN coded USING (oid))`;

/** Types whose equal values are identical; texts only if the database has no nondeterministic collation. */
const isIdentical = (type: string): string => `(${type} IN ('bool'::regtype, 'int2'::regtype, 'int4'::regtype,
  'int8'::regtype, 'date'::regtype, 'timestamp'::regtype, 'timestamptz'::regtype, 'uuid'::regtype, 'bytea'::regtype)
  OR ${type} IN ('text'::regtype, 'varchar'::regtype)
    AND NOT EXISTS (SELECT FROM pg_catalog.pg_collation WHERE NOT collisdeterministic))`;

const COLUMNS = `
  SELECT coalesce(json_agg(json_build_object(
    'name', a.attname,
    'virtual', a.attgenerated = 'v',
    'identical', ${isIdentical("a.atttypid")},
    'generated', CASE WHEN a.attgenerated <> '' THEN pg_catalog.pg_get_expr(g.adbin, g.adrelid) END
  ) ORDER BY a.attnum), '[]')
  FROM pg_catalog.pg_attribute a
  LEFT JOIN pg_catalog.pg_attrdef g ON g.adrelid = a.attrelid AND g.adnum = a.attnum
  WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped`;

/** The columns `a` of a table by which an index `i` is ordered, or selects its rows. */
const IS_KEY = `a.attnum = ANY ((i.indkey::int2[])[0:i.indnkeyatts - 1])
  OR coalesce(i.indexprs, i.indpred) IS NOT NULL AND (
    i.indexprs::text LIKE '%:varattno 0 %' OR i.indpred::text LIKE '%:varattno 0 %'
    OR EXISTS (SELECT FROM pg_catalog.pg_depend x WHERE x.classid = 'pg_catalog.pg_class'::regclass
      AND x.objid = i.indexrelid AND x.refclassid = 'pg_catalog.pg_class'::regclass
      AND x.refobjid = i.indrelid AND x.refobjsubid = a.attnum))`;

const INDEXES = `
  SELECT coalesce(json_agg(json_build_object('keys', k.keys, 'holds', k.holds) ORDER BY i.indexrelid), '[]')
  FROM pg_catalog.pg_index i CROSS JOIN LATERAL (
    SELECT coalesce(json_agg(a.attname ORDER BY a.attnum) FILTER (WHERE ${IS_KEY}), '[]') AS keys,
      coalesce(json_agg(a.attname ORDER BY a.attnum) FILTER (WHERE a.attnum = ANY (i.indkey::int2[])), '[]') AS holds
    FROM pg_catalog.pg_attribute a WHERE a.attrelid = i.indrelid AND a.attnum > 0 AND NOT a.attisdropped) k
  WHERE i.indrelid = c.oid`;

/** The server records on which of its columns a table's partitioning depends. */
const PLACED_BY = `
  SELECT coalesce(json_agg(a.attname ORDER BY a.attnum), '[]') FROM pg_catalog.pg_attribute a
  WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND (
    EXISTS (SELECT FROM pg_catalog.pg_index i WHERE i.indrelid = c.oid AND i.indisclustered AND (${IS_KEY}))
    OR c.relkind = 'p' AND EXISTS (SELECT FROM pg_catalog.pg_depend x
      WHERE x.classid = 'pg_catalog.pg_class'::regclass AND x.objid = c.oid AND x.objsubid = a.attnum
        AND x.refclassid = 'pg_catalog.pg_class'::regclass AND x.refobjid = c.oid AND x.refobjsubid = 0))`;

const POLICIES = `
  SELECT coalesce(json_agg(pg_catalog.pg_get_expr(p.polqual, p.polrelid) ORDER BY p.polname), '[]')
  FROM pg_catalog.pg_policy p
  WHERE c.relrowsecurity AND p.polrelid = c.oid AND p.polcmd IN ('*', 'r') AND p.polqual IS NOT NULL`;

const DEPENDS = `
  SELECT coalesce(json_agg(DISTINCT jsonb_build_array(dn.nspname, d.relname, da.attname)), '[]')
  FROM pg_catalog.pg_rewrite r
  JOIN pg_catalog.pg_depend x ON x.classid = 'pg_catalog.pg_rewrite'::regclass AND x.objid = r.oid
    AND x.refclassid = 'pg_catalog.pg_class'::regclass AND x.refobjsubid > 0
  JOIN pg_catalog.pg_class d ON d.oid = x.refobjid AND d.relkind IN ('r', 'p', 'f')
  JOIN pg_catalog.pg_namespace dn ON dn.oid = d.relnamespace
  JOIN pg_catalog.pg_attribute da ON da.attrelid = d.oid AND da.attnum = x.refobjsubid
  WHERE r.ev_class = c.oid`;

const RELATION = `
  SELECT json_build_object('schema', n.nspname, 'name', c.relname, 'oid', c.oid::int8, 'kind', c.relkind,
    'readable', pg_catalog.has_any_column_privilege(c.oid, 'SELECT'), 'columns', (${COLUMNS}), 'coded', coalesce((${REACHES_CODE}), false),
    'bound', CASE WHEN c.relispartition THEN pg_catalog.pg_get_partition_constraintdef(c.oid) END,
    'definition', CASE WHEN c.relkind IN ('v', 'm') AND c.oid >= ${FIRST_OWN}
      THEN pg_catalog.pg_get_viewdef(c.oid) END,
    'indexes', (${INDEXES}), 'placedBy', (${PLACED_BY}), 'policies', (${POLICIES}), 'family', (${FAMILY}), 'depends', (${DEPENDS}))::text
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relname = wanted.name
    AND CASE WHEN wanted.schema IS NULL THEN pg_catalog.pg_table_is_visible(c.oid) ELSE n.nspname = wanted.schema END`;

const FUNCTIONS = `
  SELECT coalesce(json_agg(DISTINCT jsonb_build_object(
    'builtin', p.oid < ${FIRST_OWN} AND n.nspname = 'pg_catalog',
    'volatility', p.provolatile, 'kind', p.prokind, 'set', p.proretset,
    'identical', ${isIdentical("p.prorettype")})), '[]')::text
  FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
  WHERE p.proname = wanted.name
    AND CASE WHEN wanted.schema IS NULL THEN pg_catalog.pg_function_is_visible(p.oid)
      ELSE n.nspname = wanted.schema END`;

const OPERATORS = `
  SELECT coalesce(json_agg(DISTINCT jsonb_build_object('trusted', o.oid < ${FIRST_OWN} OR (
    p.provolatile = 'i' AND l.lanname IN ('c', 'internal') AND EXISTS (
      SELECT FROM pg_catalog.pg_depend x WHERE x.classid = 'pg_catalog.pg_operator'::regclass
        AND x.objid = o.oid AND x.deptype = 'e')))), '[]')::text
  FROM pg_catalog.pg_operator o JOIN pg_catalog.pg_namespace n ON n.oid = o.oprnamespace
  JOIN pg_catalog.pg_proc p ON p.oid = o.oprcode JOIN pg_catalog.pg_language l ON l.oid = p.prolang
  WHERE o.oprname = wanted.name
    AND CASE WHEN wanted.schema IS NULL THEN pg_catalog.pg_operator_is_visible(o.oid)
      ELSE n.nspname = wanted.schema END`;

const TYPE = `
  SELECT json_build_object('name', t.typname, 'builtin', t.oid < ${FIRST_OWN} AND n.nspname = 'pg_catalog',
    'kind', t.typtype, 'identical', ${isIdentical("t.oid")}, 'coded', EXISTS (SELECT FROM coded WHERE coded.oid = t.oid))::text
  FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
  WHERE t.typname = wanted.name
    AND CASE WHEN wanted.schema IS NULL THEN pg_catalog.pg_type_is_visible(t.oid) ELSE n.nspname = wanted.schema END`;

// THREAT: GREATEST, DISTINCT, a sort or an index use the type's own order, wherever its operators are defined.
const OWN_ORDERS = `
  SELECT FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_language l ON l.oid = p.prolang
  WHERE p.oid >= ${FIRST_OWN} AND l.lanname NOT IN ('c', 'internal') AND (
    EXISTS (SELECT FROM pg_catalog.pg_amproc s WHERE s.amproc = p.oid)
    OR EXISTS (SELECT FROM pg_catalog.pg_amop s JOIN pg_catalog.pg_operator o ON o.oid = s.amopopr
      WHERE o.oprcode = p.oid))`;

const SERVER = `
  SELECT json_build_object('version', current_setting('server_version_num')::int,
    'encoding', current_setting('server_encoding'),
    'plainCasts', EXISTS (SELECT FROM own_cast WHERE castsource < ${FIRST_OWN} AND casttarget < ${FIRST_OWN}),
    'ownOrders', EXISTS (${OWN_ORDERS}))::text`;

const STATEMENT = `
  WITH own_cast AS (${OWN_CASTS}), coded AS (${CODED})
  SELECT wanted.kind, wanted.schema, wanted.name, CASE wanted.kind
    WHEN 'relation' THEN (${RELATION}) WHEN 'function' THEN (${FUNCTIONS}) WHEN 'operator' THEN (${OPERATORS})
    WHEN 'type' THEN (${TYPE}) WHEN 'server' THEN (${SERVER}) END
  FROM unnest($1::text[], $2::text[], $3::text[]) AS wanted(kind, schema, name)`;

/** What each name means now, as JSON by `keyOf` the name; null if it means nothing. */
export async function loadFacts(ask: Ask, names: readonly FactName[]): Promise<Map<string, string | null>> {
  const rows = await ask(STATEMENT, [
    names.map(({ kind }) => kind),
    names.map(({ schema }) => schema),
    names.map(({ name }) => name),
  ]);
  const found = rows.map(([, , , fact]) => (typeof fact === "string" ? fact : null));
  // INVARIANT: without ORDER BY, rows of one unnest come in the order of its arrays; names are compared nevertheless.
  return new Map(
    rows.map(([kind, schema, name], index) => [JSON.stringify([kind, schema, name]), found[index] ?? null]),
  );
}

export const keysOf = (names: readonly FactName[]): readonly string[] => names.map(keyOf);
