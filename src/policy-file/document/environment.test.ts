import { describe, expect, test } from "vitest";
import { SluicegateError } from "../../errors/index.ts";
import { parseNow } from "../testing/parse-now.ts";
import { problemsOf, warningsOf } from "../testing/problems-of.ts";

const transportOf = (server: string, environment: Record<string, string | undefined>) =>
  parseNow(`version: 1\nservers:\n  s: ${server}\n`, { file: "/etc/p.yaml", environment }).servers.get("s")
    ?.transport;

const WRONG = `version: 1
servers:
  web: { url: "\${SECRET}", headers: { a: "\${MULTILINE}" } }
  mail: { command: "\${EMPTY}" }
levels: [public, "\${SECRET}", "\${SECRET}"]
categories: { hr: }
tools:
  search: { permissions: [read], source: "\${NEAR}", approval: "\${SECRET}" }
  find: { permissions: ["\${SECRET}"], source: { level: publik, categories: ["\${SECRET}"], trust: "\${SECRET}" } }
roles:
  clerk: { tools: ["\${SECRET}"] }
`;

describe("variables in a policy file", () => {
  test("are filled in in every value and in no key", () => {
    const server = `{ command: "\${BIN}", args: ["--\${A}-\${B}"], env: { "\${A}": "\${B}" }, cwd: "\${DIR}" }`;
    expect(transportOf(server, { BIN: "node", A: "x", B: "", DIR: "work" })).toEqual({
      kind: "stdio",
      command: "node",
      args: ["--x-"],
      env: Object.fromEntries([[`\${A}`, ""]]),
      cwd: "/etc/work",
    });
  });

  test("can be written without being filled in", () => {
    const server = `{ command: node, args: ["$\${A}", "$A", "$$A", "a$", "$$\${A}", "$$$\${A}"] }`;
    expect(transportOf(server, { A: "x" })).toMatchObject({
      args: [`\${A}`, "$A", "$$A", "a$", `$\${A}`, `$$\${A}`],
    });
  });

  test("are filled in once: what a variable holds is taken as it is", () => {
    const server = `{ url: "http://localhost", headers: { a: "\${A}" } }`;
    const held = `\${B} *x {y: $&}`;
    expect(transportOf(server, { A: held, B: "no" })).toMatchObject({ headers: { a: held } });
  });

  test("that are not set are named at their value, once each", () => {
    const text = `version: 1
servers:
  web:
    url: "\${WEB_URL}"
    headers: { authorization: "Bearer \${WEB_TOKEN}", x: "\${oops", y: "\${A-B}", z: "\${constructor}" }
tools:
  search: { permissions: [read], source: "\${LEVEL}" }
`;
    const malformed = `A \`\${\` is not followed by the name of a variable and \`}\`. Write it as \`\${NAME}\`, or \`$\${\` for a plain \`\${\`.`;
    expect(problemsOf(text, { LEVEL: undefined })).toEqual([
      "p.yaml:4:10: The variable `WEB_URL` is not set. Set it in the environment of this command, or in the env file beside the policy.",
      "p.yaml:5:31: The variable `WEB_TOKEN` is not set. Set it in the environment of this command, or in the env file beside the policy.",
      `p.yaml:5:57: ${malformed}`,
      `p.yaml:5:70: ${malformed}`,
      "p.yaml:5:83: The variable `constructor` is not set. Set it in the environment of this command, or in the env file beside the policy.",
      "p.yaml:7:42: The variable `LEVEL` is not set. Set it in the environment of this command, or in the env file beside the policy.",
    ]);
  });

  test("are quoted as they are written, whatever is wrong with what they hold", () => {
    const environment = { SECRET: "hunter2", NEAR: "publicc", MULTILINE: "hunter2\nb", EMPTY: "" };
    expect(problemsOf(WRONG, environment)).toEqual([
      "p.yaml:3:15: `url` is not an address that begins with `http://` or `https://`.",
      "p.yaml:3:42: The value of the header `a` holds a character that headers can't carry. Look for a line break or a letter outside Latin-1.",
      "p.yaml:4:20: `command` must not be empty.",
      `p.yaml:5:31: \`\${SECRET}\` stands twice in \`levels\`. Its place would be in doubt: keep one.`,
      `p.yaml:8:42: Unknown level \`\${NEAR}\`. The levels are \`public\` and \`\${SECRET}\`.`,
      "p.yaml:8:63: The condition in `approval` can't be used with what its variables hold. Try it with the values written out.",
      `p.yaml:9:25: \`permissions\` takes \`read\`, \`write\` or \`connect\`, not \`\${SECRET}\`.`,
      "p.yaml:9:56: Unknown level `publik`; did you mean `public`?",
      `p.yaml:9:77: Unknown category \`\${SECRET}\`. The categories are \`hr\`.`,
      `p.yaml:9:98: Unknown trust level \`\${SECRET}\`. The trust levels are \`untrusted\` and \`trusted\`.`,
      `p.yaml:11:20: There is no tool \`\${SECRET}\`. Declare it under \`tools\`, or use one of \`search\`, \`find\`, \`mcp__web__*\`, \`mcp__mail__*\`, \`Read\`, \`Write\`, \`Edit\`, \`Bash\`, \`Glob\`, \`Grep\`, \`NotebookEdit\`, \`WebFetch\` and 4 more.`,
    ]);
  });

  test("leave no trace of what they hold in an error", () => {
    const environment = { SECRET: "hunter2", NEAR: "hunter2", MULTILINE: "hunter2\n", EMPTY: "" };
    let caught: unknown;
    try {
      parseNow(WRONG, { file: "p.yaml", environment });
    } catch (error) {
      caught = error;
    }
    if (!SluicegateError.isInstance(caught)) throw new Error("expected a refusal");
    const { message, why, fix, details, stack, cause } = caught;
    expect(JSON.stringify([message, why, fix, details, stack, cause])).not.toContain("hunter2");
  });

  test("leave no trace of what they hold in a warning", () => {
    const text = `version: 1
levels: ["\${SECRET}", high]
tools:
  a: { permissions: [connect] }
  b: { permissions: [connect], tags: ["\${SECRET}"] }
policy: { require_tags: ["\${SECRET}"], denied_tools: ["\${SECRET}"] }
`;
    expect(warningsOf(text, { SECRET: "hunter2" })).toEqual([
      `p.yaml:4:3: Nobody can call \`a\`: it lacks the tag \`\${SECRET}\`, which \`policy\` requires.`,
      `p.yaml:5:3: \`b\` reaches outside and has no \`sink\`, so only \`\${SECRET}\` data may go there. Say so with \`sink: \${SECRET}\`, or name the highest level that may be sent.`,
      `p.yaml:6:55: \`\${SECRET}\` in \`denied_tools\` isn't a tool of this policy.`,
    ]);
  });
});
