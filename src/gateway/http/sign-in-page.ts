/**
 * Signing in to servers in a browser without the console: a page that asks for a token, the redirect address for
 * authorization servers, and the description of this gateway as their client. THREAT: a stranger can send anybody a
 * link to the redirect address. A sign-in must have begun in the same browser, with a token of its principal;
 * otherwise people could be made to consent on a stranger's behalf.
 */
import { randomBytes } from "node:crypto";
import { SluicegateError } from "../../errors/index.ts";
import { CLIENT_DOCUMENT, SIGN_IN_PAGE, type SignIns, toClientMetadata } from "../../providers/mcp/index.ts";
import { findSignIns } from "../rest/sign-in-routes.ts";
import type { Service } from "../service.ts";
import { nameOf } from "./authority.ts";
import { answerWithPage, PAGE_HEADERS, type PageRequest, page } from "./plain-page.ts";
import { readText } from "./read-body.ts";
import { accessOf, assertMay } from "./rights.ts";

const CALLBACK = "/oauth/callback";
const COOKIE = "sluicegate_sign_in";
const COOKIE_SECONDS = 600;
const MAX_FORM_BYTES = 8192;

/** The answer, without a token; null for another address. */
export function answerSignInPage(service: Service, given: PageRequest): (() => Promise<Response>) | null {
  if (service.signIns.size === 0) return null;
  const { request, path, address } = given;
  const server = path.startsWith(`${SIGN_IN_PAGE}/`) ? path.slice(SIGN_IN_PAGE.length + 1) : undefined;
  const isRead = request.method === "GET" || request.method === "HEAD";
  if (path === CLIENT_DOCUMENT && isRead) return async () => describeClient(address);
  if (path === CALLBACK && request.method === "GET")
    return () => answerWithPage("Not signed in", () => finish(service, request));
  if (server === undefined || !service.signIns.has(server)) return null;
  if (isRead) return async () => page(200, "Sign in", form(server));
  if (request.method === "POST")
    return () => answerWithPage("Not signed in", () => begin(service, server, given));
  return null;
}

/** The document at the gateway's `client_id`. */
const describeClient = (address: string): Response =>
  Response.json({
    client_id: `${address}${CLIENT_DOCUMENT}`,
    client_uri: address,
    ...toClientMetadata([`${address}${CALLBACK}`, "http://127.0.0.1/callback"]),
  });

async function begin(service: Service, server: string, { request, address }: PageRequest): Promise<Response> {
  const text = await readText(request, MAX_FORM_BYTES);
  const token = new URLSearchParams(text).get("token") ?? "";
  const caller = await service.authority.authenticate(`Bearer ${token.trim()}`);
  assertMay(caller, accessOf("POST /v1/servers/{server}/sign-in"));
  const browser = randomBytes(32).toString("base64url");
  const principal = nameOf(caller);
  const redirectUri = `${address}${CALLBACK}`;
  const url = await findSignIns(service, caller, server).begin({
    principal,
    redirectUri,
    origin: address,
    browser,
  });
  const value = [server, Buffer.from(principal).toString("base64url"), browser].join("~");
  return redirectTo(url, cookie(value, new URL(address)));
}

async function finish(service: Service, request: Request): Promise<Response> {
  const { searchParams: answer } = new URL(request.url);
  const { server, principal, browser, signIns } = begunIn(service, request);
  const optional = (name: string): string | undefined => answer.get(name) ?? undefined;
  await signIns.finish({
    principal,
    browser,
    state: answer.get("state") ?? "",
    code: optional("code"),
    error: optional("error"),
    issuer: optional("iss"),
  });
  return page(200, "Signed in", `<p>You are signed in to <b>${server}</b>. You can close this page.</p>`);
}

interface Begun {
  readonly server: string;
  readonly principal: string;
  readonly browser: string;
  readonly signIns: SignIns;
}

/** The sign-in that this browser began. It is verified when the sign-in is finished. */
function begunIn(service: Service, request: Request): Begun {
  const value = new RegExp(`(?:^|; )${COOKIE}=([\\w.~-]{1,2000})(?:;|$)`).exec(
    request.headers.get("cookie") ?? "",
  );
  const [server = "", principal = "", browser = ""] = value?.[1]?.split("~") ?? [];
  const signIns = service.signIns.get(server);
  if (signIns === undefined || browser === "") throw otherBrowser();
  return { server, principal: Buffer.from(principal, "base64url").toString(), browser, signIns };
}

const cookie = (value: string, { protocol, pathname }: URL): string =>
  `${COOKIE}=${value}; Path=${pathname === "/" ? "" : pathname}/oauth; Max-Age=${COOKIE_SECONDS}; HttpOnly; SameSite=Lax${protocol === "https:" ? "; Secure" : ""}`;

const redirectTo = (url: URL, setCookie: string): Response =>
  new Response(null, {
    status: 303,
    headers: { ...PAGE_HEADERS, location: url.href, "set-cookie": setCookie },
  });

/** The server's id comes from the policy and contains no HTML. */
const form = (server: string): string =>
  `<p>Sign in to <b>${server}</b> for yourself. The gateway needs your token to know who you are; then the server asks you to agree.</p>
<form method="post"><label>Your token at this gateway <input type="password" name="token" autocomplete="off" required></label>
<button>Sign in</button></form>`;

const otherBrowser = (): SluicegateError =>
  new SluicegateError("invalid-request", "The sign-in can't be finished here.", {
    why: "It was not begun in this browser, or more than ten minutes ago.",
    fix: "Open the gateway's sign-in page again, and finish it in the same browser.",
  });
