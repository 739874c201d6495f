/**
 * Who may come in besides the operator, and what each may do: principals with a token of their own, and issuers of JWTs
 * whose principals are known by their claims.
 */
import { createHash } from "node:crypto";
import { dirname, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { z } from "zod";
import { isLoopback } from "../document/loopback.ts";
import { quote, quoteAll } from "../document/quote.ts";
import type { Report } from "../document/report.ts";
import { child, type Entry, entriesOf, isText, itemsOf, type Tree, textsOf } from "../document/tree.ts";
import { byName, described, map, name, names } from "./shape.ts";

/**
 * What a principal may do: `use` opens sessions for itself and uses them; `look` reads all sessions and journals;
 * `approve` answers approvals; `administer` does the rest.
 */
export const RIGHTS = Object.freeze(["use", "look", "approve", "administer"] as const);
export type Right = (typeof RIGHTS)[number];

/** Public-key algorithms alone: a key that verifies must not be able to sign. */
const JWT_ALGORITHMS = Object.freeze([
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
] as const);
const DEFAULT_ALGORITHMS = ["RS256", "PS256", "ES256", "EdDSA", "Ed25519"] as const;

const rights = z.array(z.enum(RIGHTS), { error: "a list of `use`, `look`, `approve` and `administer`" });

const principalSchema = map("A principal", {
  token: name.meta({
    description: `Its bearer token: a variable, \`\${NAME}\`, or the token's SHA-256 as \`sha256:\` and 64 hex digits.`,
  }),
  rights: rights.min(1).meta({ description: "What it may do." }),
});

const issuerSchema = map("An issuer", {
  issuer: name.meta({ description: "What `iss` must be." }),
  audience: z
    .union([name, names.min(1)], { error: "a name or a list of names" })
    .meta({ description: "What `aud` must hold: one of these." }),
  jwks: name.meta({
    description:
      "Its public keys: an `https` address, or a file relative to this one. Read again where a key is new.",
  }),
  algorithms: described(
    z.array(z.enum(JWT_ALGORITHMS), { error: "a list of algorithms such as `RS256`" }).min(1),
    `The algorithms that are accepted. Left out: ${DEFAULT_ALGORITHMS.join(", ")}.`,
  ),
  principal: described(
    name,
    "The claim that names the principal, with dots between the steps of a path. Left out: `sub`.",
  ),
  prefix: described(
    name,
    "What is put before the principal's name, such as `acme:`. Needed where there are several issuers.",
  ),
  groups: described(
    name,
    "The claim that lists the principal's groups or roles, with dots between the steps of a path, such as `realm_access.roles`.",
  ),
  rights: described(rights, "What every principal of this issuer may do. Left out: nothing."),
  group_rights: described(
    byName(rights, "a map of groups to their rights"),
    "What the members of a group may do besides.",
  ),
});

const identitiesSchema = map("`identities`", {
  principals: described(
    byName(principalSchema, "a map of principals by name"),
    "Principals with a token of their own.",
  ),
  issuers: described(
    byName(issuerSchema, "a map of issuers by name"),
    "Who issues the JWTs that are accepted.",
  ),
});

export const identityKeys = {
  identities: described(
    identitiesSchema,
    "Who may use the gateway besides the operator, and what each may do. Left out: nobody.",
  ),
};

/** The name of whoever has the operator's token. */
const OPERATOR = "operator";
const HASHED = /^sha256:[0-9a-f]{64}$/;
const VARIABLE = /^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/;

export function checkIdentities(root: Tree, report: Report): void {
  const identities = child(root, "identities");
  for (const principal of entriesOf(child(identities, "principals"))) checkPrincipal(principal, report);
  const issuers = entriesOf(child(identities, "issuers"));
  for (const { value } of issuers) checkIssuer(value, report);
  checkPrefixes(issuers, report);
  checkApprovers(root, report);
}

/** What more people must approve than there are would never run. */
function checkApprovers(root: Tree, report: Report): void {
  const identities = child(root, "identities");
  if (entriesOf(child(identities, "issuers")).length > 0) return;
  const approving = entriesOf(child(identities, "principals")).filter(({ value }) =>
    textsOf(child(value, "rights")).some((right) => right.value === "approve"),
  );
  const people = approving.length + 1;
  for (const { value } of everywhere(root, "approvers")) {
    if (value.kind !== "scalar" || typeof value.value !== "number" || value.value <= people) continue;
    const known =
      people === 1 ? "the operator alone" : `the operator and ${quoteAll(approving.map(({ key }) => key))}`;
    report.add(
      value.at,
      `It takes ${value.value} people to approve, and those who may are ${known}.`,
      "Name more under `identities`, with the right `approve`.",
    );
  }
}

function everywhere(tree: Tree, key: string): readonly Entry[] {
  const inside = [...entriesOf(tree).map(({ value }) => value), ...itemsOf(tree)];
  return [
    ...entriesOf(tree).filter((entry) => entry.key === key),
    ...inside.flatMap((one) => everywhere(one, key)),
  ];
}

function checkPrincipal({ key, at, value }: Entry, report: Report): void {
  if (key === OPERATOR)
    report.add(at, "`operator` is whoever has the operator's token.", "Call the principal otherwise.");
  if (key.startsWith("sluicegate:"))
    report.add(
      at,
      "Names that begin with `sluicegate:` are the gateway's own.",
      "Call the principal otherwise.",
    );
  const token = child(value, "token");
  if (!isText(token) || token.value === "" || HASHED.test(token.value)) return;
  // THREAT: a policy file is shared and kept in repositories; what stands in it is quoted nowhere.
  if (!VARIABLE.test(token.written))
    report.add(
      token.at,
      `The token of ${quote(key)} stands in the file itself.`,
      `Write \`\${NAME}\` and set that variable, or write the token's hash: \`sha256:\` and what \`printf %s "$TOKEN" | sha256sum\` prints.`,
    );
}

function checkIssuer(issuer: Tree, report: Report): void {
  const jwks = child(issuer, "jwks");
  if (isText(jwks) && jwks.value.includes("://")) {
    const url = URL.parse(jwks.value);
    const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
    if (!isSafe || url?.username !== "")
      report.add(
        jwks.at,
        "`jwks` is not an address that its keys can safely come from.",
        "Write an `https` address without a user, or the name of a file.",
      );
  }
  const groups = child(issuer, "group_rights");
  if (groups && child(issuer, "groups") === undefined)
    report.add(
      groups.at,
      "`group_rights` needs `groups`.",
      "Name the claim that lists a principal's groups.",
    );
}

/** THREAT: an issuer chooses its principals' names, and must not be able to choose another issuer's. */
function checkPrefixes(issuers: readonly Entry[], report: Report): void {
  const prefixes = issuers.map(({ at, value }) => {
    const prefix = child(value, "prefix");
    return { at: prefix?.at ?? at, text: isText(prefix) ? prefix.value : "" };
  });
  for (const [index, { at, text }] of prefixes.entries()) {
    const other = prefixes.findIndex((one, place) => place !== index && one.text.startsWith(text));
    if (other === -1) continue;
    report.add(
      at,
      "The names of this issuer's principals could be those of another's.",
      "Give each issuer a `prefix`, none of which begins with another.",
    );
  }
}

export function warnAboutIdentities(root: Tree, report: Report): void {
  for (const { key, value } of entriesOf(child(child(root, "identities"), "issuers"))) {
    const everybody = itemsOf(child(value, "rights"));
    const acting = everybody.find(
      (right) => isText(right) && (right.value === "approve" || right.value === "administer"),
    );
    if (acting === undefined) continue;
    report.add(
      acting.at,
      `Every principal of the issuer ${quote(key)} may answer approvals or administer the gateway.`,
      "Give that to a group, under `group_rights`.",
    );
  }
}

interface PrincipalConfig {
  /** The token's SHA-256, in hex. */
  readonly digest: string;
  /** Whether the token is too short to be guessed by nobody. What only its hash is known of counts as long enough. */
  readonly isWeak: boolean;
  readonly rights: readonly Right[];
}

/** Who issues JWTs, and what its principals may do. */
export interface IssuerConfig {
  readonly issuer: string;
  readonly audience: readonly string[];
  /** Where its public keys are: an `https:` or a `file:` address. */
  readonly jwks: URL;
  readonly algorithms: readonly string[];
  /** The claim that names the principal: its name, or the steps of a path with dots between them. */
  readonly principal: string;
  readonly prefix: string;
  /** The claim that lists its groups; null if groups give no rights. */
  readonly groups: string | null;
  readonly rights: readonly Right[];
  readonly groupRights: ReadonlyMap<string, readonly Right[]>;
}

export interface IdentitiesConfig {
  readonly principals: ReadonlyMap<string, PrincipalConfig>;
  readonly issuers: readonly IssuerConfig[];
}

/** The identities of a document that was checked; null if it has none. `file` is the policy file, absolute. */
export function toIdentities(
  document: z.infer<typeof identitiesSchema> | undefined,
  file: string,
): IdentitiesConfig | null {
  if (document === undefined) return null;
  const { principals = {}, issuers = {} } = document;
  return Object.freeze({
    principals: new Map(Object.entries(principals).map(([key, value]) => [key, toPrincipal(value)])),
    issuers: Object.values(issuers).map((issuer) => toIssuer(issuer, file)),
  });
}

function toPrincipal({ token, rights }: z.infer<typeof principalSchema>): PrincipalConfig {
  if (HASHED.test(token)) return { digest: token.slice("sha256:".length), isWeak: false, rights };
  const digest = createHash("sha256").update(token).digest("hex");
  return { digest, isWeak: !/^\S{16,512}$/.test(token), rights };
}

function toIssuer(document: z.infer<typeof issuerSchema>, file: string): IssuerConfig {
  const {
    issuer,
    audience,
    jwks,
    algorithms = DEFAULT_ALGORITHMS,
    principal = "sub",
    prefix = "",
  } = document;
  const { groups, rights: everybody = [], group_rights: groupRights = {} } = document;
  return Object.freeze({
    issuer,
    audience: typeof audience === "string" ? [audience] : audience,
    jwks: jwks.includes("://") ? new URL(jwks) : pathToFileURL(resolve(dirname(file), jwks)),
    algorithms,
    principal,
    prefix,
    groups: groups ?? null,
    rights: everybody,
    groupRights: new Map(Object.entries(groupRights)),
  });
}

/** The files that keys are read from, absolute. */
export const keyFilesOf = (identities: IdentitiesConfig | null): readonly string[] =>
  (identities?.issuers ?? []).flatMap(({ jwks }) => (jwks.protocol === "file:" ? [fileURLToPath(jwks)] : []));
