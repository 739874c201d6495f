/**
 * A server's notices, looked into each in turn before the client hears of it. A notice comes unasked and raises nothing,
 * so one in which something is found, or of which its server says something, that the session's label doesn't cover is
 * dropped.
 */
import type { JsonObject, ServerMessage, Session } from "../../runtime/index.ts";
import type { ClientLink } from "./exchange.ts";
import { withoutLabel } from "./ifc-label.ts";

export interface InspectedNotices {
  /** The same client, to whom notices go after a look. */
  readonly link: ClientLink;
  /** Resolves when all that came has gone on or was dropped. */
  settled(): Promise<void>;
}

/** Notices that wait for a look; more are dropped. */
const MAX_WAITING = 64;

export function inspectNotices(session: Session, tool: string, link: ClientLink): InspectedNotices {
  let last: Promise<void> = Promise.resolve();
  let waiting = 0;
  const pass = async (notice: ServerMessage, params: JsonObject): Promise<void> => {
    const mayPass = await session.mayHear(notice.params, tool);
    waiting -= 1;
    if (mayPass) link.notify({ ...notice, params });
  };
  const notify = (notice: ServerMessage): void => {
    const params = withoutLabel(session.state.lattice, notice.params);
    if (!session.inspects && params === notice.params) {
      link.notify(notice);
      return;
    }
    if (waiting >= MAX_WAITING) return;
    waiting += 1;
    last = last.then(() => pass(notice, params));
  };
  return { link: { ...link, notify }, settled: () => last };
}
