import { describe, expect, test } from "vitest";
import { problemsOf } from "../testing/problems-of.ts";

describe("detectors in a policy file", () => {
  test("are refused for keys that they don't have, unknown labels and limits that nothing can hold", () => {
    const text = `version: 1
detectors:
  secret: secret
  secrets: [secret]
  personal_data: { level: confidental, categories: [hr], colour: red }
  limits: { bytes: 5, milliseconds: 1000000, seconds: 1 }
`;
    expect(problemsOf(text)).toEqual([
      "p.yaml:3:3: Unknown key `secret`; did you mean `secrets`?",
      "p.yaml:4:12: `secrets` must be a level's name or a map of `level`, `categories` and `trust`, but it is a list.",
      "p.yaml:5:27: Unknown level `confidental`; did you mean `confidential`?",
      "p.yaml:5:53: Unknown category `hr`. Declare it under `categories`.",
      "p.yaml:5:58: Unknown key `colour`. A label takes `level`, `categories` and `trust`.",
      "p.yaml:6:20: `bytes` can be a whole number from 1024 to 67108864, and `5` is not.",
      "p.yaml:6:37: `milliseconds` can be a whole number from 1 to 60000, and `1000000` is not.",
      "p.yaml:6:46: Unknown key `seconds`. `limits` takes `bytes` and `milliseconds`.",
    ]);
    expect(problemsOf("version: 1\ndetectors: secret\n")).toEqual([
      "p.yaml:2:12: `detectors` must be a map, but it is text.",
    ]);
  });
});
