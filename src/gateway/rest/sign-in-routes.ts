/** Sign-ins to servers that use OAuth: each principal for itself, and an administrator for the gateway. */
import { z } from "zod";
import { quoteName } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import type { SignInStatus, SignIns } from "../../providers/mcp/index.ts";
import { type Caller, nameOf } from "../http/authority.ts";
import type { Service } from "../service.ts";
import { defineOperatorRoute, type Route } from "./route.ts";

export const signIn = z
  .strictObject({
    server: z.string(),
    for: z.enum(["gateway", "principal"]),
    signed_in: z.boolean(),
    issuer: z.string().nullable(),
    scope: z.string().nullable(),
    expires_at: z.string().nullable(),
  })
  .meta({ id: "SignIn", description: "Whether calls to a server can be made with a token, and no token." });

export const signIns = z.strictObject({ sign_ins: z.array(signIn) }).meta({ id: "SignIns" });

const signInBody = z
  .strictObject({ redirect_uri: z.string().max(200) })
  .meta({ id: "SignInRequest", description: "Where the browser goes at the end: a port of this machine." });

export const signInStarted = z
  .strictObject({ url: z.string() })
  .meta({ id: "SignInStarted", description: "Where the person's browser goes first." });

const answerBody = z
  .strictObject({
    state: z.string().max(200),
    code: z.string().max(4000).exactOptional(),
    error: z.string().max(200).exactOptional(),
    iss: z.string().max(2000).exactOptional(),
  })
  .meta({ id: "SignInAnswer", description: "What the authorization server sent with the browser." });

export const signedOut = z
  .strictObject({ signed_out: z.boolean(), revoked: z.boolean() })
  .meta({ id: "SignedOut", description: "`revoked`: its authorization server took the tokens back." });

const toWireSignIn = ({ signedIn, expiresAt, ...status }: SignInStatus): z.output<typeof signIn> => ({
  ...status,
  signed_in: signedIn,
  expires_at: expiresAt,
});

const list = defineOperatorRoute(
  {
    method: "GET",
    path: "/v1/sign-ins",
    summary: "The servers that ask for OAuth, and whether the caller's calls can be made there",
    answers: { 200: { description: "In the policy's order", schema: signIns } },
  },
  async ({ service, caller }) => {
    const found = [...service.signIns.values()].map((one) => one.status(nameOf(caller)));
    return { status: 200, body: { sign_ins: (await Promise.all(found)).map(toWireSignIn) } };
  },
);

const begin = defineOperatorRoute(
  {
    method: "POST",
    path: "/v1/servers/{server}/sign-in",
    summary: "Begin to sign in to a server, for oneself or for the gateway",
    body: signInBody,
    answers: { 200: { description: "Open this address in a browser", schema: signInStarted } },
  },
  async ({ service, caller, params, body, address }) => {
    const { redirect_uri: redirectUri } = body;
    assertOwnMachine(redirectUri);
    const one = findSignIns(service, caller, params.server);
    const url = await one.begin({ principal: nameOf(caller), redirectUri, origin: address });
    return { status: 200, body: { url: url.href } };
  },
);

const finish = defineOperatorRoute(
  {
    method: "POST",
    path: "/v1/servers/{server}/sign-in/answer",
    summary: "Finish it with what the authorization server answered",
    body: answerBody,
    answers: { 200: { description: "Signed in", schema: signIn } },
  },
  async ({ service, caller, params, body }) => {
    const { iss, ...answer } = body;
    const one = findSignIns(service, caller, params.server);
    const principal = nameOf(caller);
    await one.finish({ ...answer, principal, issuer: iss });
    return { status: 200, body: toWireSignIn(await one.status(principal)) };
  },
);

const exchange = defineOperatorRoute(
  {
    method: "POST",
    path: "/v1/servers/{server}/sign-in/exchange",
    summary: "Sign in with the JWT of this request, which the server's authorization server exchanges",
    answers: { 200: { description: "Signed in", schema: signIn } },
  },
  async ({ service, caller, params }) => {
    const one = findSignIns(service, caller, params.server);
    const principal = nameOf(caller);
    if (caller.kind !== "principal" || caller.jwt === undefined) throw noJwt();
    await one.exchange(principal, caller.jwt);
    return { status: 200, body: toWireSignIn(await one.status(principal)) };
  },
);

const end = defineOperatorRoute(
  {
    method: "DELETE",
    path: "/v1/servers/{server}/sign-in",
    summary: "Sign out: the tokens are deleted, and revoked where their server can",
    answers: { 200: { description: "What was done", schema: signedOut } },
  },
  async ({ service, caller, params }) => {
    const ended = await findSignIns(service, caller, params.server).signOut(nameOf(caller));
    return { status: 200, body: { signed_out: ended !== null, revoked: ended?.revoked ?? false } };
  },
);

/** @throws SluicegateError `not-found`, or `forbidden` if the caller may not sign the gateway in. */
export function findSignIns(service: Service, caller: Caller, server = ""): SignIns {
  const found = service.signIns.get(server);
  if (found === undefined) throw noSignIn(server);
  if (found.for === "gateway" && !(caller.kind === "principal" && caller.rights.has("administer")))
    throw notForAll(server);
  return found;
}

/**
 * THREAT: the authorization code goes to this address. Only a program on the person's own machine, which has their
 * token, may get it.
 */
function assertOwnMachine(address: string): void {
  const url = URL.parse(address);
  if (url?.protocol === "http:" && /^(?:127\.0\.0\.1|\[::1\])$/.test(url.hostname) && url.hash === "") return;
  throw new SluicegateError("invalid-request", "The sign-in can't end there.", {
    why: "`redirect_uri` is not an `http` address of this machine, such as `http://127.0.0.1:7312/callback`.",
    fix: "Run `sluicegate sign-in`, which listens there.",
  });
}

const noSignIn = (server: string): SluicegateError =>
  new SluicegateError("not-found", `There is no sign-in to ${quoteName(server)}.`, {
    why: "The policy has no such server, or one without `oauth`.",
    fix: "Look at `GET /v1/sign-ins`, or run `sluicegate sign-in --list`.",
  });

const noJwt = (): SluicegateError =>
  new SluicegateError("invalid-request", "There is nothing to exchange.", {
    why: "The request's token is no JWT of an issuer that the policy names under `identities`.",
    fix: "Send such a JWT, or sign in with `sluicegate sign-in`.",
  });

const notForAll = (server: string): SluicegateError =>
  new SluicegateError("forbidden", "This token can't do this.", {
    why: `${quoteName(server)} has one sign-in for the whole gateway, which takes the right \`administer\`.`,
    fix: "Ask whoever has it, or the operator.",
  });

export const SIGN_IN_ROUTES: readonly Route[] = Object.freeze([list, begin, finish, exchange, end]);
