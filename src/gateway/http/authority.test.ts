/** Streams of whoever came in by a JWT. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterAll, afterEach, expect, it, vi } from "vitest";
import type { IdentitiesConfig } from "../../policy-file/index.ts";
import { Authority } from "./authority.ts";

const ISSUER = "https://login.acme.example";
const folder = mkdtempSync(join(tmpdir(), "sluicegate-authority-"));
const jwks = join(folder, "keys.json");
const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
writeFileSync(jwks, JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: "a", alg: "ES256" }] }));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => void vi.useRealTimers());

const IDENTITIES: IdentitiesConfig = {
  principals: new Map(),
  issuers: [
    {
      issuer: ISSUER,
      audience: ["gate"],
      jwks: pathToFileURL(jwks),
      algorithms: ["ES256"],
      principal: "sub",
      prefix: "",
      groups: null,
      rights: ["look"],
      groupRights: new Map(),
    },
  ],
};

it("ends a stream once the JWT that opened it has expired, and leaves those that were closed alone (X16)", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  const clock = { now: () => new Date() };
  const options = { operatorToken: "operator", key: new Uint8Array(32), identities: IDENTITIES, clock };
  const authority = new Authority(options);
  const token = await new SignJWT({ iss: ISSUER, aud: "gate", sub: "ada", exp: Date.now() / 1000 + 900 })
    .setProtectedHeader({ alg: "ES256", kid: "a" })
    .sign(privateKey);
  const header = `Bearer ${token}`;
  const caller = await authority.authenticate(header);
  const [end, endOfClosed] = [vi.fn(), vi.fn()];
  const admission = { caller, header, assertStillMay: () => {} };
  authority.onRevoked(admission, end);
  authority.onRevoked(admission, endOfClosed)();
  vi.advanceTimersByTime(14 * 60_000);
  await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1));
  expect(end).not.toHaveBeenCalled();
  vi.advanceTimersByTime(2 * 60_000);
  await vi.waitFor(() => expect(end).toHaveBeenCalledOnce());
  expect(end.mock.calls[0]?.[0]).toMatchObject({ code: "unauthorized", why: "It has expired." });
  expect(endOfClosed).not.toHaveBeenCalled();
});
