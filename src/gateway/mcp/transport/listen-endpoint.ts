/**
 * `subscriptions/listen` (revision 2026-07-28): a stream of notifications about changed lists and resources of a
 * session. Each stream has its own bus, so it gets only its session's notifications.
 */
import { createMcpHandler, type McpHttpHandler, type ServerEvent } from "@modelcontextprotocol/server";
import { SluicegateError } from "../../../errors/index.ts";
import { isJsonObject } from "../../../json/json-object.ts";
import type { Session } from "../../../runtime/index.ts";
import { partyOf, SHARE_OF_PARTY, type TurnOwner } from "../../../threads/index.ts";
import type { ListKind } from "../offers/list-notices.ts";
import { MAX_SUBSCRIPTIONS, Subscriptions } from "../offers/subscriptions.ts";
import { createSessionServer, type McpService } from "../session-server.ts";

export interface ListenEndpoint {
  handle(request: Request, session: Session, body: unknown): Promise<Response>;
  close(): Promise<void>;
}

const EVENT_OF: Readonly<Record<ListKind, ServerEvent>> = {
  tools: { kind: "tools_list_changed" },
  resources: { kind: "resources_list_changed" },
  prompts: { kind: "prompts_list_changed" },
};

export const isListen = (body: unknown): boolean =>
  isJsonObject(body) && body.method === "subscriptions/listen";

export function createListenEndpoint(service: McpService, onFault: (cause: unknown) => void): ListenEndpoint {
  const open = new Map<McpHttpHandler, TurnOwner>();
  return {
    handle: async (request, session, body) => {
      const refusal = await findRefusal(service, session, request, body);
      if (refusal !== null) return refusal;
      const { labelHolder, principal } = session;
      // INVARIANT: nothing is awaited between this check and adding the stream.
      assertRoom(open.values(), session, service.limits);
      const listeners = new Set<(event: ServerEvent) => void>();
      const publish = (event: ServerEvent): void => {
        for (const listener of listeners) listener(event);
      };
      const subscriptions = new Subscriptions(service, session, (uri) =>
        publish({ kind: "resource_updated", uri }),
      );
      const stopNotices = service.notices.watch(session, (kind) => publish(EVENT_OF[kind]));
      const end = (): void => {
        stopNotices();
        subscriptions.close();
        open.delete(handler);
      };
      const subscribe = (listener: (event: ServerEvent) => void): (() => void) => {
        listeners.add(listener);
        return () => {
          listeners.delete(listener);
          end();
        };
      };
      const handler: McpHttpHandler = createMcpHandler(() => createSessionServer(service, session), {
        legacy: "reject",
        onerror: onFault,
        bus: { publish, subscribe },
      });
      open.set(handler, { labelHolder, principal });
      const parsedBody = await subscribeAll(subscriptions, body, request.signal);
      const response = await handler.fetch(request, { parsedBody });
      // A stream that was refused, or has nothing to announce, never subscribes and so never ends by itself.
      if (listeners.size === 0) end();
      return response;
    },
    close: async () => {
      await Promise.allSettled([...open.keys()].map((handler) => handler.close()));
    },
  };
}

/** The SDK's reason to refuse a request, before anything is subscribed to; null if it accepts it. */
async function findRefusal(
  service: McpService,
  session: Session,
  request: Request,
  body: unknown,
): Promise<Response | null> {
  const bus = { publish: () => {}, subscribe: () => () => {} };
  const trial = createMcpHandler(() => createSessionServer(service, session), { legacy: "reject", bus });
  const parsedBody = withResources(body, []);
  const response = await trial.fetch(request, { parsedBody });
  if (!response.ok) return response;
  await response.body?.cancel();
  await trial.close();
  return null;
}

/** The body of a request with other resources, if it names any. */
function withResources(body: unknown, resourceSubscriptions: readonly string[]): unknown {
  const params = isJsonObject(body) ? body.params : null;
  const wanted = isJsonObject(params) ? params.notifications : null;
  if (!isJsonObject(body) || !isJsonObject(params) || !isJsonObject(wanted)) return body;
  return { ...body, params: { ...params, notifications: { ...wanted, resourceSubscriptions } } };
}

/** Subscribes to the named resources. Those that are refused are removed from the request. */
async function subscribeAll(
  subscriptions: Subscriptions,
  body: unknown,
  signal: AbortSignal,
): Promise<unknown> {
  const params = isJsonObject(body) ? body.params : null;
  const wanted = isJsonObject(params) ? params.notifications : null;
  const uris = isJsonObject(wanted) ? wanted.resourceSubscriptions : null;
  if (!isJsonObject(body) || !isJsonObject(params) || !isJsonObject(wanted) || !Array.isArray(uris))
    return body;
  const had: string[] = [];
  for (const uri of uris.slice(0, MAX_SUBSCRIPTIONS)) {
    if (signal.aborted) break;
    if (typeof uri !== "string") continue;
    const isSubscribed = await subscriptions.add(uri).then(
      () => true,
      () => false,
    );
    if (isSubscribed) had.push(uri);
  }
  return withResources(body, had);
}

/** @throws SluicegateError `limit-reached` */
function assertRoom(
  open: Iterable<TurnOwner>,
  owner: TurnOwner,
  { transports, transportsPerSession }: McpService["limits"],
): void {
  const all = [...open];
  const ofParty = all.filter((other) => partyOf(other) === partyOf(owner));
  const own = ofParty.filter(({ labelHolder }) => labelHolder === owner.labelHolder);
  if (own.length >= transportsPerSession) throw noRoom(transportsPerSession);
  const mostOfParty = Math.ceil(transports * SHARE_OF_PARTY);
  if (ofParty.length >= mostOfParty) throw noRoom(mostOfParty);
  if (all.length >= transports) throw noRoom(transports);
}

const noRoom = (most: number): SluicegateError =>
  new SluicegateError("limit-reached", "Too many streams listen to this session.", {
    why: `There are ${most} already.`,
    fix: "Close one, or raise the limit.",
  });
