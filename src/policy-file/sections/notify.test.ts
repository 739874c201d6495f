import { expect, it } from "vitest";
import { parseNow } from "../testing/parse-now.ts";
import { problemsOf } from "../testing/problems-of.ts";

const ENVIRONMENT = { SECRET: "a-secret-of-the-tests", SHORT: "short" };
const withWebhook = (webhook: string, address = "https://gate.acme.example"): string => `version: 1
identities:
  principals:
    ann: { token: "sha256:${"0".repeat(64)}", rights: [approve] }
    lou: { token: "sha256:${"1".repeat(64)}", rights: [look] }
notify:
  address: ${address}
  webhooks: { slack: ${webhook} }
`;
const GOOD = `{ url: "https://hooks.acme.example/gate", secret: "\${SECRET}", approvers: [ann, operator] }`;

it("names webhooks, their approvers and the gateway's address (X28)", () => {
  const { notify } = parseNow(withWebhook(GOOD), { file: "p.yaml", environment: ENVIRONMENT });
  expect(notify).toEqual({
    address: new URL("https://gate.acme.example"),
    webhooks: [
      {
        name: "slack",
        url: new URL("https://hooks.acme.example/gate"),
        secret: ENVIRONMENT.SECRET,
        approvers: ["ann", "operator"],
        hasArguments: false,
      },
    ],
  });
});

it.each([
  ["a secret in the file", GOOD.replace(`\${SECRET}`, "a-secret-in-the-file"), "stands in the file itself"],
  ["a short secret", GOOD.replace("SECRET", "SHORT"), "too short"],
  ["an approver who may not approve", GOOD.replace("ann", "lou"), "`lou` may not approve"],
  [
    "an approver by a variable, as it is written",
    GOOD.replace("ann", `"\${SECRET}"`),
    `\`\${SECRET}\` may not approve`,
  ],
  ["an approver whom nobody knows", GOOD.replace("ann", "bob"), "`bob` may not approve"],
  ["an address in the clear", GOOD.replace("https:", "http:"), "`url` is no address"],
  ["an address with a password", GOOD.replace("hooks", "me:word@hooks"), "`url` is no address"],
])("refuses %s (X28)", (_, webhook, message) => {
  const problems = problemsOf(withWebhook(webhook), ENVIRONMENT);
  expect(problems.join("\n")).toContain(message);
  expect(problems.join("\n")).not.toMatch(/a-secret-in-the-file|a-secret-of-the-tests/);
});

it("refuses a gateway's address in the clear (X28)", () => {
  const problems = problemsOf(withWebhook(GOOD, "http://gate.acme.example"), ENVIRONMENT);
  expect(problems.join("\n")).toContain("`address` is no address");
});
