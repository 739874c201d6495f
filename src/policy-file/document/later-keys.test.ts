import { describe, expect, test } from "vitest";
import { problemsOf } from "../testing/problems-of.ts";

const CASES: readonly { title: string; text: string; lines: readonly string[] }[] = [
  {
    title: "refuses top-level keys that come later",
    text: `version: 1
recipients: { "*": public }
rules: []
endorsement: strict
limits: {}
`,
    lines: [
      "p.yaml:2:1: `recipients` is known, but this version doesn't enforce it yet. Remove it: what is written here must hold.",
      "p.yaml:3:1: `rules` is known, but this version doesn't enforce it yet. Remove it: what is written here must hold.",
      "p.yaml:4:1: `endorsement` is known, but this version doesn't enforce it yet. Remove it: what is written here must hold.",
      "p.yaml:5:1: `limits` is known, but this version doesn't enforce it yet. Remove it: what is written here must hold.",
    ],
  },
  {
    title: "refuses a tool's keys that come later",
    text: `version: 1
tools:
  pay:
    permissions: [write]
    critical: [to]
    payload: [body]
    requires: [ticket.approved]
    effects: [paid]
    once: true
    approvers: 2
    endorsement: strict
`,
    lines: [
      "p.yaml:5:5: `critical` is known, but this version doesn't enforce it yet. Remove it: what is written here must hold.",
      "p.yaml:6:5: `payload` is known, but this version doesn't enforce it yet. Remove it: what is written here must hold.",
      "p.yaml:7:5: `requires` is known, but this version doesn't enforce it yet. Remove it: what is written here must hold.",
      "p.yaml:8:5: `effects` is known, but this version doesn't enforce it yet. Remove it: what is written here must hold.",
      "p.yaml:9:5: `once` is known, but this version doesn't enforce it yet. Remove it: what is written here must hold.",
      "p.yaml:10:5: `approvers` is known, but this version doesn't enforce it yet. Remove it: what is written here must hold.",
      "p.yaml:11:5: `endorsement` is known, but this version doesn't enforce it yet. Remove it: what is written here must hold.",
    ],
  },
  {
    title: "refuses a sink by recipient without asking for its level",
    text: `version: 1
servers:
  mail:
    command: node
    tools:
      send: { permissions: [connect], sink: { to: args.to } }
      post: { permissions: [connect], sink: [{ to: args.to }, public] }
`,
    lines: [
      "p.yaml:6:47: `to` is known, but this version doesn't enforce it yet. Remove it: what is written here must hold.",
      "p.yaml:7:48: `to` is known, but this version doesn't enforce it yet. Remove it: what is written here must hold.",
    ],
  },
  {
    title: "refuses readers of a category and endorsement in a role",
    text: `version: 1
categories:
  hr: { readers: ["*@hr.example"] }
roles:
  clerk: { endorsement: strict }
`,
    lines: [
      "p.yaml:3:9: `readers` is known, but this version doesn't enforce it yet. Remove it: what is written here must hold.",
      "p.yaml:5:12: `endorsement` is known, but this version doesn't enforce it yet. Remove it: what is written here must hold.",
    ],
  },
  {
    title: "refuses more than one approver wherever it may stand",
    text: `version: 1
approvals: { approvers: 2 }
workspace: { root: ., tools: { Write: { approvers: 2 } } }
`,
    lines: [
      "p.yaml:2:14: `approvers` is known, but this version doesn't enforce it yet. Remove it: what is written here must hold.",
      "p.yaml:3:41: `approvers` is known, but this version doesn't enforce it yet. Remove it: what is written here must hold.",
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
      "p.yaml:2:1: Unknown key `critical`. A policy file takes `version`, `levels`, `trust`, `categories`, `servers`, `tools`, `workspace`, `databases`, `apis`, `include`, `detectors`, `roles`, `policy`, `approvals` and `unclassified`.",
      "p.yaml:4:37: Unknown key `rules`. A tool takes `permissions`, `source`, `sink`, `tags`, `approval`, `on_violation`, `is_internal_source` and `is_external`.",
    ],
  },
];

describe("keys that a later version enforces", () => {
  test.each(CASES)("$title", ({ text, lines }) => {
    expect(problemsOf(text)).toEqual(lines);
  });
});
