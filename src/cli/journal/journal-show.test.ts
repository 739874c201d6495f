import { join } from "node:path";
import { expect, it } from "vitest";
import { isHarmless, sluicegate } from "../cli.test-kit.ts";
import { CALLS, createRecord, HOSTILE } from "./journal.test-kit.ts";

it("lists the sessions of the store beside the policy, each with the label that it has", async () => {
  using record = await createRecord(CALLS);
  const [words, json] = await Promise.all([
    sluicegate(["journal", "show"], { cwd: record.path }),
    sluicegate(["journal", "show", "--json", "--config", join(record.path, "any.yaml")]),
  ]);
  expect(words).toMatchObject({ status: 0, err: "" });
  const [titles, first, second] = words.out.split("\n");
  expect(titles).toMatch(/^session +opened +principal +role +entries +label$/);
  expect(first).toMatch(
    new RegExp(`^${record.session} {2}\\S+Z {2}ada\\\\u\\{202e\\} +- +5 +internal, untrusted$`),
  );
  expect(second).toMatch(/ bob +analyst +1 +nothing called yet$/);
  const label = { level: "internal", categories: [], trust: "untrusted" };
  expect(json.json()).toEqual({
    sessions: [
      {
        session_id: record.session,
        opened_at: expect.any(String),
        principal: "ada\u202e",
        role: null,
        entries: 5,
        label,
      },
      expect.objectContaining({ principal: "bob", role: "analyst", entries: 1, label: null }),
    ],
  });
});

it("shows a session as a timeline, with hostile names made visible", async () => {
  using record = await createRecord(CALLS);
  const show = ["journal", "show", record.session];
  const [words, json] = await Promise.all([
    sluicegate(show, { cwd: record.path }),
    sluicegate([...show, "--json", "--store", `sqlite:${join(record.path, ".sluicegate/sluicegate.db")}`]),
  ]);
  expect(words).toMatchObject({ status: 0, err: "" });
  expect(words.out).toMatch(/ 1 +\S+Z +session-opened +by ada\\u\{202e\}\n/);
  expect(words.out).toMatch(/ 2 +\S+Z +call-admitted +search_email +internal, untrusted\n/);
  expect(words.out).toMatch(
    / 3 +\S+Z +call-refused +web_search .* flow-blocked: search_email \(call 1\) came before\n/,
  );
  expect(words.out).toMatch(
    / 4 +\S+Z +approval-requested +wire_transfer .* appr_\S+\n +approval-required: always\n/,
  );
  expect(words.out).toMatch(
    / 5 +\S+Z +call-refused +evil\\u\{1b\}\[2K\\u\{202e\}txt\\u\{a\}whole .* unknown-tool\n/,
  );
  expect(isHarmless(words.out + json.out)).toBe(true);
  expect(json.json()).toMatchObject({
    session_id: record.session,
    events: [
      { seq: 1, kind: "session-opened", prev: "0".repeat(64), hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
      { seq: 2, kind: "call-admitted" },
      { seq: 3, kind: "call-refused" },
      { seq: 4, kind: "approval-requested" },
      { seq: 5, kind: "call-refused", data: { tool: HOSTILE } },
    ],
  });
});
