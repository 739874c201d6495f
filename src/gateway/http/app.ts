/**
 * The gateway's HTTP interface as one web-standard `fetch`. Every request is checked in the same order: host and
 * origin, token, rate, route, session; only then its body is read.
 */
import { type Context, Hono } from "hono";
import { getPath } from "hono/utils/url";
import { SluicegateError } from "../../errors/index.ts";
import { OPERATOR } from "../../runtime/index.ts";
import type { TurnOwner } from "../../threads/index.ts";
import { eventStream } from "../events.ts";
import { DAY, type GatewayLimits, RateLimit } from "../limits.ts";
import type { McpEndpoint } from "../mcp/transport/http-endpoint.ts";
import type { Metrics } from "../metrics.ts";
import { toOpenApi } from "../rest/openapi.ts";
import type { Route } from "../rest/route.ts";
import { ROUTES, readinessOf } from "../rest/routes.ts";
import { resolveSession, type Service } from "../service.ts";
import { answerError } from "./answer-error.ts";
import { answerAnswerPage } from "./answer-page.ts";
import { type Caller, Owners } from "./authority.ts";
import type { ConsoleFiles } from "./console-files.ts";
import { OpenBodies } from "./open-bodies.ts";
import { assertOrigin, type OriginRules, withoutBasePath } from "./origin.ts";
import { readJsonBody } from "./read-body.ts";
import { accessOf, assertMay } from "./rights.ts";
import { answerSignInPage } from "./sign-in-page.ts";
import { type Recipient, UnsentAnswers } from "./unsent-answers.ts";

export interface AppOptions {
  readonly service: Service;
  readonly mcp: McpEndpoint;
  readonly metrics: Metrics;
  /** Called at each request, since the port is known only once the server listens. */
  readonly origin: () => OriginRules;
  /** Left out: there is no console. */
  readonly consoleFiles?: ConsoleFiles;
  readonly onFault: (cause: unknown) => void;
}

/** The connection that gets an answer. */
export interface Outgoing {
  /** Its client speaks HTTP/1.0. */
  readonly isOldest: boolean;
  destroy(): void;
  /** Calls a function once the answer is sent, or can't be any more. */
  onClose(end: () => void): void;
}

interface Admitted {
  /** From `listen`: the connection. Missing if the app is called directly. */
  Bindings: { outgoing?: Outgoing };
  Variables: {
    caller: Caller;
    /** By what its limits count, and whose turns its work takes. */
    owner: TurnOwner;
    /** The gateway's address as this client uses it. */
    address: string;
  };
}

/** The app. An exception becomes an answer; nothing ends the process. */
export function createApp(options: AppOptions): Hono<Admitted> {
  const { service, mcp, metrics } = options;
  const basePath = (): string => options.origin().basePath ?? "";
  const app = new Hono<Admitted>({ getPath: (request) => withoutBasePath(getPath(request), basePath()) });
  const requests = new RateLimit(service.limits.requestsPerSecond);
  const streams = new Map<string, number>();
  const sessions = new RateLimit(service.limits.sessionsPerSecond);
  const sessionsOfDay = new RateLimit(service.limits.sessionsPerDay, DAY);
  const owners = new Owners(service.gate);
  const bodies = new OpenBodies(service.limits.bodyBytes);
  const unsent = new UnsentAnswers({ maxBytes: service.limits.unsentBytes });

  app.use(async (context, next) => {
    assertOrigin(options.origin(), context.req.header("host"), context.req.header("origin"));
    if (context.req.path === "/healthz") return next();
    const file = options.consoleFiles && (await answerFile(options.consoleFiles, context));
    if (file) return file;
    context.set("address", addressOf(context, basePath()));
    const page = { request: context.req.raw, path: context.req.path, address: context.get("address") };
    const open =
      answerAnybody(options, context) ?? answerSignInPage(service, page) ?? answerAnswerPage(service, page);
    if (open) {
      requests.take(NOBODY);
      return open();
    }
    const caller = await service.authority.authenticate(context.req.header("authorization"));
    const owner = await owners.of(caller);
    const { labelHolder, principal } = owner;
    // Where principals have tokens of their own, all sessions of one share a limit, in addition to their own.
    const isShared = service.authority.identities !== null && principal !== null && principal !== OPERATOR;
    if (isShared) requests.take(`sessions of ${principal}`);
    requests.take(labelHolder);
    context.set("caller", caller);
    context.set("owner", owner);
    const end = bodies.begin(owner, context.req.raw);
    const outgoing = context.env?.outgoing;
    outgoing?.onClose(end);
    await next();
    if (outgoing === undefined) end();
    context.res.headers.set("cache-control", "no-store");
    context.res.headers.set("x-content-type-options", "nosniff");
  });
  app.onError((cause, context) => {
    if (!SluicegateError.isInstance(cause)) options.onFault(cause);
    const answer = answerError(cause, context.req.header("accept"));
    if (answer.status === 401 && service.authority.issuers.length > 0)
      answer.headers.append(
        "www-authenticate",
        `Bearer resource_metadata="${context.get("address")}${METADATA}"`,
      );
    return answer;
  });
  app.notFound((context) => answerError(notFound(), context.req.header("accept")));

  app.get("/healthz", (context) => context.json({ status: "ok", version: service.version }));
  let document: object | null = null;
  app.get("/openapi.json", (context) => {
    assertMay(context.get("caller"), accessOf("GET /openapi.json"));
    document ??= toOpenApi(ROUTES, service.version);
    return context.json(document);
  });
  app.get("/metrics", (context) => {
    assertMay(context.get("caller"), accessOf("GET /metrics"));
    return context.text(metrics.text());
  });
  app.get("/v1/events", (context) => answerEvents(options, streams, context));
  for (const route of ROUTES) {
    app.on(route.method, route.path.replaceAll(/\{(\w+)\}/g, ":$1"), async (context) => {
      assertMay(context.get("caller"), route.access);
      const owner = context.get("owner");
      const { labelHolder } = owner;
      if (route.path === "/v1/session") sessions.take(labelHolder);
      // THREAT: sessions stay until an operator ends or archives them, so who opens them without end fills the store.
      const isOwn = context.get("caller").kind === "principal" && labelHolder !== OPERATOR;
      if (isOwn && OPENING.has(route.path)) sessionsOfDay.take(labelHolder);
      const { status, body } = await handleRoute(service, route, context);
      const headers = { "content-type": "application/json" };
      return unsent.answer(body, { status, headers }, recipientOf(context));
    });
  }
  for (const path of ["/mcp", "/s/{id}/mcp"]) {
    const access = accessOf(path);
    app.all(path.replace("{id}", ":id"), async (context) => {
      const named = { path: context.req.param("id"), header: context.req.header("sluicegate-session") };
      const caller = context.get("caller");
      assertMay(caller, access);
      const session = await resolveSession(service, caller, { ...named, access });
      const assertStillMay = (now: Caller) => resolveSession(service, now, { path: session.id, access });
      const admission = { caller, header: context.req.header("authorization"), assertStillMay };
      const isNamed = named.path !== undefined || named.header !== undefined;
      const answer = await mcp.handle(context.req.raw, { session, isNamed, caller });
      const recipient = recipientOf(context);
      if ("message" in answer) return unsent.answer(answer.message, { headers: answer.headers }, recipient);
      return unsent.guard(answer, {
        ...recipient,
        onRevoked: (end) => service.authority.onRevoked(admission, end),
      });
    });
  }
  refuseOtherMethods(app);
  return app;
}

/** Routes that open a session. Forks of a session's token are counted in its session. */
const OPENING: ReadonlySet<string> = new Set(["/v1/session", "/v1/session/{id}/fork"]);

/** Where OAuth clients find who issues tokens for this gateway (RFC 9728). */
const METADATA = "/.well-known/oauth-protected-resource";
/** Requests without a token share one rate limit. */
const NOBODY = "nobody";

/** The answer to a request without a token; null if it needs one. */
function answerAnybody(
  { service, metrics, origin }: AppOptions,
  context: Context<Admitted>,
): (() => Response | Promise<Response>) | null {
  const { basePath = "" } = origin();
  const { req } = context;
  if (req.method !== "GET" && req.method !== "HEAD") return null;
  const { issuers } = service.authority;
  // Clients that don't know the address try it in front of the base path.
  const isMetadata = req.path === METADATA || req.path === `${METADATA}${basePath}`;
  if (isMetadata && issuers.length > 0)
    return () =>
      context.json({
        resource: context.get("address"),
        resource_name: "Sluicegate",
        authorization_servers: issuers,
        bearer_methods_supported: ["header"],
      });
  // THREAT: under another host name, requests may come from elsewhere, so a token is required.
  if (req.header("authorization") !== undefined || !LOCAL_HOST.test(req.header("host") ?? "")) return null;
  if (req.path === "/metrics") return () => context.text(metrics.text());
  if (req.path !== "/readyz") return null;
  return async () => {
    const { ready, draining } = await readinessOf(service);
    return context.json({ ready, draining }, ready ? 200 : 503);
  };
}

const LOCAL_HOST = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/i;

/** The gateway's address as this client uses it. The host was checked; any host but this machine is behind TLS. */
function addressOf({ req }: Context<Admitted>, basePath: string): string {
  const host = req.header("host") ?? "";
  return `${LOCAL_HOST.test(host) ? "http" : "https"}://${host}${basePath}`;
}

/** A file of the console, without a token: the page asks for it. Null if there is none. */
async function answerFile(files: ConsoleFiles, { req }: Context<Admitted>): Promise<Response | null> {
  const request = { method: req.method, path: req.path, header: (name: string) => req.header(name) };
  return files.owns(request) ? files.answer(request) : null;
}

function recipientOf(context: Context<Admitted>): Recipient {
  const outgoing = context.env?.outgoing;
  return {
    ...context.get("owner"),
    disconnect: outgoing && (() => outgoing.destroy()),
    needsLength: outgoing?.isOldest ?? false,
  };
}

async function handleRoute(
  service: Service,
  route: Route,
  context: Context<Admitted>,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const caller = context.get("caller");
  const named = { path: context.req.param("id"), header: context.req.header("sluicegate-session") };
  return route.handle({
    service,
    caller,
    query: context.req.query(),
    params: context.req.param(),
    named: () => resolveSession(service, caller, { ...named, access: route.access }),
    readBody: () =>
      readJsonBody(context.req.raw, {
        maxBytes: service.limits.bodyBytes,
        owner: context.get("owner"),
      }),
    signal: context.req.raw.signal,
    address: context.get("address"),
  });
}

/** What an approver sees of the journals without the right to look at them: what waits, and what becomes of it. */
const APPROVERS_KINDS =
  /^(?:approval|plan|standing)-|^(?:session-closed|refusal-appealed|impossible-reported)$/;

const maySeeAll = (caller: Caller): boolean => caller.kind === "principal" && caller.rights.has("look");

async function answerEvents(
  { service, onFault }: AppOptions,
  streams: Map<string, number>,
  context: Context<Admitted>,
): Promise<Response> {
  const caller = context.get("caller");
  const seesAll = maySeeAll(caller);
  const assertStillMay = (now: Caller): void => {
    assertMay(now, accessOf("GET /v1/events"));
    if (seesAll && !maySeeAll(now)) throw new Error("The caller may no longer look at everything.");
  };
  assertStillMay(caller);
  const given = context.req.header("last-event-id") ?? context.req.query("after") ?? "latest";
  if (given !== "latest" && !/^\d{1,15}$/.test(given)) throw badPosition();
  if (context.req.method === "HEAD")
    return new Response(null, { headers: { "content-type": "text/event-stream" } });
  const after = await beginningOf(service, given);
  const { labelHolder } = context.get("owner");
  const count = (by: 1 | -1): void => {
    const open = (streams.get(labelHolder) ?? 0) + by;
    if (open === 0) streams.delete(labelHolder);
    else streams.set(labelHolder, open);
  };
  assertStreamsLeft(streams, labelHolder, service.limits);
  const revoked = new AbortController();
  const admission = { caller, header: context.req.header("authorization"), assertStillMay };
  const stop = service.authority.onRevoked(admission, () => revoked.abort());
  const body = eventStream(service.gate, {
    after,
    hello: { version: service.version, policy: service.gate.policy.version },
    ...(!seesAll && { maySee: (kind: string) => APPROVERS_KINDS.test(kind) }),
    signal: AbortSignal.any([context.req.raw.signal, revoked.signal]),
    onFault,
    // If the request was cancelled already, this comes before it is counted.
    onClose: () => {
      stop();
      count(-1);
    },
  });
  count(1);
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

/** THREAT: other readers must not use up the operator's streams. */
function assertStreamsLeft(
  streams: ReadonlyMap<string, number>,
  labelHolder: string,
  { eventStreams }: GatewayLimits,
): void {
  if ((streams.get(labelHolder) ?? 0) >= eventStreams) throw tooManyStreams(eventStreams);
  const others = [...streams].filter(([holder]) => holder !== OPERATOR);
  const open = others.reduce((sum, [, count]) => sum + count, 0);
  if (labelHolder !== OPERATOR && open >= 4 * eventStreams) throw tooManyStreams(open);
}

/**
 * The position after which a stream begins. A position beyond the end belongs to an earlier store, and its reader
 * would get nothing until this one is as long.
 */
async function beginningOf({ gate, index }: Service, given: string): Promise<number> {
  const position = given === "latest" ? Number.POSITIVE_INFINITY : Number(given);
  if (position === 0) return 0;
  // An unreadable entry exists nevertheless.
  const known = given === "latest" ? [] : await gate.feed(position - 1, 1).catch(() => [null]);
  if (known.length > 0) return position;
  await index.catchUp();
  return Math.min(position, index.position);
}

/** A known path with another method is answered as such, not as missing. */
function refuseOtherMethods(app: Hono<Admitted>): void {
  const paths = ["/healthz", "/openapi.json", "/metrics", "/v1/events", ...ROUTES.map(({ path }) => path)];
  for (const path of new Set(paths)) {
    app.all(path.replaceAll(/\{(\w+)\}/g, ":$1"), () => {
      throw new SluicegateError("method-not-allowed", "This route doesn't take that method.", {
        why: "The path is known, with another method.",
        fix: "Look the route up in `/openapi.json`.",
      });
    });
  }
}

const notFound = (): SluicegateError =>
  new SluicegateError("not-found", "There is no such route.", {
    why: "Nothing is served at this path.",
    fix: "Look at `/openapi.json` for the routes; MCP clients connect to `/mcp` or `/s/{session_id}/mcp`.",
  });

const badPosition = (): SluicegateError =>
  new SluicegateError("invalid-request", "The stream can't begin there.", {
    why: "`Last-Event-ID` (or `after`) must be a whole number that an earlier stream gave, or `latest`.",
    fix: "Leave it out for what is new, or send 0 to begin at the first event.",
  });

const tooManyStreams = (most: number): SluicegateError =>
  new SluicegateError("limit-reached", "Too many event streams are open.", {
    why: `There are ${most} already.`,
    fix: "Close one, or raise the limit.",
  });
