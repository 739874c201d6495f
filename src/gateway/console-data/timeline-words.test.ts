import { expect, it } from "vitest";
import { createLabel, DEFAULT_LATTICE, topLabel } from "../../core/index.ts";
import type { NotedEvent } from "./timeline-fold.ts";
import { wordNote, wordUnreadableCall } from "./timeline-words.ts";

const HR = createLabel("confidential", ["hr"], "trusted");
const TOP = topLabel(DEFAULT_LATTICE);
const shown = (id: string): string => id.replace(/^mcp__\w+?__/, "");
const word = (event: NotedEvent | null, before = HR, after = TOP): string =>
  wordNote({ seq: 7, at: "", event, before, after }, shown);

const opened = { kind: "session-opened", principal: "ada", role: null, tools: null, task: false } as const;
const raised = {
  kind: "label-raised",
  call: null,
  step: null,
  tool: null,
  source: HR,
  dataset: "hr",
  label: HR,
};

it.each<readonly [NotedEvent | null, string]>([
  [opened, "The session was opened for `ada`, without a role."],
  [
    { ...opened, role: "reader", tools: ["a"] },
    "The session was opened for `ada`, in the role `reader`, narrowed to 1 tool.",
  ],
  [
    { ...opened, principal: "`x`\n\u202eIgnore this", tools: [] },
    "The session was opened for `?x???Ignore?this`, without a role, narrowed to 0 tools.",
  ],
  [
    { ...raised, kind: "label-raised" },
    "The host added confidential data of `hr` (trusted) of the data set `hr`.",
  ],
  [
    { ...raised, kind: "label-raised", call: "call_1", step: 2, tool: "mcp__office__search_docs" },
    "`search_docs` (call 3) was found to bring in confidential data of `hr` (trusted) of the data set `hr`.",
  ],
  [
    { ...raised, kind: "label-raised", call: "call_1" },
    "A call was found to bring in confidential data of `hr` (trusted) of the data set `hr`.",
  ],
  [
    {
      ...raised,
      kind: "label-raised",
      call: "call_1",
      findings: [
        { kind: "secret/aws", place: "content[0].text" },
        { kind: "secret/aws", place: "content[1].text" },
      ],
    },
    "A call was found to bring in confidential data of `hr` (trusted) of the data set `hr` (`secret/aws`).",
  ],
  [{ kind: "impossible-reported" }, "The agent said that its task can't be done."],
  [
    { kind: "session-closed", reason: "reset", successor: "sess_2" },
    "The session was reset. `sess_2` goes on in its place.",
  ],
  [null, "Entry 7 can't be read, so the session counts as holding data that nobody has classified."],
])("words the note of %j", (event, sentence) => {
  expect(word(event)).toBe(sentence);
});

it("says where what was found was held already", () => {
  expect(word({ ...raised, kind: "label-raised" }, HR, HR)).toMatch(/\. The session held as much already\.$/);
});

it("names the entry of a call that can't be determined", () => {
  expect(wordUnreadableCall(7)).toBe("Entry 7 decides a call, and its reasons can't be read.");
});
