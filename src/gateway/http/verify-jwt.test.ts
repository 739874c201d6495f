/** Tokens of an issuer with real keys, whose key set is served on the loopback or lies in a file. */
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { exportJWK, exportSPKI, generateKeyPair, SignJWT } from "jose";
import { afterAll, describe, expect, it } from "vitest";
import type { IssuerConfig } from "../../policy-file/index.ts";
import { createVerifyJwt } from "./verify-jwt.ts";

const NOW = new Date("2026-11-23T10:00:00Z");
const SECONDS = NOW.getTime() / 1000;
const ISSUER = "https://login.acme.example";

const first = await keyPair("first");
const second = await keyPair("second");
const stranger = await keyPair("first");

async function keyPair(kid: string) {
  const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
  return { kid, privateKey, publicKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: "ES256" } };
}

const served = { keys: [first.jwk], requests: 0, status: 200 };
const server = createServer((_, response) => {
  served.requests += 1;
  response.writeHead(served.status, { "content-type": "application/json" });
  response.end(JSON.stringify({ keys: served.keys }));
}).listen(0, "127.0.0.1");
await once(server, "listening");
const folder = mkdtempSync(join(tmpdir(), "sluicegate-jwks-"));
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const ACME: IssuerConfig = {
  issuer: ISSUER,
  audience: ["gate"],
  jwks: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`),
  algorithms: ["ES256"],
  principal: "sub",
  prefix: "",
  groups: "realm_access.roles",
  rights: ["use"],
  groupRights: new Map([["reviewers", ["approve", "look"]]]),
};

const verifier = (issuer: Partial<IssuerConfig> = {}, cooldownMs = 0) =>
  createVerifyJwt(
    { issuers: [{ ...ACME, ...issuer }] },
    { clock: { now: () => NOW }, reserved: new Set(["operator", "bob"]), cooldownMs },
  );

const CLAIMS = { iss: ISSUER, aud: "gate", sub: "ada", exp: SECONDS + 600 };
const sign = (claims: object, { kid, privateKey }: typeof first = first) =>
  new SignJWT({ ...CLAIMS, ...claims }).setProtectedHeader({ alg: "ES256", kid }).sign(privateKey);
const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

describe("a JWT", () => {
  it("stands for its subject, with the rights of its issuer and its groups", async () => {
    const verify = verifier();
    // Half a minute of tolerance after its end.
    const expiresAt = NOW.getTime() + 630_000;
    expect(await verify(await sign({}))).toEqual({ name: "ada", rights: new Set(["use"]), expiresAt });
    const inGroup = await sign({ realm_access: { roles: ["reviewers", "unknown", 7] } });
    expect(await verify(inGroup)).toMatchObject({ rights: new Set(["use", "approve", "look"]) });
  });

  it("may name its principal and its groups otherwise", async () => {
    const verify = verifier({ principal: "email", prefix: "acme:", groups: "https://acme.example/groups" });
    const token = await sign({ email: "ada@acme.example", "https://acme.example/groups": "a reviewers" });
    expect(await verify(token)).toMatchObject({
      name: "acme:ada@acme.example",
      rights: new Set(["use", "approve", "look"]),
    });
  });

  it.each([
    ["another issuer's", { iss: "https://evil.example" }],
    ["for another audience", { aud: "another" }],
    ["for no audience", { aud: undefined }],
    ["expired", { exp: SECONDS - 60 }],
    ["without an end", { exp: undefined }],
    ["not valid yet", { nbf: SECONDS + 60 }],
    ["for nobody", { sub: undefined }],
    ["for an empty name", { sub: "" }],
    ["for the operator", { sub: "operator" }],
    ["for a name of the gateway's own", { sub: "sluicegate:readiness" }],
    ["for somebody with a token of the policy", { sub: "bob" }],
    ["for the operator in another case", { sub: "OPERATOR" }],
    ["for the operator in wide letters", { sub: "\uff4fperator" }],
    ["for the operator with a space behind", { sub: "operator " }],
    ["for a name that ends in what nobody sees", { sub: "ada\u200b" }],
    ["for a name that turns the text around", { sub: "\u202eada" }],
    ["for a name that ends in a blank letter", { sub: "ada\u3164" }],
    ["for a name with a joiner", { sub: "a\u034fda" }],
    ["for a name with a blank of Braille", { sub: "ada\u2800x" }],
    ["for a name with two spaces", { sub: "ada  b" }],
    ["for a name with a space that isn't one", { sub: "ada\u00a0b" }],
    ["for a name with a line break", { sub: "a\nda" }],
    ["for half a character", { sub: "\ud800" }],
    ["for a name that is too long", { sub: "a".repeat(300) }],
  ])("that is %s is refused", async (_, claims) => {
    expect(await verifier()(await sign(claims))).toBeTypeOf("string");
  });

  it("that its issuer's key didn't sign is refused, whatever its header says", async () => {
    const verify = verifier();
    const refused = async (token: string) => expect(await verify(token)).toBeTypeOf("string");
    await refused(await sign({}, stranger));
    await refused(await sign({}, second));
    await refused(`${base64({ alg: "none" })}.${base64(CLAIMS)}.`);
    const secrets = [await exportSPKI(first.publicKey), JSON.stringify(first.jwk)];
    for (const secret of secrets) {
      const text = `${base64({ alg: "HS256", kid: "first" })}.${base64(CLAIMS)}`;
      await refused(`${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`);
    }
    const embedded = new SignJWT(CLAIMS).setProtectedHeader({ alg: "ES256", jwk: stranger.jwk });
    await refused(await embedded.sign(stranger.privateKey));
    const [header = "", , signature = ""] = (await sign({})).split(".");
    await refused(`${header}.${base64({ ...CLAIMS, sub: "eve" })}.${signature}`);
    for (const token of ["", "a.b.c", "..", `${header}..${signature}`]) await refused(token);
  });
});

describe("the keys of an issuer", () => {
  it("are read again for one that is new, and the old one counts no longer once it is gone", async () => {
    const verify = verifier();
    const old = await sign({});
    expect(await verify(old)).toBeTypeOf("object");
    served.keys = [second.jwk];
    expect(await verify(await sign({}, second))).toBeTypeOf("object");
    expect(await verify(old)).toMatch(/key/);
    served.keys = [first.jwk];
  });

  it("aren't asked for by each stranger with a key that nobody knows", async () => {
    const verify = verifier({}, 30_000);
    await verify(await sign({}));
    const before = served.requests;
    for (let time = 0; time < 5; time += 1) await verify(await sign({}, second));
    expect(served.requests).toBe(before);
  });

  it("that can't be had let nobody in, and aren't asked for again at once", async () => {
    const verify = verifier();
    served.status = 500;
    const before = served.requests;
    for (let time = 0; time < 5; time += 1) expect(await verify(await sign({}))).toMatch(/can't be read/);
    expect(served.requests).toBe(before + 1);
    served.status = 200;
  });

  it("may lie in a file, which is read again as well", async () => {
    const file = join(folder, "jwks.json");
    const verify = verifier({ jwks: pathToFileURL(file) });
    writeFileSync(file, JSON.stringify({ keys: [first.jwk] }));
    expect(await verify(await sign({}))).toBeTypeOf("object");
    writeFileSync(file, JSON.stringify({ keys: [second.jwk] }));
    expect(await verify(await sign({}, second))).toBeTypeOf("object");
    const large = verifier({ jwks: pathToFileURL(join(folder, "large.json")) });
    writeFileSync(
      join(folder, "large.json"),
      JSON.stringify({ keys: [first.jwk], more: "x".repeat(300_000) }),
    );
    expect(await large(await sign({}))).toMatch(/can't be read/);
  });
});
