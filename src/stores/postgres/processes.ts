/** What the processes on one store know of each other: that they share a key, and which of them live. */
import { SluicegateError } from "../../errors/index.ts";
import type { Runner } from "../../runtime/index.ts";
import type { Connections } from "./connections.ts";

const RENEW_MS = 10_000;
/** A process that could not renew for so long takes no result to anybody any more: its database was away as well. */
const GONE_AFTER = "5 minutes";

/** Keeps the first process's digest. Throws SluicegateError `usage` where this one's is another. */
export async function assertSharedKey({ read, write }: Connections, digest: string): Promise<void> {
  await write("INSERT INTO sluicegate.shared_key (digest) VALUES ($1) ON CONFLICT DO NOTHING", [digest]);
  const [row] = await read("SELECT digest FROM sluicegate.shared_key");
  if (row?.digest === digest) return;
  throw new SluicegateError("usage", "This gateway has another key than the others on its store.", {
    why: "Session tokens and approvals that one of them gives would be refused by the other.",
    fix: "Copy the file `.sluicegate/key` of the first gateway here, readable by its owner alone, and start again.",
  });
}

/** Says that this process lives until it is released or ends. */
export async function holdRunner(
  { read, write }: Connections,
  id: string,
): Promise<Runner & { release(): void }> {
  await write("DELETE FROM sluicegate.runners WHERE renewed < clock_timestamp() - interval '1 day'");
  const renew = (): Promise<unknown> =>
    write(
      `INSERT INTO sluicegate.runners (id) VALUES ($1)
       ON CONFLICT (id) DO UPDATE SET renewed = clock_timestamp()`,
      [id],
    );
  await renew();
  const timer = setInterval(() => void renew().catch(() => {}), RENEW_MS).unref();
  return {
    id,
    // By the database's clock alone; without a row it was gone a day ago.
    isGone: async (other) => {
      const [row] = await read(
        `SELECT EXISTS (
          SELECT FROM sluicegate.runners WHERE id = $1 AND renewed > clock_timestamp() - $2::interval
        ) AS lives`,
        [other, GONE_AFTER],
      );
      return other !== id && row?.lives === false;
    },
    release: () => clearInterval(timer),
  };
}
