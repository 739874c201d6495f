import { expect, it } from "vitest";
import { isRecipient, recipientMatcher, toPattern } from "./recipients.ts";

const HOOK = "https://hooks.slack.example/services/t0acme/*";
const TENANT = "https://*.slack.example/services/t0acme/*";

it.each<[string, string, boolean | "partly"]>([
  ["*@acme.example", "x@acme.example", true],
  ["*@acme.example", "o'brien+tag@acme.example", true],
  ["*@acme.example", "josé@acme.example", true],
  ["*@*.acme.example", "x@eu.acme.example", true],
  ["#team-*", "#team-ops", true],
  ["+49*", "+4930123", true],
  ["*-internal", "#team-internal", true],
  ["*:acme.example", "#room:acme.example", true],
  ["*:acme.example", "@ada:acme.example", true],
  ["!*:acme.example", "!room:acme.example", true],
  ["git@acme.example:*", "git@acme.example:équipe/a%20b.git", true],
  ["ssh://git@acme.example/*", "ssh://git@acme.example/a.git", true],
  ["/shared/team/*", "/shared/team/a.md", true],
  ["team/*", "team/sub/x", true],
  ["tel:+49*", "tel:+4930123", true],
  [HOOK, "https://hooks.slack.example/services/t0acme/b1/tok?x=a%2fb", true],
  [TENANT, "https://hooks.slack.example/services/t0acme/b1/tok", true],
  ["https://api.example/*/acme", "https://api.example/x/acme", true],
  ["https://*", "https://evil.example/a?b#c", true],
  ["*", "https://evil.example/a?b#c", true],
  ["*", "-1001234567890", true],
  ["https://acme.example:8443/*", "https://acme.example:8443/x", true],
  ["https://*.acme.example:8443/hook", "https://x.acme.example:8443/hook", true],
  ["@*:acme.example:8448", "@ada:acme.example:8448", true],
  // The sender of a URL chooses its path, query and user.
  ["*@acme.example", "https://evil.example/@acme.example", "partly"],
  ["*.acme.example", "https://evil.example/x.acme.example", "partly"],
  ["*//hooks.acme.example/*", "https://evil.example//hooks.acme.example/x", "partly"],
  [TENANT, "https://hooks.slack.example/services/t0evil/?x.slack.example/services/t0acme/", "partly"],
  [TENANT, "https://hooks.slack.example/services/t0evil/#.slack.example/services/t0acme/", "partly"],
  ["https://api.example/*/acme", "https://api.example/evil?/acme", "partly"],
  ["https://*.acme.example/*", "https://acme.example@evil.example/.acme.example/", false],
  // Clients resolve these.
  [HOOK, "https://hooks.slack.example/services/t0acme/../t0evil/b1", false],
  [HOOK, "https://hooks.slack.example/services/t0acme/%2e%2e/t0evil/b1", false],
  // curl expands these.
  [HOOK, "https://hooks.slack.example/services/t0acme/{..}/t0evil/b1", false],
  ["/shared/team/*", "/shared/team/../public/x", false],
  // Git, scp and rsync connect to evil.example.
  ["*@acme.example", "evil.example:x@acme.example", false],
  ["*@acme.example", "evil.example::x@acme.example", false],
  ["*@acme.example:*", "evil.example:x@acme.example:repo", false],
  ["*.acme.example", "evil.example:x.acme.example", "partly"],
  ["*:acme.example", "evil.example:acme.example", "partly"],
  // A rule for names or numbers is none for addresses.
  ["team-*", "team-x@evil.example", "partly"],
  ["+49*", "+49x@evil.example", "partly"],
  ["#team-*", "#team-x:evil.example", "partly"],
  // Who may receive less is meant in longer texts too.
  ["*@rival.example", "eve@rival.example:25", "partly"],
  ["eve@rival.example", "eve@rival.example:25", "partly"],
  ["https://*.rival.example/*", "https://x.rival.example?a", "partly"],
  ["https://*.rival.example/*", "https://x.rival.example:8443/a", "partly"],
  ["https://*.rival.example/*", "https://x.rival.example", "partly"],
  ["https://rival.example/*", "http://rival.example/x", "partly"],
  ["https://rival.example/*", "rival.example/x", "partly"],
  ["rival.example", "https://rival.example/x", "partly"],
  ["rival.example", "ssh://git@rival.example/a", "partly"],
  ["rival.example", "eve@rival.example", "partly"],
  ["https://rival.example/*", "git@rival.example:a/b", "partly"],
  ["https://rival.example:8443/*", "http://rival.example:8443/x", "partly"],
  ["*@rival.example", "rival.example:x", "partly"],
  ["*.rival.example", "x.rival.example/a", "partly"],
  ["*.rival.example", "x.rival.example:25", "partly"],
  ["*@rival.example", "ada@acme.example", false],
  ["eve@mail.example", "ada@mail.example", false],
  ["eve@mail.example", "https://mail.example/x", false],
])("%s means %s: %j (X2-readers)", (key, text, expected) => {
  expect(recipientMatcher(text)(toPattern(key))).toBe(expected);
});

it.each([
  "",
  "a@x.example,b@x.example",
  "<eve@evil.example>x@acme.example",
  "eve@rival.example.",
  "eve@r\uff49val.example",
  "eve\uff20evil.example\uff0cx@acme.example",
  "eve@rival\u3002example",
  "eve@ri\u034fval.example",
  "eve@xn--rval-vpa.example",
  "x.rival.example.",
  "@eve:rival.example.",
  "eve@rival.example/phone",
  "eve/x@rival.example",
  "mailto:eve@rival.example?subject=hi",
  "https:rival.example/a",
  "https:/rival.example/a",
  "https:///rival.example/a",
  "//rival.example/a",
  "https://x@rival.example/",
  "https://%72ival.example/",
  "https://x.example/%65vil/a",
  "./team",
  "-oproxycommand=x@acme.example",
  "ssh://-oproxycommand=x@acme.example/y",
  "evil.example!eve@acme.example",
  "eve%bank.example@acme.example",
  "rival.example!eve",
  "ri%c2%adval.example/x",
  "https://.acme.example/",
  "https://hooks.example/a/%c0%ae%c0%ae/b",
  "https://2130706433/x",
  "https://127.1/x",
  "https://0x7f.0.0.1/x",
  "https://0177.0.0.1/x",
  `x@acme.example${"x".repeat(1000)}`,
])("no pattern matches what programs read in several ways: %s (X2-readers)", (text) => {
  expect(isRecipient(text)).toBe(false);
  expect(isRecipient("https://127.0.0.1:80/x") && isRecipient("ssh://git@10.0.0.7/x")).toBe(true);
  expect(recipientMatcher(text)(toPattern("*"))).toBe(false);
  expect(recipientMatcher(text)(toPattern(text))).toBe(true);
});

it("takes time that grows as the text does (X4)", () => {
  const patterns = Array.from({ length: 50 }, (_, at) => toPattern(`*a*a@*a.d${at}.example`));
  const texts = ["a".repeat(1000), `${"a:".repeat(499)}b`, `a@${"a.".repeat(498)}a`];
  const begun = performance.now();
  expect(recipientMatcher("ev*@acme.example")(toPattern("*@acme.example"))).toBe(false);
  expect(recipientMatcher("*@acme.example")(toPattern("*@acme.example"))).toBe(false);
  for (const text of texts) for (const pattern of patterns) recipientMatcher(text)(pattern);
  for (const unit of ["a", "xn-", "%", ".", ":", "@"]) isRecipient(unit.repeat(1_000_000));
  expect(performance.now() - begun).toBeLessThan(2000);
});
