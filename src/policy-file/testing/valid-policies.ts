/** For the tests of this folder: policy files that must be accepted, by the parser and by the JSON Schema. */

/** The policy file of the specification, with the keys that this version enforces. */
export const EXAMPLE = `version: 1
levels: [public, internal, confidential, secret]   # lowest first; this is the default
trust:  [untrusted, trusted]
categories:
  hr:
  legal: {}

servers:                                    # upstream MCP servers
  mail:
    command: node
    args: [mail-server.ts]
    env: { MAILBOX: inbox.mbox }
    cwd: .
    source: internal                        # for what comes outside a tool: resources, prompts, notices
    tools:
      search_email: { permissions: [read], source: { level: internal, trust: untrusted } }
      send_email:
        permissions: [connect]
        sink: [public, { level: confidential, categories: [hr], trust: trusted }]
  web:
    url: "http://127.0.0.1:9100/mcp"
    headers: { authorization: "Bearer \${WEB_TOKEN}" }
    tools:
      web_search: { permissions: [connect], source: { level: public, trust: untrusted }, sink: public }

tools:                                      # tools that the agent runs itself
  search_docs:      { permissions: [read],    source: internal }
  slack_post:       { permissions: [connect], sink: public }
  github_create_pr: { permissions: [write, connect], sink: internal }
  wire_transfer:    { permissions: [write], approval: always, tags: [money] }

roles:
  reviewer: { tools: [Read, Glob, Grep], permissions: [read] }
  clerk: { allowed_tools: ["*"], denied_tools: [wire_transfer], require_tags: [] }

policy: { denied_tools: ["mcp__*__delete_*"], require_tags: [] }
unclassified: withhold
`;

export const VALID_POLICIES: readonly { readonly title: string; readonly text: string }[] = [
  { title: "the specification's example", text: EXAMPLE },
  { title: "a version and nothing else", text: "version: 1\n" },
  {
    title: "empty maps and lists",
    text: "version: 1\ncategories: {}\nservers: {}\ntools: {}\nroles: { r: {} }\npolicy: {}\n",
  },
  {
    title: "the seed's flags",
    text: `version: 1
tools:
  inbox: { is_internal_source: true }
  post: { is_external: true }
  both: { is_internal_source: true, is_external: true, source: secret, sink: internal, permissions: [write] }
  neither: { is_internal_source: false, is_external: false, permissions: [] }
`,
  },
  {
    title: "approvals, a workspace and conditions",
    text: `version: 1
approvals: { via: [console, terminal, client], expires: 2h, wait: 30 }
workspace:
  root: .
  source: { level: internal, trust: untrusted }
  tools:
    Read: { approval: never, tags: [files], source: secret }
    write_text_file: { approval: args.content.size() > 1000, on_violation: deny, sink: [internal, secret] }
servers:
  bank: { command: node, tools: { wire: { permissions: [write], approval: "args.amount > 10000 || !has(args.to)" } } }
tools:
  post: { permissions: [connect], sink: public, on_violation: ask, approval: session.level != "public" }
rules:
  - { name: "big payments, at night too", when: 'tool.name == "wire" && args.amount > 10000', effect: ask }
  - name: no shell for strangers
    when: session.trust == "untrusted" && "write" in tool.permissions && args.to.exists(x, x != "a")
    effect: deny
roles:
  fixer: { tools: [Read, Write, post], approval: { Write: never, post: always, "mcp__workspace__*": always }, clearance: internal }
`,
  },
  {
    title: "servers that ask for OAuth",
    text: `version: 1
servers:
  mail: { url: "https://mail.example/mcp", oauth: { for: principal } }
  tickets:
    url: "https://tickets.example/mcp"
    oauth: { for: gateway, issuer: "https://login.example", client_id: a, client_secret: b, scopes: [read] }
  files:
    url: "https://files.example/mcp"
    oauth: { for: principal, issuer: "https://login.example", client_id: a, exchange: true }
`,
  },
  {
    title: "names that other objects inherit",
    text: `version: 1
servers:
  constructor: { command: node, tools: { toString: { permissions: [read] } } }
tools:
  constructor: { permissions: [read] }
  hasOwnProperty: { permissions: [connect], sink: public }
roles:
  valueOf: { tools: [constructor, hasOwnProperty] }
`,
  },
  {
    title: "patterns, aliases and identities at the top",
    text: `version: 1
servers:
  files: { command: node, tools: { "*": { permissions: &all [read, write], source: { categories: [] } } } }
tools:
  mcp__files__list: { permissions: *all, source: {} }
  "mcp__*__peek": { permissions: *all, sink: [internal] }
  "*": { permissions: [read], approval: never }
unclassified: ask
`,
  },
  {
    title: "databases and detectors",
    text: `version: 1
categories: { hr: {} }
databases:
  crm:
    type: sqlite
    path: crm.db
    sensitivity: confidential
    categories: [hr]
    trust: untrusted
    catalog: { level: public }
    columns: { customers.name: internal, "orders.*": { level: public, categories: [hr] } }
    aggregates: { count: public }
    tools: { query: { approval: always, tags: [x], on_violation: ask }, get_row: {} }
    limits: { rows: 10, bytes: 4096, seconds: 5 }
  books: { type: postgresql, host: h, port: "\${PORT}", dbname: b, user: u, password: p, schema: s, tls: true }
  other: { type: postgres, url: "postgres://h/b" }
  constructor: { type: sqlite, dbname: c.db }
detectors: { secrets: secret, personal_data: { categories: [hr] }, limits: { bytes: 4096, milliseconds: 5 } }
roles: { r: { tools: [crm__query, "mcp__books__*"] } }
`,
  },
  {
    title: "approvers who are told",
    text: `version: 1
identities: { principals: { ann: { token: "sha256:${"0".repeat(64)}", rights: [approve] } } }
notify:
  address: https://gate.acme.example
  webhooks:
    slack: { url: "http://127.0.0.1:7400/", secret: "\${SLACK_SECRET}", approvers: [ann, operator], arguments: true }
`,
  },
  { title: "retention", text: "version: 1\nretention: { ended: 90d, action: delete }\n" },
];

/** One whose files are read from somewhere else: the JSON Schema doesn't. */
export const WITH_FILES = `version: 1
include: [dbs.yaml]
apis:
  tickets:
    spec: t.json
    base_url: "https://tickets.example"
    sensitivity: internal
    headers: { authorization: "Bearer x" }
    query: { key: x }
    private_addresses: deny
    only: [getTicket]
    operations: { getTicket: { sensitivity: public, fields: [id], sink: internal, permissions: [read] } }
    limits: { seconds: 5, bytes: 4096 }
  more: { spec_source: t.json, base_url: "http://127.0.0.1" }
`;
