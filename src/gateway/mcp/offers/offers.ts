/**
 * What servers offer a session besides tools: what the session sees, under which names, and which server a URI or a
 * prompt's name means. If two servers have the same name, it means neither; with the server's id before it, it is
 * unambiguous.
 * THREAT: a server may list names that it guesses another one has. Names that the session doesn't see don't count, so
 * conflicts reveal nothing about them.
 */
import { hidesTool, join, type Method, toMethodId } from "../../../core/index.ts";
import { SluicegateError } from "../../../errors/index.ts";
import type { JsonObject, OfferProvider, Session, ToolProvider } from "../../../runtime/index.ts";
import { isCovered, withoutLabel } from "../../../runtime/internal.ts";
import type { Service } from "../../service.ts";

/** Something that a server offers, with its unambiguous name. */
export interface Offered {
  readonly server: string;
  /** The server's own URI, URI template or name. */
  readonly key: string;
  readonly shown: string;
  readonly entry: JsonObject;
}

/** The server of a request, and the server's name of the thing. */
export interface Target {
  readonly server: string;
  readonly key: string;
}

type Kind = "resources" | "templates" | "prompts";

const METHOD_OF: Readonly<Record<Kind, Method>> = {
  resources: "resources/list",
  templates: "resources/list",
  prompts: "prompts/list",
};

const SCHEME = "sluicegate://";

/** Whether a session sees a server's lists: `seen`, or `closed` if opening them would raise its label. */
type Access = "seen" | "closed" | "none";

function accessTo(session: Session, server: string, method: Method): Access {
  const { tool, reasons, effect } = session.judge(toMethodId(server, method));
  if (tool === null || reasons.some(hidesTool)) return "none";
  // Lists that the session's label covers are visible, whether or not requests are allowed.
  if (isCovered(session, tool)) return effect === "ask" ? "closed" : "seen";
  return effect === "deny" ? "none" : "closed";
}

interface Source {
  readonly provider: ToolProvider;
  readonly offers: OfferProvider;
}

function sourcesOf({ catalog }: Service): readonly Source[] {
  return catalog.providers.flatMap((provider) => {
    const { offers } = provider;
    return offers ? [{ provider, offers }] : [];
  });
}

/** Everything of a kind that a session sees now. */
export function offered(service: Service, session: Session, kind: Kind): readonly Offered[] {
  const found = sourcesOf(service).flatMap(({ provider, offers }) => {
    const access = accessTo(session, provider.id, METHOD_OF[kind]);
    return access === "seen"
      ? [...offers.current[kind]].map(([key, entry]) => ({
          server: provider.id,
          key,
          entry: withoutLabel(session.state.lattice, entry),
        }))
      : [];
  });
  const owners = Map.groupBy(found, ({ key }) => key);
  const ids = sourcesOf(service).map(({ provider }) => provider.id);
  return found.map((one) => {
    const isShared = (owners.get(one.key)?.length ?? 0) > 1;
    const isTaken = kind === "prompts" && ids.some((id) => one.key.startsWith(`${id}__`));
    return { ...one, shown: isShared || isTaken ? qualified(kind, one) : one.key };
  });
}

const qualified = (kind: Kind, { server, key }: Target): string =>
  kind === "prompts" ? `${server}__${key}` : `${SCHEME}${server}/${key}`;

/** A server whose lists the session can open, which raises its label. */
export interface ClosedOffer {
  readonly server: string;
  readonly uri: string;
  /** The session's label afterwards. */
  readonly label: Session["label"];
}

/** Servers with resources or prompts that the session doesn't see, but could open. */
export function closedOffers(service: Service, session: Session): readonly ClosedOffer[] {
  return sourcesOf(service).flatMap(({ provider: { id }, offers: { current } }) => {
    const has = current.resources.size + current.templates.size + current.prompts.size > 0;
    if (!has || accessTo(session, id, "resources/list") !== "closed") return [];
    const { tool } = session.judge(toMethodId(id, "resources/list"));
    const label = join(session.state.lattice, session.label, tool?.source ?? session.label);
    return [{ server: id, uri: SCHEME + id, label }];
  });
}

/** The server whose lists a `sluicegate:` URI opens; null for any other URI. */
export function openedBy(service: Service, session: Session, uri: string): string | null {
  const server = uri.startsWith(SCHEME) ? uri.slice(SCHEME.length) : "";
  return reachable(service, session, "resources/list").some(({ provider }) => provider.id === server)
    ? server
    : null;
}

/** The servers to which a session may send this method. */
function reachable(service: Service, session: Session, method: Method): readonly Source[] {
  return sourcesOf(service).filter(({ provider }) => accessTo(session, provider.id, method) !== "none");
}

/** Those of them whose lists it sees. */
function seen(session: Session, sources: readonly Source[], kind: Kind): readonly Source[] {
  return sources.filter(({ provider }) => accessTo(session, provider.id, METHOD_OF[kind]) === "seen");
}

/** @throws SluicegateError `not-found` for a URI that means no resource of this session, or several. */
export function findResource(service: Service, session: Session, uri: string): Target {
  assertShort(uri);
  const sources = reachable(service, session, "resources/read").filter(hasResources);
  if (uri.startsWith(SCHEME)) {
    const [server = "", ...rest] = uri.slice(SCHEME.length).split("/");
    const isOurs = rest.length > 0 && sources.some(({ provider }) => provider.id === server);
    if (isOurs) return { server, key: rest.join("/") };
    throw notFound(uri, []);
  }
  // If only one server has resources, its URIs are unambiguous, including those that it doesn't list.
  if (sourcesOf(service).filter(hasResources).length === 1) return only(sources, uri, "resources");
  const named = seen(session, sources, "resources");
  const listed = named.filter(({ offers }) => offers.current.resources.has(uri));
  const matching = named.filter(({ offers }) =>
    offers.current.templates.keys().some((template) => matchesTemplate(template, uri)),
  );
  return only(listed.length > 0 ? listed : matching, uri, "resources");
}

const hasResources = ({ offers }: Source): boolean => offers.current.can.resources;

/** @throws SluicegateError `not-found` for a template that no server of this session has, or several have. */
export function findTemplate(service: Service, session: Session, uri: string): Target {
  assertShort(uri);
  const sources = reachable(service, session, "completion/complete");
  const having = seen(session, sources, "templates").filter(({ offers }) =>
    offers.current.templates.has(uri),
  );
  if (having.length > 0) return only(having, uri, "templates");
  return findResource(service, session, uri);
}

/** @throws SluicegateError `not-found` for a name that means no prompt of this session, or several. */
export function findPrompt(service: Service, session: Session, name: string): Target {
  assertShort(name);
  const sources = reachable(service, session, "prompts/get");
  const plain = name.replace(/^mcp__/, "");
  const owner = sourcesOf(service).find(({ provider }) => plain.startsWith(`${provider.id}__`));
  if (owner !== undefined) {
    const key = plain.slice(owner.provider.id.length + 2);
    const mayAsk = sources.some(({ provider }) => provider === owner.provider);
    // THREAT: a list that the session doesn't see isn't searched for it; the gate and the server answer
    // instead.
    const isSeen = seen(session, [owner], "prompts").length > 0;
    return only(mayAsk && (!isSeen || owner.offers.current.prompts.has(key)) ? [owner] : [], key, "prompts");
  }
  const having = seen(session, sources, "prompts").filter(({ offers }) => offers.current.prompts.has(name));
  return only(having, name, "prompts");
}

/** The longest URI or name of a server. */
const MAX_NAME_LENGTH = 2048;

function assertShort(name: string): void {
  if (name.length > MAX_NAME_LENGTH) throw notFound(`${name.slice(0, 100)}…`, []);
}

function only(sources: readonly Source[], key: string, kind: Kind): Target {
  const [first, ...others] = sources;
  if (first !== undefined && others.length === 0) return { server: first.provider.id, key };
  const names = sources.map(({ provider }) => qualified(kind, { server: provider.id, key }));
  throw notFound(key, names);
}

function notFound(name: string, candidates: readonly string[]): SluicegateError {
  const isAmbiguous = candidates.length > 1;
  return new SluicegateError(
    "not-found",
    isAmbiguous ? "That name means several." : "There is no such thing here.",
    {
      why: isAmbiguous
        ? `Several servers have it: ${candidates.join(", ")}.`
        : "No server of this session offers it under that name.",
      fix: isAmbiguous ? "Use one of these names." : "Look at the lists for what there is now.",
      details: { uri: name },
    },
  );
}

/** Whether a URI could come from an RFC 6570 template: it contains the literal parts in their order. */
function matchesTemplate(template: string, uri: string): boolean {
  const parts = template.split(/\{[^{}]*\}/);
  const [first = "", ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return uri === template;
  if (!uri.startsWith(first) || !uri.endsWith(last)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = uri.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return uri.length - last.length >= at;
}
