/** The whole story without a terminal: its outline, its end, and that it leaves nothing behind. */
import { expect, it } from "vitest";
import { runDemo } from "./demo.test-kit.ts";

const OUTLINE = [
  /^1 {2}Before it starts/m,
  /search_email +reads inside +shuts web_search, slack_post/,
  /^2 {2}Its first plan fails the check/m,
  /no +`web_search` is blocked after `search_email`/,
  /safe +web_search → search_email → github_create_pr/,
  /^3 {2}In the safe order everything runs/m,
  /allow +web_search: .*session: public\n.*allow +search_email: .*session: internal\n.*allow +github_create_pr/,
  /^4 {2}Some calls wait for a person/m,
  /ask +write_file[\s\S]*tool +mcp__files__write_file[\s\S]*Revenue: [\s\S]*Approve this call\? +yes/,
  /allow +write_file: once answered[\s\S]*ask +write_file: the same call again[\s\S]*deny +write_file: once answered/,
  /^5 {2}Another agent doesn't plan/m,
  /deny +web_search: [\s\S]*Tool `web_search` is blocked in this session\./,
  /^6 {2}A stranger's mail gives the agent orders/m,
  /deny +slack_post: [\s\S]*deny +web_search: verify benchmark/,
  /Nothing arrived outside\./,
  /^7 {2}All of it stands in the journal/m,
  /whole: \d+ sessions, \d+ entries; each is as it was written\./,
  /with one letter changed[\s\S]*broken: /,
];

it("tells its story to the end, plainly, and leaves nothing behind", async () => {
  const begun = performance.now();
  const { status, out, left } = await runDemo();
  // Without a terminal it has no pauses, and no call is held until it times out (50 seconds).
  expect(performance.now() - begun).toBeLessThan(45_000);
  let rest = out;
  for (const part of OUTLINE) {
    const found = part.exec(rest);
    expect(found, `${part} in\n${rest}`).not.toBeNull();
    rest = rest.slice((found?.index ?? 0) + (found?.[0].length ?? 0));
  }
  expect(out).not.toContain("\u001b");
  expect({ status, left }).toEqual({ status: 0, left: [] });
});

it("ends at a signal in the middle, and leaves nothing behind", async () => {
  let sent = false;
  const { status, out, left } = await runDemo({}, (child, said) => {
    if (sent || !said.includes("4  Some calls")) return;
    sent = true;
    child.kill("SIGINT");
  });
  expect(out).toContain("Stopped.");
  expect(out).not.toContain("That is the idea");
  expect({ status, left }).toEqual({ status: 130, left: [] });
});

it("ends with 1 and a reason where the story can't be determined", async () => {
  const { status, out, left } = await runDemo({ PATH: "/nowhere", TMPDIR: "/nowhere" });
  expect(out).toContain("It didn't come out as told: ");
  expect({ status, left }).toEqual({ status: 1, left: [] });
});
