/**
 * Verifies JWTs of the issuers that the policy names: from a token to a principal's name and rights.
 * THREAT: the caller chooses every byte of a token. Its content counts only after its signature was verified, with a
 * key of its issuer and an accepted algorithm.
 */
import { open } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { createRemoteJWKSet, customFetch, decodeJwt, errors, type JWTPayload, jwtVerify } from "jose";
import type { IdentitiesConfig, IssuerConfig, Right } from "../../policy-file/index.ts";
import type { Clock } from "../../runtime/index.ts";

/** The principal of a valid token. */
interface VerifiedJwt {
  readonly name: string;
  readonly rights: ReadonlySet<Right>;
  /** From then on the token is refused, in milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Never rejects: for an invalid token it returns a sentence with the reason. */
export type VerifyJwt = (token: string) => Promise<VerifiedJwt | string>;

export interface VerifyJwtOptions {
  readonly clock: Clock;
  /** Names that no issuer may give. */
  readonly reserved: ReadonlySet<string>;
  /** How long an unknown key isn't fetched again. */
  readonly cooldownMs?: number;
}

const COOLDOWN_MS = 30_000;
/** Keys are fetched again after this time, so that a withdrawn one stops counting. */
const MAX_KEY_AGE_MS = 10 * 60_000;
/** The pause after keys couldn't be fetched. */
const RETRY_MS = 2000;
const FETCH_MS = 5000;
const MAX_KEYS_BYTES = 256 * 1024;
const CLOCK_TOLERANCE_SECONDS = 30;
const MAX_NAME_LENGTH = 256;

type Keys = ReturnType<typeof createRemoteJWKSet>;

/** A verifier of the tokens of these issuers. */
export function createVerifyJwt(
  { issuers }: Pick<IdentitiesConfig, "issuers">,
  { clock, reserved, cooldownMs = COOLDOWN_MS }: VerifyJwtOptions,
): VerifyJwt {
  const keysOf = new Map(issuers.map((issuer) => [issuer, readKeys(issuer, clock, cooldownMs)]));
  return async (token) => {
    try {
      const issuer = issuers.find((one) => one.issuer === decodeJwt(token).iss);
      const keys = issuer && keysOf.get(issuer);
      if (issuer === undefined || keys === undefined)
        return "It isn't a JWT of an issuer that the policy names.";
      const { payload } = await jwtVerify(token, keys, {
        issuer: issuer.issuer,
        audience: [...issuer.audience],
        algorithms: [...issuer.algorithms],
        requiredClaims: ["exp"],
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        currentDate: clock.now(),
      });
      return toVerified(payload, issuer, reserved);
    } catch (cause) {
      return whyInvalid(cause);
    }
  };
}

function toVerified(
  payload: JWTPayload,
  issuer: IssuerConfig,
  reserved: ReadonlySet<string>,
): VerifiedJwt | string {
  const claim = claimAt(payload, issuer.principal);
  if (typeof claim !== "string" || claim === "") return `Its claim \`${issuer.principal}\` names nobody.`;
  const name = `${issuer.prefix}${claim}`;
  if (name.length > MAX_NAME_LENGTH) return "The name of its principal is too long.";
  // THREAT: if users of an issuer choose their own names, none must become the operator, a principal of the
  // policy file, or look like one.
  if (!isPlainName(name)) return "The name of its principal has characters that nobody sees.";
  const isReserved = [...reserved].some((one) => folded(one) === folded(name));
  if (isReserved || folded(name).startsWith("sluicegate:"))
    return "Its principal has the name of somebody whom the policy gives a token.";
  const groups = issuer.groups === null ? [] : toGroups(claimAt(payload, issuer.groups));
  const rights = [...issuer.rights, ...groups.flatMap((group) => issuer.groupRights.get(group) ?? [])];
  const expiresAt = ((payload.exp ?? 0) + CLOCK_TOLERANCE_SECONDS) * 1000;
  return { name, rights: new Set(rights), expiresAt };
}

/** No character that isn't seen, such as a blank letter of Braille or Hangul, and no white space but one space. */
const isPlainName = (name: string): boolean =>
  name.trim() === name && !/[\p{C}\p{Default_Ignorable_Code_Point}\u2800]|[^\S ]| {2}/u.test(name);

const folded = (name: string): string => name.normalize("NFKC").toLowerCase();

/** A claim by its name, which may contain dots, otherwise by a path. */
function claimAt(payload: JWTPayload, path: string): unknown {
  const steps = Object.hasOwn(payload, path) ? [path] : path.split(".");
  return steps.reduce<unknown>(
    (value, step) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, step)
        ? Reflect.get(value, step)
        : undefined,
    payload,
  );
}

/** A list of names, or a text separated by spaces, such as `scope`. */
function toGroups(claim: unknown): readonly string[] {
  if (typeof claim === "string") return claim.split(" ");
  return Array.isArray(claim) ? claim.filter((group) => typeof group === "string") : [];
}

/** The keys of an issuer, fetched at first use, when they are old, and for an unknown key. */
function readKeys({ jwks }: IssuerConfig, clock: Clock, cooldownMs: number): Keys {
  let failedAt = Number.NEGATIVE_INFINITY;
  const read = async (url: string, options: RequestInit): Promise<Response> => {
    // THREAT: strangers cause these requests; an issuer that is down isn't asked again for each of them.
    if (clock.now().getTime() - failedAt < RETRY_MS)
      throw new Error("The keys could not be read a moment ago.");
    try {
      if (jwks.protocol === "file:") return new Response(await readFile(fileURLToPath(jwks)));
      const response = await fetch(url, options);
      if (response.status !== 200) throw new Error(`The keys' address answers ${response.status}.`);
      return new Response(await readAtMost(response.body ?? [], MAX_KEYS_BYTES));
    } catch (cause) {
      failedAt = clock.now().getTime();
      throw cause;
    }
  };
  return createRemoteJWKSet(jwks, {
    timeoutDuration: FETCH_MS,
    cooldownDuration: cooldownMs,
    cacheMaxAge: MAX_KEY_AGE_MS,
    [customFetch]: read,
  });
}

async function readFile(path: string): Promise<Buffer<ArrayBuffer>> {
  await using file = await open(path);
  return await readAtMost(file.createReadStream({ autoClose: false }), MAX_KEYS_BYTES);
}

async function readAtMost(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  most: number,
): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > most) throw new Error(`The keys have more than ${most} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** THREAT: the reason must tell a stranger nothing about the token that it doesn't contain. */
function whyInvalid(cause: unknown): string {
  if (cause instanceof errors.JWTExpired) return "It has expired.";
  if (cause instanceof errors.JWTClaimValidationFailed)
    return `Its claim \`${cause.claim}\` is missing or isn't what this gateway accepts.`;
  if (cause instanceof errors.JOSEAlgNotAllowed) return "Its algorithm isn't accepted.";
  if (cause instanceof errors.JWKSNoMatchingKey)
    return "It is signed with a key that its issuer doesn't list.";
  if (cause instanceof errors.JWSSignatureVerificationFailed) return "Its signature isn't its issuer's.";
  if (cause instanceof errors.JOSEError && cause.code !== "ERR_JOSE_GENERIC") return "It is no valid JWT.";
  return "The keys of its issuer can't be read now.";
}
