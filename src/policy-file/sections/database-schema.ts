/** The shape of a database in a policy file, with what each key does. */
import { z } from "zod";
import { approval, described, name, names, onViolation, source, text } from "./tool-schema.ts";

const number = z.number({ error: "a number" });

/** What databases, APIs and operations say of what they hold. */
export const sensitivity = {
  sensitivity: described(name, "How sensitive what it holds is: one of `levels`. Left out: the lowest."),
  categories: described(names, "The categories of what it holds, each declared under `categories`."),
  trust: described(name, "How far what it holds can be trusted: one of `trust`. Left out: the highest."),
};

/** What may be said of a tool whose permissions and source follow from what it is. */
export const ownToolKeys = {
  tags: described(names, "Words that `require_tags` can ask for."),
  approval: described(
    approval,
    "Whether a person must say yes before a call, as on any tool. Left out: `never`.",
  ),
  on_violation: described(onViolation, "As on any tool. Left out: `deny`."),
};

export const databaseToolSchema = z.strictObject(ownToolKeys, { error: "a map" });

export const databaseLimitsSchema = z.strictObject(
  {
    rows: described(number, "The most rows of one result. Left out: 1000."),
    seconds: described(number, "How long a query may run. Left out: 10."),
    bytes: described(number, "The largest result. Left out: 1048576, which is 1 MiB."),
  },
  { error: "a map" },
);

const labels = z.record(z.string(), source, { error: "a map of labels" });

export const databaseSchema = z
  .strictObject(
    {
      type: z
        .enum(["sqlite", "postgres", "postgresql"])
        .meta({ description: "What kind of database it is." }),
      path: described(name, "The file of a SQLite database, relative to the file that this stands in."),
      dbname: described(name, "The name of a PostgreSQL database, or the file of a SQLite one."),
      database: described(name, "The same as `dbname`."),
      url: described(name, "Where a PostgreSQL server is, in place of the keys from `host` to `password`."),
      host: described(name, "The host of a PostgreSQL server. Left out: this machine."),
      port: described(z.union([number, name], { error: "a number" }), "Its port. Left out: 5432."),
      user: described(name, "The user to read as, who should have no right to write."),
      password: described(text, "The user's password, best from a variable."),
      schema: described(name, "The schema of names that have none. Left out: `public`."),
      tls: described(
        z.boolean({ error: "true or false" }),
        "Whether the connection is encrypted and the server's certificate verified. Left out: yes, but on this machine.",
      ),
      ...sensitivity,
      catalog: described(
        source,
        "The label of the names and types of tables and columns. Left out: the database's.",
      ),
      columns: described(
        labels,
        "The labels of columns, by `table.column` or `schema.table.column`; `table.*` is every column that no other key names. Left out: the database's.",
      ),
      aggregates: described(
        labels,
        "The labels of what aggregate functions make of columns, by function: `count: public`. Left out: those of the columns.",
      ),
      tools: described(
        z.record(z.string(), databaseToolSchema, { error: "a map of the database's tools by name" }),
        "What is to hold for its tools: `query`, `list_tables`, `describe_table` and `get_row`.",
      ),
      limits: described(databaseLimitsSchema, "What one call may take."),
    },
    { error: "a map with `type`" },
  )
  .meta({ id: "database", description: "A database that agents may read." });

export type DatabaseDocument = z.infer<typeof databaseSchema>;
export type DatabaseToolDocument = z.infer<typeof databaseToolSchema>;
