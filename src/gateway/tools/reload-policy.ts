/**
 * Reloads a changed policy file while the gateway runs: reads all of it, compares it with the one in force, then
 * replaces that.
 */
import { isDeepStrictEqual } from "node:util";
import { type Policy, quoteName, widenings } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import type { IdentitiesConfig, IssuerConfig, NotifyConfig, Right } from "../../policy-file/index.ts";
import type { Authority } from "../http/authority.ts";
import type { Notifier } from "../notifier.ts";
import type { ToolRegistry } from "./tool-registry.ts";

/** The source of the policy. */
export interface PolicyFile {
  /** Throws if the file can't be put in force. */
  load(): Promise<{
    readonly policy: Policy;
    readonly identities: IdentitiesConfig | null;
    readonly notify: NotifyConfig | null;
  }>;
  /** Called once another version is in force. */
  onReload(policy: Policy): void;
}

export interface ReloadOptions {
  /** Accepts a policy that allows more than the one in force. */
  readonly allowsWidening: boolean;
}

export interface Reloaded {
  /** The version in force now. */
  readonly version: string;
  readonly isChanged: boolean;
  /** What it may allow beyond the one before, as sentences. */
  readonly widens: readonly string[];
}

export interface ReloadParts {
  readonly catalog: ToolRegistry;
  readonly authority: Authority;
  /** Null if the gateway was started without `notify`. */
  readonly notifier: Pick<Notifier, "useConfig"> | null;
  readonly file: PolicyFile;
}

/**
 * Puts the file's policy and identities in force. Sessions keep their labels; pending approvals must be requested
 * again.
 * @throws SluicegateError `reload-refused` for a policy that allows more without `allowsWidening`, and what reading
 *   it throws: then the old one stays in force.
 */
export async function reloadPolicy(
  { catalog, authority, notifier, file }: ReloadParts,
  { allowsWidening }: ReloadOptions,
): Promise<Reloaded> {
  const { policy, identities, notify } = await file.load();
  let widens: readonly string[] = [];
  const hasNewIdentities = !isDeepStrictEqual(authority.identities, identities);
  const swap = (ofPolicy: readonly string[]): void => {
    widens = [...ofPolicy, ...identityWidenings(authority.identities, identities)];
    if (widens.length > 0 && !allowsWidening) throw wouldWiden(widens);
    if (hasNewIdentities) authority.useIdentities(identities);
    notifier?.useConfig(notify);
  };
  const hasNewPolicy = await catalog.usePolicy(policy, (before, after) => swap(widenings(before, after)));
  // The values of variables, such as tokens, aren't part of a policy's version.
  if (!hasNewPolicy) swap([]);
  if (hasNewPolicy) file.onReload(policy);
  return { version: policy.version, isChanged: hasNewPolicy || hasNewIdentities, widens };
}

const NOBODY: IdentitiesConfig = { principals: new Map(), issuers: [] };

/** Identities that can do more than before. The list may contain some without effect, and misses none. */
function identityWidenings(
  before: IdentitiesConfig | null,
  after: IdentitiesConfig | null,
): readonly string[] {
  const [old, next] = [before ?? NOBODY, after ?? NOBODY];
  const ofPrincipals = [...next.principals].flatMap(([name, { digest, rights }]) => {
    const had = old.principals.get(name);
    const who = `Principal ${quoteName(name)}`;
    if (had === undefined) return [`${who} is new, and may ${listed(rights)}.`];
    const gained = rights.filter((right) => !had.rights.includes(right));
    return [
      ...(gained.length > 0 ? [`${who} may also ${listed(gained)}.`] : []),
      ...(had.digest === digest ? [] : [`${who} has another token.`]),
    ];
  });
  const ofIssuers = next.issuers
    .filter((issuer) => !old.issuers.some((one) => givesNoMore(one, issuer)))
    .map(({ issuer }) => `The issuer ${quoteName(issuer)} is new or changed.`);
  // THREAT: a token of an issuer with the name of a removed principal would be taken for that principal.
  const freed = [...old.principals.keys()].filter(
    (name) =>
      !next.principals.has(name) &&
      next.issuers.some(({ prefix }) => folded(name).startsWith(folded(prefix))),
  );
  return [
    ...ofPrincipals,
    ...ofIssuers,
    ...freed.map((name) => `An issuer may give the name ${quoteName(name)}, whose token is gone.`),
  ];
}

const listed = (rights: readonly Right[]): string => rights.map((right) => `\`${right}\``).join(", ");

const folded = (name: string): string => name.normalize("NFKC").toLowerCase();

function givesNoMore(
  { rights: had, groupRights: hadGroups, ...old }: IssuerConfig,
  { rights, groupRights, ...next }: IssuerConfig,
): boolean {
  const isWithin = (some: readonly Right[], all: readonly Right[]): boolean =>
    some.every((right) => all.includes(right));
  return (
    isDeepStrictEqual(old, next) &&
    isWithin(rights, had) &&
    [...groupRights].every(([group, given]) => isWithin(given, hadGroups.get(group) ?? []))
  );
}

const MAX_SHOWN = 20;

const wouldWiden = (widens: readonly string[]): SluicegateError =>
  new SluicegateError(
    "reload-refused",
    "The policy was not reloaded: it may allow more than the one in force.",
    {
      why: [
        ...widens.slice(0, MAX_SHOWN),
        ...(widens.length > MAX_SHOWN ? [`And ${widens.length - MAX_SHOWN} more.`] : []),
      ].join(" "),
      fix: "Look at these changes. If all of them are meant, reload with `--allow-widening` (`allow_widening` over REST).",
      details: { widens },
    },
  );

export const noPolicyFile = (): SluicegateError =>
  new SluicegateError("usage", "The policy can't be reloaded.", {
    why: "This gateway was started without a policy file.",
    fix: "Give `policyFile` to the gateway, or put another policy in force in the program itself.",
  });
