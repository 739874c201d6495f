/**
 * The tables of a PostgreSQL store, as a list of migrations, and the function that appends; and how a database is brought
 * to the last version of them. Several gateways may start at once; one makes them. Everything is found by the session, or
 * for a fallback by the principal; no unique key crosses sessions, so that the tables can be distributed.
 */
import type { PoolClient } from "pg";
import { SluicegateError } from "../../errors/index.ts";
import { failed } from "../store-errors.ts";
import type { Connections } from "./connections.ts";

/** "Slui" in ASCII, and which lock of ours it is. */
const MIGRATION_LOCK = [0x536c7569, 1];

/**
 * Makes the tables that are missing. Throws SluicegateError `store-damaged` where a store must exist and none does, and
 * `store-failed` where it was written by a later version; whatever the driver throws as well.
 */
export async function migrate(
  connections: Connections,
  { mustExist }: { readonly mustExist: boolean },
): Promise<void> {
  const [row] = await connections.read(
    `SELECT to_regclass('sluicegate.migrations')::text AS there, current_setting('server_encoding') AS encoding,
       current_setting('synchronous_commit') AS commit`,
  );
  if (row?.encoding !== "UTF8") {
    throw failed(
      "The store's database can't hold all text.",
      `Its encoding is ${row?.encoding}, and a store needs UTF8.`,
      "Create the database with `ENCODING 'UTF8'`.",
    );
  }
  if (row.commit === "off") {
    throw failed(
      "The store's database acknowledges commits that it may lose.",
      "Its setting `synchronous_commit` is `off`, so the last raises of sessions would be gone after a crash.",
      "Set it for the store: `ALTER DATABASE … SET synchronous_commit = on`.",
    );
  }
  if (row.there === null && mustExist) {
    throw new SluicegateError("store-damaged", "The database has no store.", {
      why: "It was opened as one that must have one.",
      fix: "Name the database that the gateway uses. If it is that one, its content was lost: restore it from a backup.",
    });
  }
  const version = row.there === null ? 0 : await readVersion(connections.read);
  if (version > MIGRATIONS.length) {
    throw failed(
      "The store was written by a later version of Sluicegate.",
      `Its tables have the version ${version}, and this version of Sluicegate knows up to ${MIGRATIONS.length}.`,
      "Use the version of Sluicegate that wrote it, or a later one.",
    );
  }
  if (version < MIGRATIONS.length) await connections.with(applyMissing);
}

async function applyMissing(client: PoolClient): Promise<void> {
  await client.query("BEGIN");
  try {
    await client.query("SELECT pg_advisory_xact_lock($1, $2)", MIGRATION_LOCK);
    await client.query(`
      CREATE SCHEMA IF NOT EXISTS sluicegate;
      CREATE TABLE IF NOT EXISTS sluicegate.migrations (version int PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())
    `);
    // Read with the lock held: another gateway may have been first.
    const version = await readVersion(async (sql) => (await client.query(sql)).rows);
    for (const [at, migration] of MIGRATIONS.entries()) {
      if (at < version) continue;
      await client.query(migration);
      await client.query("INSERT INTO sluicegate.migrations (version) VALUES ($1)", [at + 1]);
    }
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {});
    throw error;
  }
}

async function readVersion(read: Connections["read"]): Promise<number> {
  const [row] = await read("SELECT coalesce(max(version), 0) AS version FROM sluicegate.migrations");
  return Number(row?.version);
}

/** Each is applied once, in this order. Never change one that was published: add another. */
const MIGRATIONS: readonly string[] = Object.freeze([
  `
  CREATE SEQUENCE sluicegate.openings;
  CREATE TABLE sluicegate.heads (
    session text COLLATE "C" PRIMARY KEY,
    opened bigint NOT NULL DEFAULT nextval('sluicegate.openings'),
    version bigint NOT NULL,
    hash text NOT NULL
  ) WITH (fillfactor = 70);
  CREATE INDEX heads_by_opened ON sluicegate.heads (opened);

  CREATE SEQUENCE sluicegate.positions;
  CREATE TABLE sluicegate.events (
    session text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    position bigint NOT NULL,
    body text NOT NULL,
    hash text NOT NULL,
    PRIMARY KEY (session, seq)
  );
  CREATE INDEX events_by_position ON sluicegate.events (position);

  CREATE SEQUENCE sluicegate.keepings;
  CREATE TABLE sluicegate.kept (
    session text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    position bigint NOT NULL DEFAULT nextval('sluicegate.keepings'),
    value text NOT NULL,
    checksum text NOT NULL,
    PRIMARY KEY (session, key)
  );
  CREATE INDEX kept_by_key ON sluicegate.kept (key);

  CREATE TABLE sluicegate.sticky (
    principal text COLLATE "C" PRIMARY KEY,
    session text NOT NULL,
    checksum text NOT NULL
  );

  -- What all gateways on the store share: a digest of the key of their tokens and digests. One row.
  CREATE TABLE sluicegate.shared_key (only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one), digest text NOT NULL);

  -- The processes that run calls, each renewed while it lives.
  CREATE TABLE sluicegate.runners (id text PRIMARY KEY, renewed timestamptz NOT NULL DEFAULT clock_timestamp());

  -- Appends to one or several sessions, in their order, so that two appends never wait for each other.
  -- \`known\` is an entry whose commit was acknowledged: where it is gone, the database went back.
  -- Gives the positions of the entries; null for a conflict. Nothing is changed where it raises.
  CREATE FUNCTION sluicegate.append_1(
    sessions text[], versions bigint[], links text[], new_versions bigint[], new_hashes text[],
    owners int[], seqs bigint[], bodies text[], hashes text[],
    own text, keys text[], vals text[], checksums text[],
    known_position bigint, known_hash text
  ) RETURNS bigint[] LANGUAGE plpgsql SET lock_timeout = '4s' AS $$
  DECLARE
    is_next boolean;
    positions bigint[] := '{}';
  BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
      RAISE EXCEPTION 'The isolation level is not read committed.' USING ERRCODE = 'SG001';
    END IF;
    IF known_position IS NOT NULL
      AND NOT EXISTS (SELECT FROM sluicegate.events WHERE position = known_position AND hash = known_hash) THEN
      RAISE EXCEPTION 'An acknowledged entry is gone.' USING ERRCODE = 'SG002';
    END IF;
    FOR i IN 1 .. cardinality(sessions) LOOP
      IF new_versions[i] = versions[i] THEN
        -- It writes nothing to this session's journal.
        PERFORM FROM sluicegate.heads WHERE session = sessions[i] FOR UPDATE;
        is_next := CASE WHEN FOUND
          THEN EXISTS (SELECT FROM sluicegate.heads WHERE session = sessions[i] AND version = versions[i])
          ELSE versions[i] = 0 END;
      ELSIF versions[i] = 0 THEN
        INSERT INTO sluicegate.heads (session, version, hash)
          VALUES (sessions[i], new_versions[i], new_hashes[i]) ON CONFLICT DO NOTHING;
        is_next := FOUND;
      ELSE
        UPDATE sluicegate.heads SET version = new_versions[i], hash = new_hashes[i]
          WHERE session = sessions[i] AND version = versions[i] AND hash = links[i];
        is_next := FOUND;
        IF is_next AND NOT EXISTS (SELECT FROM sluicegate.events WHERE session = sessions[i] AND seq = versions[i]) THEN
          RAISE EXCEPTION 'The last entry of a session is gone.' USING ERRCODE = 'SG003';
        END IF;
      END IF;
      IF NOT is_next AND i > 1 THEN
        RAISE EXCEPTION 'One of several sessions has another version.' USING ERRCODE = 'SG004';
      ELSIF NOT is_next THEN
        RETURN NULL;
      END IF;
    END LOOP;
    -- INVARIANT: a transaction has its number, by the writes above, before it takes a position; \`feed\` relies on it.
    FOR i IN 1 .. cardinality(seqs) LOOP
      positions := positions || nextval('sluicegate.positions');
      INSERT INTO sluicegate.events (session, seq, position, body, hash)
        VALUES (sessions[owners[i]], seqs[i], positions[i], bodies[i], hashes[i]);
    END LOOP;
    FOR i IN 1 .. cardinality(keys) LOOP
      IF vals[i] IS NULL THEN
        DELETE FROM sluicegate.kept WHERE session = own AND key = keys[i];
      ELSE
        INSERT INTO sluicegate.kept (session, key, value, checksum) VALUES (own, keys[i], vals[i], checksums[i])
          ON CONFLICT (session, key) DO UPDATE SET value = excluded.value, checksum = excluded.checksum;
      END IF;
    END LOOP;
    RETURN positions;
  END
  $$;
  `,
  `
  -- Places in the queues of sessions' runs. The least ticket of a session has its turn, as long as it is renewed.
  CREATE SEQUENCE sluicegate.tickets;
  CREATE TABLE sluicegate.turns (
    session text COLLATE "C" NOT NULL,
    ticket bigint NOT NULL,
    until timestamptz NOT NULL,
    PRIMARY KEY (session, ticket)
  );

  -- Takes a place (\`own\` is null) or renews it, by the database's clock. No row where the place was lost.
  CREATE FUNCTION sluicegate.take_turn_1(of_session text, own bigint, lasts interval)
    RETURNS TABLE (place bigint, is_first boolean) LANGUAGE plpgsql SET lock_timeout = '4s' AS $$
  BEGIN
    -- Only the runs of one session wait for each other here, so tickets are committed in their order.
    PERFORM pg_advisory_xact_lock(1399616873, hashtext(of_session));
    DELETE FROM sluicegate.turns WHERE session = of_session AND until < clock_timestamp();
    place := own;
    IF own IS NULL THEN
      place := nextval('sluicegate.tickets');
      INSERT INTO sluicegate.turns VALUES (of_session, place, clock_timestamp() + lasts);
    ELSE
      UPDATE sluicegate.turns SET until = clock_timestamp() + lasts WHERE session = of_session AND ticket = own;
      IF NOT FOUND THEN RETURN; END IF;
    END IF;
    is_first := NOT EXISTS (SELECT FROM sluicegate.turns WHERE session = of_session AND ticket < place);
    RETURN NEXT;
  END
  $$;
  `,
  `
  -- Of each archived session, which entries are gone: some process may know of one of them as acknowledged.
  CREATE TABLE sluicegate.pruned (
    session text COLLATE "C" PRIMARY KEY,
    positions bigint[] NOT NULL,
    hashes text[] NOT NULL
  );
  `,
]);
