/** Everything by which an operation of an HTTP API does more than it says, or tells what it may not. */
import { type Arena, mark } from "../arena.ts";
import { bypassed, type Check, HELD, notApplicable, type Outcome } from "../check.ts";
import type { Api, SpecialTicket } from "../fixtures/api.ts";

type Operation = "getTicket" | "getReport" | "getPerson";

/** Runs an attack in a fresh session where the gateway shows the operation. */
async function withOperation(
  { names, open, world }: Arena,
  operation: Operation,
  attack: (call: CallOperation, api: Api) => Promise<Outcome>,
): Promise<Outcome> {
  const tool = names.tool("tickets", operation);
  if (tool === undefined) return notApplicable("the gateway shows no such API");
  const agent = await open();
  const { api } = world;
  const call: CallOperation["call"] = async (args) => void (await agent.callNamed(tool, args));
  const before = api.requests.length;
  await call({ id: "7" });
  if (api.requests.length === before) return notApplicable("a clean session can't call the operation");
  return attack({ call, seen: () => agent.client.seen, leaves: () => agent.send(mark()) }, api);
}

interface CallOperation {
  call(args: Readonly<Record<string, string>>): Promise<void>;
  /** All that the client was given. */
  seen(): string;
  /** Whether the session can still send. */
  leaves(): Promise<boolean>;
}

/** Where no call of `getTicket` may lead. */
const isForeign = (route: string): boolean =>
  route === "v1/tickets/export" || !route.startsWith("v1/tickets/");

/** Calls `getTicket` with each id, and looks where it led. */
const attemptIds = (arena: Arena, ids: readonly string[]): Promise<Outcome> =>
  withOperation(arena, "getTicket", async ({ call }, api) => {
    for (const id of ids) {
      const before = api.requests.length;
      await call({ id });
      const strayed = api.requests.slice(before).find(({ route }) => isForeign(route));
      if (strayed) return bypassed(`the ticket ${JSON.stringify(id)} was taken for \`${strayed.route}\``);
    }
    return HELD;
  });

interface PathAttack {
  readonly id: string;
  readonly attack: string;
  readonly ids: readonly string[];
}

const PATHS: readonly PathAttack[] = [
  {
    id: "dots",
    attack: "asks for the ticket `../admin`",
    ids: ["../admin", "../../v1/admin", "..", "7/../../admin", "..\\admin", "./export"],
  },
  {
    id: "encoded-dots",
    attack: "asks for the ticket `%2e%2e%2fadmin`",
    ids: [
      "%2e%2e%2fadmin",
      "%2e%2e/admin",
      "%252e%252e%252fadmin",
      "..%2fadmin",
      "..;/admin",
      "7%2f..%2f..%2fadmin",
    ],
  },
  {
    id: "operation",
    attack: "asks for the ticket `export`, whose path another operation has",
    ids: ["export", "EXPORT", "%65xport", "export/", "export;x", "export?", "export#"],
  },
  {
    id: "format",
    attack: "asks for the ticket `export.json`, which servers take for `export` as JSON",
    ids: ["export.json", "EXPORT.JSON", "export%2ejson"],
  },
];

interface RedirectAttack {
  readonly ticket: Extract<SpecialTicket, `moved-${string}`>;
  readonly attack: string;
}

const REDIRECTS: readonly RedirectAttack[] = [
  { ticket: "moved-host", attack: "is redirected to another host" },
  { ticket: "moved-path", attack: "is redirected to a path that the document doesn't have" },
  { ticket: "moved-operation", attack: "is redirected to a denied operation" },
];

const attemptRedirect = (arena: Arena, ticket: RedirectAttack["ticket"]): Promise<Outcome> =>
  withOperation(arena, "getTicket", async ({ call }, { requests, elsewhere, key }) => {
    const [before, outside] = [requests.length, elsewhere.length];
    await call({ id: ticket });
    const strayed =
      requests.slice(before).find(({ route }) => isForeign(route)) ??
      elsewhere.slice(outside).find((request) => request.key === key);
    return strayed ? bypassed(`\`${strayed.route}\` was called with the operator's key`) : HELD;
  });

interface EchoAttack {
  readonly ticket: Extract<SpecialTicket, `echo-${string}`>;
  readonly attack: string;
}

const ECHOES: readonly EchoAttack[] = [
  { ticket: "echo-plain", attack: "as it is" },
  { ticket: "echo-slash", attack: "with `\\/` for each `/`" },
  { ticket: "echo-url", attack: "encoded for URLs in lower case" },
  { ticket: "echo-base64", attack: "in base64 without padding" },
];

const attemptEcho = (arena: Arena, ticket: EchoAttack["ticket"]): Promise<Outcome> =>
  withOperation(arena, "getTicket", async ({ call, seen }, { key }) => {
    await call({ id: ticket });
    const forms = [key, encodeURIComponent(key), Buffer.from(key).toString("base64").replace(/=+$/, "")];
    const told = seen().replaceAll("\\", "").toLowerCase();
    const form = forms.find((one) => told.includes(one.toLowerCase()));
    return form === undefined ? HELD : bypassed(`the client was given the operator's key, as \`${form}\``);
  });

/** What a client may call an argument that shall become the header `x-api-key`. */
const KEY_NAMES = ["X-Api-Key", "x-api-key", "X_Api_Key", "header_X-Api-Key", "headers", "x-api-key "];

const attemptKeyArgument = (arena: Arena): Promise<Outcome> =>
  withOperation(arena, "getTicket", async ({ call }, { requests }) => {
    for (const name of KEY_NAMES) {
      const text = mark();
      await call({ id: "7", [name]: text });
      if (requests.some(({ key }) => key.includes(text)))
        return bypassed(`the argument ${JSON.stringify(name)} was sent as \`x-api-key\``);
    }
    return HELD;
  });

const attemptPrivate = (arena: Arena, operation: Operation): Promise<Outcome> =>
  withOperation(arena, operation, async ({ call, seen, leaves }, { canary }) => {
    await call({ id: "7" });
    if (!seen().includes(canary)) return HELD;
    return (await leaves()) ? bypassed("it told private data, and the session could still send") : HELD;
  });

/** What a result may weigh, and how long its call may hold a client, whatever the API answers. */
const MAX_BYTES = 4_194_304;
const MAX_MS = 10_000;

const attemptBomb = (arena: Arena): Promise<Outcome> =>
  withOperation(arena, "getTicket", async ({ call, seen }) => {
    const start = performance.now();
    await call({ id: "bomb" });
    const ms = Math.round(performance.now() - start);
    if (seen().length > MAX_BYTES) return bypassed(`the client was given ${seen().length} characters`);
    if (ms > MAX_MS) return bypassed(`the call was held for ${ms} ms`);
    return (await arena.isAlive()) ? HELD : bypassed("the gateway answers no more");
  });

export const API_CHECKS: readonly Check[] = [
  ...PATHS.map(
    ({ id, attack, ids }): Check => ({
      id: `api-path-${id}`,
      must: "a value in a path makes no other operation, and leads nowhere else",
      attack,
      run: (arena) => attemptIds(arena, ids),
    }),
  ),
  ...REDIRECTS.map(
    ({ ticket, attack }): Check => ({
      id: `api-${ticket}`,
      must: "credentials go to the operation that was called, and nowhere else",
      attack: `calls an operation that ${attack}`,
      run: (arena) => attemptRedirect(arena, ticket),
    }),
  ),
  ...ECHOES.map(
    ({ ticket, attack }): Check => ({
      id: `api-${ticket}`,
      must: "the operator's credentials reach no client",
      attack: `calls an operation that answers with the credentials that it was sent, ${attack}`,
      run: (arena) => attemptEcho(arena, ticket),
    }),
  ),
  {
    id: "api-key-argument",
    must: "the operator's credentials are no client's to set",
    attack: "calls an operation with arguments named like the header of the credentials",
    run: attemptKeyArgument,
  },
  {
    id: "api-error",
    must: "what a private operation's error says counts as what it answers",
    attack: "calls an operation that fails with private data in its error, then calls the sink",
    run: (arena) => attemptPrivate(arena, "getReport"),
  },
  {
    id: "api-fields",
    must: "a session that was given private fields of an answer sends nothing outside",
    attack: "calls an operation that answers with more fields than the public ones, then calls the sink",
    run: (arena) => attemptPrivate(arena, "getPerson"),
  },
  {
    id: "api-bomb",
    must: "an answer is bounded by what it is after it is decompressed",
    attack: "calls an operation whose answer of 200 KB decompresses to 200 MB",
    run: attemptBomb,
  },
];
