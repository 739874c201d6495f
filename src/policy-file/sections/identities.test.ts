import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { parseNow } from "../testing/parse-now.ts";
import { problemsOf, warningsOf } from "../testing/problems-of.ts";

const ENVIRONMENT = { ADA_TOKEN: "ada-token-of-the-test" };
const HASH = createHash("sha256").update("bob-token-of-the-test").digest("hex");
const identitiesOf = (text: string) =>
  parseNow(`version: 1\n${text}`, { file: "/policies/p.yaml", environment: ENVIRONMENT });

describe("identities in a policy file", () => {
  test("are nobody where nothing is said", () => {
    expect(identitiesOf("").identities).toBeNull();
  });

  test("keep a token's hash alone, from the environment or as it is written (X1-policy)", () => {
    const { identities } = identitiesOf(`identities:
  principals:
    ada: { token: "\${ADA_TOKEN}", rights: [approve, look] }
    bob: { token: "sha256:${HASH}", rights: [use] }
`);
    expect([...(identities?.principals ?? [])]).toEqual([
      [
        "ada",
        {
          digest: createHash("sha256").update(ENVIRONMENT.ADA_TOKEN).digest("hex"),
          isWeak: false,
          rights: ["approve", "look"],
        },
      ],
      ["bob", { digest: HASH, isWeak: false, rights: ["use"] }],
    ]);
  });

  test("name issuers; a file of keys is protected as the policy file is", () => {
    const { identities, files } = identitiesOf(`identities:
  issuers:
    acme:
      issuer: https://login.acme.example
      audience: gate
      jwks: keys/jwks.json
      groups: realm_access.roles
      rights: [use]
      group_rights: { reviewers: [approve] }
`);
    expect(identities?.issuers).toEqual([
      {
        issuer: "https://login.acme.example",
        audience: ["gate"],
        jwks: new URL("file:///policies/keys/jwks.json"),
        algorithms: ["RS256", "PS256", "ES256", "EdDSA", "Ed25519"],
        principal: "sub",
        prefix: "",
        groups: "realm_access.roles",
        rights: ["use"],
        groupRights: new Map([["reviewers", ["approve"]]]),
      },
    ]);
    expect(files).toContain("/policies/keys/jwks.json");
  });

  test("are told with line and column where they are wrong, and no token is quoted (X1-policy)", () => {
    const text = `version: 1
identities:
  principals:
    operator: { token: "\${ADA_TOKEN}", rights: [use] }
    ada: { token: a-secret-in-plain-text, rights: [aprove] }
    bob: { token: "x\${ADA_TOKEN}", rights: [] }
  issuers:
    one: { issuer: a, audience: [], jwks: "http://acme.example/k", algorithms: [HS256, none] }
    two: { issuer: b, audience: gate, jwks: k.json, group_rights: { x: [use] } }
`;
    const problems = problemsOf(text, ENVIRONMENT);
    expect(problems).toEqual([
      "p.yaml:4:5: `operator` is whoever has the operator's token. Call the principal otherwise.",
      expect.stringMatching(/^p\.yaml:5:19: The token of `ada` stands in the file itself\. Write /),
      "p.yaml:5:52: `rights` takes `use`, `look`, `approve` or `administer`, not `aprove`; did you mean `approve`?",
      expect.stringMatching(/^p\.yaml:6:19: The token of `bob` stands in the file itself\. Write /),
      expect.stringMatching(/^p\.yaml:6:44: `rights`/),
      "p.yaml:8:5: The names of this issuer's principals could be those of another's. Give each issuer a `prefix`, none of which begins with another.",
      expect.stringMatching(/^p\.yaml:8:33: `audience`/),
      "p.yaml:8:43: `jwks` is not an address that its keys can safely come from. Write an `https` address without a user, or the name of a file.",
      expect.stringMatching(/^p\.yaml:8:81: `algorithms` takes .* not `HS256`/),
      expect.stringMatching(/^p\.yaml:8:88: `algorithms` takes .* not `none`/),
      "p.yaml:9:5: The names of this issuer's principals could be those of another's. Give each issuer a `prefix`, none of which begins with another.",
      "p.yaml:9:67: `group_rights` needs `groups`. Name the claim that lists a principal's groups.",
    ]);
    expect(problems.join("\n")).not.toMatch(/a-secret-in-plain-text|ada-token/);
  });

  test("of several issuers have different prefixes; everybody who may approve is warned of", () => {
    const issuer = (prefix: string) =>
      `{ issuer: i, audience: a, jwks: k.json, prefix: "${prefix}", rights: [use, approve] }`;
    const text = `version: 1\nidentities: { issuers: { a: ${issuer("a:")}, b: ${issuer("b:")} } }\n`;
    expect(problemsOf(text)).toEqual([]);
    expect(warningsOf(text)).toHaveLength(2);
  });
});
