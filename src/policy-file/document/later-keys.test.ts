import { describe, expect, test } from "vitest";
import { problemsOf } from "../testing/problems-of.ts";

const CASES: readonly { title: string; text: string; lines: readonly string[] }[] = [
  {
    title: "refuses top-level keys that come later",
    text: `version: 1
limits: {}
`,
    lines: [
      "p.yaml:2:1: `limits` is known, but this version doesn't enforce it yet. Remove it: what is written here must hold.",
    ],
  },
  {
    title: "refuses a tool's keys that come later",
    text: `version: 1
tools:
  pay:
    permissions: [write]
    requires: [ticket.approved]
    effects: [paid]
    once: true
    approvers: 2
    endorsement: strict
`,
    lines: [
      "p.yaml:5:5: `requires` is known, but this version doesn't enforce it yet. Remove it: what is written here must hold.",
      "p.yaml:6:5: `effects` is known, but this version doesn't enforce it yet. Remove it: what is written here must hold.",
      "p.yaml:7:5: `once` is known, but this version doesn't enforce it yet. Remove it: what is written here must hold.",
      "p.yaml:8:16: It takes 2 people to approve, and those who may are the operator alone. Name more under `identities`, with the right `approve`.",
      "p.yaml:9:5: `endorsement` is known, but this version doesn't enforce it yet. Remove it: what is written here must hold.",
    ],
  },
  {
    title: "refuses endorsement in a role",
    text: `version: 1
roles:
  clerk: { endorsement: strict }
`,
    lines: [
      "p.yaml:3:12: `endorsement` is known, but this version doesn't enforce it yet. Remove it: what is written here must hold.",
    ],
  },
  {
    title: "refuses more than one approver wherever it may stand",
    text: `version: 1
approvals: { approvers: 2 }
workspace: { root: ., tools: { Write: { approvers: 2 } } }
rules: [{ name: a, when: args.x > 1, effect: ask, approvers: 2 }]
`,
    lines: [
      "p.yaml:2:25: It takes 2 people to approve, and those who may are the operator alone. Name more under `identities`, with the right `approve`.",
      "p.yaml:3:52: It takes 2 people to approve, and those who may are the operator alone. Name more under `identities`, with the right `approve`.",
      "p.yaml:4:62: It takes 2 people to approve, and those who may are the operator alone. Name more under `identities`, with the right `approve`.",
    ],
  },
  {
    title: "knows a later key only where it belongs",
    text: `version: 1
critical: [to]
tools:
  databases: { permissions: [read], rules: [] }
`,
    lines: [
      "p.yaml:2:1: Unknown key `critical`. A policy file takes `version`, `levels`, `trust`, `categories`, `servers`, `tools`, `workspace`, `databases`, `apis`, `include`, `detectors`, `roles`, `policy`, `approvals`, `rules`, `endorsement`, `named`, `evidence`, `groups`, `recipients`, `identities`, `notify`, `retention` and `unclassified`.",
      "p.yaml:4:37: Unknown key `rules`. A tool takes `permissions`, `source`, `sink`, `tags`, `approval`, `on_violation`, `approvers`, `critical`, `payload`, `destructive`, `is_internal_source` and `is_external`.",
    ],
  },
];

describe("keys that a later version enforces", () => {
  test.each(CASES)("$title", ({ text, lines }) => {
    expect(problemsOf(text)).toEqual(lines);
  });
});
