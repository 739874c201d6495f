import { describe, expect, it } from "vitest";
import { beginsLike, isVisibleAscii, skeleton } from "./skeleton.ts";

const alike = (left: string, right: string): boolean => skeleton(left) === skeleton(right);

describe("two names look alike", () => {
  it.each([
    ["in case", "send_email", "Send_Email"],
    ["in how their words are joined", "send_email", "send-email"],
    ["in how often", "send_email", "send__email"],
    ["in whether they are joined by a sign or by case", "send_email", "sendEmail"],
    ["in a sign at the end", "send_email", "send_email."],
    ["in l and 1", "list_all", "1ist_a11"],
    ["in l and a capital i", "list_all", "Iist_aII"],
    ["in i and l", "write_file", "wrlte_flle"],
    ["in o and 0", "move_to", "m0ve_t0"],
    ["in m and rn", "rename", "renarne"],
    ["in m and rn with a sign between", "rename", "renar_ne"],
    ["in w and vv", "write", "vvrite"],
    ["in all of it at once", "send__all_mail", "5end-A11_rnail".replace("5", "s")],
  ])("if they differ %s only: %s and %s (X12-pins)", (_, left, right) => {
    expect(alike(left, right)).toBe(true);
  });

  it.each([
    ["search", "research"],
    ["send", "sends"],
    ["read_file", "read_files"],
    ["list", "lists"],
    ["a", "b"],
    ["_", "-"],
    ["*", "**"],
    ["query2", "query3"],
    ["", "_"],
  ])("only then: %j and %j don't", (left, right) => {
    expect(alike(left, right)).toBe(false);
  });

  it.each([
    ["another script's letter", "s\u0435nd"],
    ["a full-width letter", "\uff53end"],
    ["an accent", "s\u00e9nd"],
    ["a mark of direction", "send\u202e"],
    ["a character without width", "se\u200bnd"],
    ["a space", "send "],
    ["a lone half of a character", "send\ud800"],
  ])("to the table in visible ASCII alone, and %s is none", (_, odd) => {
    expect([isVisibleAscii(odd), skeleton(odd)]).toEqual([false, odd]);
  });
});

it.each([
  ["sluicegate_manifest", true],
  ["Sluicegate-manifest", true],
  ["s1uicegate__x", true],
  ["sluicegate.", true],
  ["sluicegates_x", false],
  ["sluicegate", false],
  ["my_sluicegate_x", false],
  ["sluicegate_\u0435", false],
])("tells that %s begins like `sluicegate_`: %s", (name, expected) => {
  expect(beginsLike(name, "sluicegate_")).toBe(expected);
});

it("takes no longer for a name than the name is long", () => {
  expect(skeleton("rn".repeat(100_000))).toHaveLength(100_000);
});
