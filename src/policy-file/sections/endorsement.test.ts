import { describe, expect, it } from "vitest";
import { parseFiles } from "../testing/parse-files.ts";
import { problemsOf, warningsOf } from "../testing/problems-of.ts";

const TEXT = `version: 1
endorsement: strict
named: internal
evidence: [own, lookup, own-ids, member]
categories:
  hr: { readers: ["*@hr.acme.example", "group:team"] }
groups:
  team:    { file: team.txt }
  channel: { tool: mcp__chat__list_members, items: "members[].email" }
recipients:
  "group:team": confidential
  "*@acme.example": internal
  "*": { trust: untrusted }
servers:
  chat: { command: node, tools: { list_members: { permissions: [read], source: internal } } }
  mail:
    command: node
    tools:
      send_email: { permissions: [connect], sink: { to: [args.to, args.cc] }, critical: [to, cc], payload: [subject, body] }
      star: { permissions: [write], critical: [args.id], destructive: false }
`;

describe("what a policy file says of the user's word", () => {
  it("comes to rules, groups from files and what each recipient may receive (X1-policy, X4, X2-readers)", async () => {
    const { policy } = await parseFiles({ "p.yaml": TEXT, "team.txt": "# the team\nBo@acme.example\n\n" });
    const { isStrict, named, evidence, groups, memberTools, recipients, readers } = policy.endorsement;
    expect([isStrict, named, [...evidence]]).toEqual([
      true,
      "internal",
      ["own", "lookup", "own-ids", "member"],
    ]);
    expect([...(groups.get("team") ?? [])]).toEqual(["bo@acme.example"]);
    expect(memberTools.get("mcp__chat__list_members")).toMatchObject([{ group: "channel" }]);
    expect(recipients.map(({ pattern, clearance }) => [pattern.key, clearance.level])).toEqual([
      ["group:team", "confidential"],
      ["*@acme.example", "internal"],
      ["*", "public"],
    ]);
    expect(readers.get("hr")?.map(({ key }) => key)).toEqual(["*@hr.acme.example", "group:team"]);
    expect(policy.tools.get("mcp__mail__send_email")).toMatchObject({
      to: ["to", "cc"],
      critical: ["to", "cc"],
      payload: ["subject", "body"],
    });
    expect(policy.tools.get("mcp__mail__star")).toMatchObject({ critical: ["id"], isDestructive: false });
  });

  it("changes the policy's version with a group's file", async () => {
    const versions = await Promise.all(
      ["bo@acme.example", "eve@evil.example"].map(
        async (member) => (await parseFiles({ "p.yaml": TEXT, "team.txt": member })).policy.version,
      ),
    );
    expect(new Set(versions).size).toBe(2);
  });

  it.each([
    ["an unknown level", "named: interal", "Unknown level `interal`; did you mean `internal`?"],
    ["a group that isn't there", 'recipients: { "group:tam": internal }', "Unknown group `group:tam`."],
    ["a group without members", "groups: { team: {} }", "The group `team` names no members."],
    ["other evidence", "evidence: [mail-domain]", "mail-domain"],
  ])("is refused with %s (X1-policy)", (_, line, message) => {
    expect(problemsOf(`version: 1\n${line}\n`).join("\n")).toContain(message);
  });

  it("warns of effects that nobody asks about, and of readers that are nobody (X4)", () => {
    const text = `version: 1
categories: { hr: { readers: [] } }
tools:
  send: { permissions: [connect], sink: { to: to }, critical: [to], payload: [to] }
  remove: { permissions: [write], sink: public }
`;
    expect(warningsOf(text).map((line) => line.replace(/^p.yaml:\d+:\d+: /, ""))).toEqual([
      "Nobody is among the readers of `hr`. Name at least one, or leave the key out.",
      "`to` of `send` is critical and payload; it is taken as critical. Keep one of the two.",
      "`remove` has an effect and names no `critical` argument, so nobody asks for the user's word before it runs. Name its critical arguments, or write `endorsement: strict`.",
    ]);
  });

  it("warns of recipients that no call can have (X2-readers)", () => {
    const text = `version: 1
categories: { hr: { readers: ["cfo@acme.example", "a@b.example, c@b.example"] } }
recipients: { "Ada <ada@acme.example>": internal, "*@acme.example": internal, "board room": internal, "* @acme.example": internal, "x@*@y": internal, "*@ä.example": internal, "ä@ä.example": internal }
tools:
  send: { permissions: [connect], sink: { to: to }, critical: [to] }
`;
    const message = (key: string) =>
      `No recipient can be \`${key}\`: each is one address, without a name or spaces.`;
    expect(warningsOf(text)).toEqual([
      expect.stringContaining(message("a@b.example, c@b.example")),
      expect.stringContaining(message("Ada <ada@acme.example>")),
      expect.stringContaining(message("* @acme.example")),
      expect.stringContaining(message("x@*@y")),
      expect.stringContaining(message("*@ä.example")),
    ]);
    expect(warningsOf("version: 1\nrecipients: { '*@acme.example': internal }\n")).toEqual([
      expect.stringContaining("No tool names its recipients, so what `recipients` says never applies."),
    ]);
  });

  it("warns of a group that nobody is in (X2-readers)", async () => {
    const text = `version: 1
groups: { team: { file: team.txt } }
recipients: { "group:team": internal }
tools: { send: { permissions: [connect], sink: { to: to }, critical: [to] } }
`;
    const { warnings } = await parseFiles({ "p.yaml": text, "team.txt": "# nobody yet" });
    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining("Nobody is in the group `team`."),
    ]);
  });
});
