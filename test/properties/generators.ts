/**
 * Random policies, sessions, calls and facts for the properties. Everything is drawn from small pools of names,
 * so that names clash, patterns overlap and hostile names turn up in most worlds.
 */
import fc from "fast-check";
import {
  type Approval,
  type ApprovalCondition,
  type AskCause,
  type Asked,
  type Call,
  type ConditionFacts,
  createLattice,
  definePolicy,
  EVIDENCE_KINDS,
  type Evidence,
  type Facts,
  type Frozen,
  type GivenValue,
  type GroupDeclaration,
  InvalidToolError,
  type Label,
  type LabelDeclaration,
  type Lattice,
  PATH_CAUSES,
  PERMISSIONS,
  type Permission,
  type Policy,
  type PolicyDeclaration,
  type RoleDeclaration,
  type RuleDeclaration,
  type ServerDeclaration,
  type SessionEvent,
  type ToolDeclaration,
  type ToolPolicy,
  tighten,
  type Utterance,
  withAllOffered,
} from "../../src/core/index.ts";

/**
 * How many cases each differential test compares. `SLUICEGATE_CASES` is another number: `npm run test:unit` compares
 * fewer, `test:all` more.
 */
export const CASES = Math.max(1, Number(process.env.SLUICEGATE_CASES) || 2000);
/** Whether so many cases meet what is rare, too. */
export const MEETS_RARE = CASES >= 2000;

const SERVERS = ["mail", "web", "a", "constructor"] as const;
const NAMES = [
  "search",
  "send",
  "b",
  "a__b",
  "constructor",
  "__proto__",
  "mcp__web__send",
  // Look-alikes of names here and in `OWN`, and what no server's tool may be called for short.
  "Send",
  "5earch",
  "se-nd",
  "0wn",
  "maiI__send",
  "s\u0435nd",
  "sluicegate_x",
] as const;
const OWN = [
  "search",
  "own",
  "toString",
  "__proto__",
  "mail__search",
  "a__b",
  "mcp____",
  "mcp____b",
  "mcp__x",
] as const;
const PATTERNS = ["*", "s*", "*e*", "a__*", "*__send", "mail__*", "**"] as const;
const ID_PATTERNS = [
  "mcp__mail__*",
  "mcp__*__s*",
  "mcp__w*__*",
  "mcp__*__*",
  "mcp__a__b*",
  "mcp__*",
] as const;
const HOSTILE = ["", "mcp__", "mcp__mail__", "mcp__mail", "mcp____b", "mcp__ghost__send"] as const;
const ROLES = ["reviewer", "constructor", "__proto__"] as const;

/** One of these, each as likely as it is often there. */
export const oneOf = <T>(...values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);

/** Mostly `usual`; once in `times` the other. */
export const seldom = <T, U>(
  times: number,
  rare: fc.Arbitrary<T>,
  usual: fc.Arbitrary<U>,
): fc.Arbitrary<T | U> => fc.oneof({ weight: times - 1, arbitrary: usual }, { weight: 1, arbitrary: rare });

export const maybe = <T>(some: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  seldom(2, fc.constant(undefined), some);

/** Up to so many, long lists as likely as short ones. */
export const upTo = <T>(most: number, some: fc.Arbitrary<T>, least = 0): fc.Arbitrary<T[]> =>
  fc.array(some, { minLength: least, maxLength: most, size: "max" });

/** Leaves out what is undefined. Own properties all, `__proto__` too. */
export const compact = <T>(entries: Readonly<Record<string, unknown>>): T =>
  Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined)) as T;

const IDENTITIES = [...SERVERS, "ghost"].flatMap((server) => NAMES.map((name) => `mcp__${server}__${name}`));
const anyIdentity = seldom(4, oneOf(...OWN), oneOf(...IDENTITIES));

/** Any name a call could give: identities, `server__tool`, short names, and names that mean nothing. */
export const anyName: fc.Arbitrary<string> = fc.oneof(
  { weight: 8, arbitrary: anyIdentity },
  { weight: 5, arbitrary: anyIdentity.map((id) => id.replace(/^mcp__/, "")) },
  { weight: 6, arbitrary: oneOf(...NAMES, ...OWN) },
  { weight: 2, arbitrary: oneOf(...HOSTILE, ...PATTERNS, ...ID_PATTERNS) },
  { weight: 1, arbitrary: fc.string({ maxLength: 6 }) },
);

/** An entry that begins with `mcp__` and could match no tool is refused; it is not drawn. */
export const isEntry = (text: string): boolean =>
  text !== "" && (!text.startsWith("mcp__") || /^mcp__(?!__).+?__./s.test(text));

const anyEntry = fc.oneof(anyName, oneOf(...PATTERNS, ...ID_PATTERNS)).filter(isEntry);

export const anyLattice: fc.Arbitrary<Lattice> = fc
  .tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 3 }))
  .map(([levels, trust]) => ({
    levels: ["l0", "l1", "l2", "l3", "l4"].slice(0, levels),
    trust: ["t0", "t1", "t2"].slice(0, trust),
  }));

/** Something that becomes a value once the lattice is known, so that it needn't be drawn anew for each. */
export type In<T> = (lattice: Lattice) => T;

const CATEGORIES = ["a", "b", "c"] as const;
const anyCategories = seldom(20, oneOf(["*"], ["b", "a", "b"], ["a", "*"]), fc.subarray([...CATEGORIES]));

interface DrawnLabel {
  readonly level: string;
  readonly trust: string;
  readonly categories: readonly string[];
}

/** A whole label; once in a while with a name that no lattice knows, or the level above them all. */
export const anyLabelIn: fc.Arbitrary<In<DrawnLabel>> = fc
  .tuple(fc.nat(19), fc.nat(5), fc.nat(40), anyCategories)
  .map(([level, trust, odd, categories]) => ({ levels, trust: trusts }) => ({
    level: odd === 0 ? "unknown" : odd === 1 ? "*" : `${levels[level % levels.length]}`,
    trust: odd === 2 ? "unknown" : `${trusts[trust % trusts.length]}`,
    categories,
  }));

/** What a store may hold in place of a label. */
const BROKEN: readonly unknown[] = [
  null,
  undefined,
  0,
  "l0",
  [],
  {},
  { level: "l0" },
  { level: "l0", categories: "a", trust: "t0" },
  { level: "l0", categories: [1], trust: "t0" },
  { level: "l0", categories: [], trust: null },
  { level: ["l0"], categories: [], trust: "t0" },
  { level: "__proto__", categories: [], trust: "t0" },
  { level: "l0", categories: [], trust: "constructor" },
];

/** A label as an event carries it. Broken ones have the type by assertion alone: nobody vouches for a store. */
export const anyStoredLabelIn: fc.Arbitrary<In<Label>> = seldom(
  25,
  oneOf(...BROKEN).map((value) => () => value as Label),
  anyLabelIn,
);

/** As a policy names them: an unknown name is refused there. */
export const anyLabelDeclarationIn: fc.Arbitrary<In<LabelDeclaration & { readonly level?: string }>> = fc
  .tuple(anyLabelIn, fc.nat(3), fc.nat(3), fc.nat(3))
  .map(([label, level, trust, categories]) => (lattice) => {
    const whole = label(lattice);
    const isKnown = lattice.trust.includes(whole.trust);
    return compact({
      level: level === 0 ? undefined : whole.level === "unknown" ? "*" : whole.level,
      trust: trust === 0 || !isKnown ? undefined : whole.trust,
      categories: categories === 0 ? undefined : whole.categories,
    });
  });

/** A sink has to name its level. */
export const anySinkIn = anyLabelDeclarationIn.map(
  (declared): In<LabelDeclaration> =>
    (lattice) => ({ level: `${lattice.levels.at(-1)}`, ...declared(lattice) }),
);

export const anyPermissions: fc.Arbitrary<Permission[]> = fc.subarray([...PERMISSIONS]);
const anyTags = fc.subarray(["t", "u"]);

/** A condition as it comes from a policy, or broken. It may be asked about the arguments and about the session. */
const conditionOf = (when: string, holds: (facts: ConditionFacts) => unknown): ApprovalCondition =>
  // It is typed to say yes or no; a broken one says anything.
  ({ when, holds }) as ApprovalCondition;

const CONDITIONS: readonly ApprovalCondition[] = [
  conditionOf("args.n > 1", ({ args }) => {
    if (typeof args.n !== "number") throw new TypeError("no number");
    return args.n > 1;
  }),
  conditionOf("session.level != l0", ({ session: { level } }) => level !== "l0" && level !== "public"),
  conditionOf("session is untrusted or has a role", ({ session: { trust, role, categories } }) =>
    trust === "t0" || role !== null ? categories.length > 0 : false,
  ),
  conditionOf(
    "principal and server",
    ({ session: { principal }, tool: { server } }) => principal === "ada" && server !== "mail",
  ),
  conditionOf("odd answers", ({ args }) => args.n),
];

export const anyApproval: fc.Arbitrary<Approval> = seldom(
  2,
  oneOf(...CONDITIONS),
  oneOf("always" as const, "never" as const),
);
/** Rules by an index, so that no two that differ have one name. Most concern few calls, or nothing would be left. */
const RULES: readonly RuleDeclaration[] = [
  ...CONDITIONS,
  conditionOf("tool.name == send && args.n > 1", ({ tool, args }) => {
    if (tool.name !== "send") return false;
    if (typeof args.n !== "number") throw new TypeError("no number");
    return args.n > 1;
  }),
  conditionOf("a tool of mail with a tag", ({ tool }) => tool.server === "mail" && tool.tags.includes("t")),
  conditionOf(
    "own tools that write",
    ({ tool }) => tool.server === null && tool.permissions.includes("write"),
  ),
].flatMap((when, at) =>
  (["deny", "ask"] as const).map((effect) => ({ name: `${effect} ${at}`, when, effect })),
);

export const anyRules: fc.Arbitrary<readonly RuleDeclaration[] | undefined> = seldom(
  4,
  upTo(3, oneOf(...RULES)),
  fc.constant(undefined),
);

/** Rules that don't look at what the session holds. */
export const anyFixedRules: fc.Arbitrary<readonly RuleDeclaration[] | undefined> = anyRules.map((rules) =>
  rules?.filter(({ when }) => !when.when.includes("session")),
);

const anyViolation = oneOf("ask" as const, "ask" as const, "deny" as const, undefined);

/** Which arguments are critical, payload and recipients. */
const PATHS: readonly Partial<ToolDeclaration>[] = [
  {},
  { critical: ["to"] },
  { critical: ["to", "file"], payload: ["body"], to: ["to"], isDestructive: false },
  { payload: ["body"], to: ["to"] },
  { critical: ["file"], isDestructive: true },
];
const anyPaths = oneOf(...PATHS);

export const anyToolIn: fc.Arbitrary<In<ToolDeclaration>> = fc
  .tuple(
    anyPermissions,
    maybe(anyLabelDeclarationIn),
    maybe(upTo(3, anySinkIn)),
    maybe(anyTags),
    seldom(3, anyApproval, fc.constant(undefined)),
    anyViolation,
    oneOf("least" as const, "most" as const, undefined),
    anyPaths,
  )
  .map(
    ([permissions, source, sink, tags, approval, onViolation, sourceBound, paths]) =>
      (lattice) =>
        compact({
          permissions,
          source: source?.(lattice),
          sourceBound,
          sink: sink?.map((one) => one(lattice)),
          tags,
          approval,
          onViolation,
          ...paths,
        }),
  );

/** Hard limits. Allow lists hold several entries, so that something is left now and then. */
export const anyToolPolicy: fc.Arbitrary<ToolPolicy> = fc
  .tuple(
    seldom(3, upTo(6, anyEntry), fc.constant(undefined)),
    seldom(3, upTo(2, anyEntry), fc.constant(undefined)),
    seldom(5, anyTags, fc.constant(undefined)),
  )
  .map(([allowedTools, deniedTools, requireTags]) => compact({ allowedTools, deniedTools, requireTags }));

const anyRoleApproval: fc.Arbitrary<Readonly<Record<string, "always" | "never">>> = upTo(
  4,
  fc.tuple(anyEntry, oneOf("always" as const, "never" as const)),
).map((entries) => Object.fromEntries(entries));

const anyRole: fc.Arbitrary<RoleDeclaration> = fc
  .tuple(
    maybe(upTo(6, anyEntry)),
    maybe(anyPermissions),
    seldom(3, anyToolPolicy, fc.constant({})),
    maybe(anyRoleApproval),
  )
  .map(([tools, permissions, limits, approval]) => compact({ tools, permissions, ...limits, approval }));

const toolsUnder = (
  keys: fc.Arbitrary<string>,
  most: number,
): fc.Arbitrary<In<Record<string, ToolDeclaration>>> =>
  upTo(most, fc.tuple(keys, anyToolIn)).map(
    (entries) => (lattice) => Object.fromEntries(entries.map(([key, tool]) => [key, tool(lattice)])),
  );

const anyServerKey = seldom(5, oneOf(...PATTERNS), oneOf(...NAMES));

const anyServersIn: fc.Arbitrary<In<Record<string, ServerDeclaration>>> = upTo(
  4,
  fc.tuple(oneOf(...SERVERS), maybe(toolsUnder(anyServerKey, 4))),
).map(
  (entries) => (lattice) =>
    Object.fromEntries(entries.map(([server, tools]) => [server, compact({ tools: tools?.(lattice) })])),
);

const anyTopKey = fc
  .oneof(
    { weight: 4, arbitrary: oneOf(...OWN) },
    { weight: 3, arbitrary: oneOf(...IDENTITIES) },
    { weight: 2, arbitrary: oneOf(...PATTERNS, ...ID_PATTERNS) },
  )
  .filter(isEntry);

const RECIPIENTS = [
  ...["w1", "w2", "*", "w*", "group:team", "group:constructor", "W2"],
  ...["*@w2", "w1@*", "https://w1/*", "w1/*", "*w2", "https://*.w2/*/w1", "*:w2", "w1@w2:*", "#w*"],
];
/** Recipients that some programs read in another way than they seem. */
const UNCLEAR_RECIPIENTS = [
  ...[
    "w1@w2",
    "w1@w2.",
    "{w1}@w2",
    "w1@xn--w2",
    "w1@w3@w2",
    "w1@\u00fc.w2",
    "@w2",
    "w1/w2",
    "#w1:w2",
    "w1:w2",
    "w1:w1@w2",
  ],
  ...["w1@w2:w3", "w1@w2/w3", "w1/../w2", "mailto:w1@w2", "w1@w2?w3", "\uff571", "w1\u3002w2", "", "o'w1@w2"],
  ...["https://w1/w2", "https://w1/@w2", "https:w1/w1@w2", "https://w1.w2?w1@w2", "https://w1@w2/w2"],
  ...[
    "https://w1/%2e%2e/w2",
    "https://w1/a%20b",
    "https://w1.w2/x/w1",
    "https://w1.w2/?x.w2/x/w1",
    "//w1/w2",
  ],
  ...["https://1.2.3.4/w1", "https://1.2/w1", "http://w1/w2", "w1*", "-w1", "#w1", "#w1@w2", "w1/w1"],
  ...["ssh://w1@w2/w3", "https://w1:80/w2", "https://w1", "w1://w2", "w1:/w2"],
];

/** What a policy says of the user's word and of recipients. */
const anyWordRulesIn: fc.Arbitrary<In<Partial<PolicyDeclaration>>> = fc
  .tuple(
    oneOf("strict" as const, "declared" as const, undefined),
    maybe(fc.nat(4)),
    maybe(fc.subarray([...EVIDENCE_KINDS])),
    seldom(
      3,
      oneOf<Readonly<Record<string, GroupDeclaration>>>(
        { team: { members: ["W1"] } },
        { constructor: { members: ["w2"] } },
      ),
      fc.constant(undefined),
    ),
    maybe(upTo(3, fc.tuple(oneOf(...RECIPIENTS), anySinkIn))),
    maybe(upTo(2, fc.tuple(oneOf(...CATEGORIES), fc.subarray([...RECIPIENTS])))),
  )
  .map(
    ([endorsement, named, evidence, groups, recipients, readers]) =>
      (lattice) =>
        ({
          endorsement,
          named: named === undefined ? undefined : lattice.levels[named % lattice.levels.length],
          evidence,
          groups,
          recipients: recipients && Object.fromEntries(recipients.map(([key, sink]) => [key, sink(lattice)])),
          readers: readers && Object.fromEntries(readers),
        }) as Partial<PolicyDeclaration>,
  );

export const anyDeclaration: fc.Arbitrary<PolicyDeclaration> = fc
  .record({
    lattice: anyLattice,
    named: fc.boolean(),
    servers: anyServersIn,
    tools: toolsUnder(anyTopKey, 6),
    roles: upTo(3, fc.tuple(oneOf(...ROLES), anyRole)),
    policy: maybe(anyToolPolicy),
    unclassified: oneOf("ask" as const, "withhold" as const, undefined),
    words: anyWordRulesIn,
    rules: anyRules,
  })
  .map(({ lattice, named, servers, tools, roles, policy, unclassified, words, rules }) => {
    const used = named ? lattice : createLattice();
    const lists = named ? lattice : {};
    const under = servers(used);
    const declaration: PolicyDeclaration = compact({
      ...lists,
      servers: under,
      tools: withoutRepeats(tools(used), under),
      roles: Object.fromEntries(roles),
      policy,
      unclassified,
      rules,
      ...words(used),
    });
    return withKnownTools(declaration);
  });

/** What stands under a server may not stand again at the top, with its whole identity. */
function withoutRepeats(
  tools: Readonly<Record<string, ToolDeclaration>>,
  servers: Readonly<Record<string, ServerDeclaration>>,
): Readonly<Record<string, ToolDeclaration>> {
  const under = Object.entries(servers).flatMap(([server, { tools: own = {} }]) =>
    Object.keys(own).map((name) => `mcp__${server}__${name}`),
  );
  return Object.fromEntries(Object.entries(tools).filter(([key]) => !under.includes(key)));
}

/** A policy's roles may only name tools that something declares (E2): the others are left out of them. */
function withKnownTools(declaration: PolicyDeclaration): PolicyDeclaration {
  try {
    definePolicy(declaration);
    return declaration;
  } catch (error) {
    if (!(error instanceof InvalidToolError)) throw error;
    const { tool } = error.details as { tool: string };
    const roles = Object.entries(declaration.roles ?? {}).map(([name, role]) => {
      const tools = role.tools?.filter((entry) => entry !== tool);
      const says = Object.entries(role.approval ?? {}).filter(([entry]) => entry !== tool);
      const approval = role.approval && Object.fromEntries(says);
      return [name, { ...role, ...(tools && { tools }), ...(approval && { approval }) }];
    });
    return withKnownTools({ ...declaration, roles: Object.fromEntries(roles) });
  }
}

/** A policy as data: its declaration, what servers were found to offer, and what it was tightened with. */
export interface World {
  readonly declaration: PolicyDeclaration;
  readonly offered: ReadonlyMap<string, readonly string[]>;
  readonly limits: readonly ToolPolicy[];
  /** The names of offered tools whose definition has changed, whichever server has them. */
  readonly changed?: readonly string[];
}

const anyOffered = upTo(
  3,
  fc.tuple(
    seldom(12, fc.constant("ghost"), oneOf(...SERVERS)),
    upTo(5, seldom(15, oneOf("*", "_", ""), oneOf(...NAMES))),
  ),
).map((entries) => new Map<string, readonly string[]>(entries));

export const anyWorld: fc.Arbitrary<World> = fc.record({
  declaration: anyDeclaration,
  offered: anyOffered,
  limits: seldom(3, upTo(2, anyToolPolicy, 1), fc.constant([])),
  changed: seldom(2, fc.subarray([...NAMES]), fc.constant([])),
});

/** The policy of a world, as the product builds it. */
export function toPolicy({ declaration, offered, limits, changed = [] }: World): Policy {
  const lists = [...offered].map(([server, tools]) => ({
    server,
    tools,
    changed: tools.filter((tool) => changed.includes(tool)),
  }));
  return limits.reduce(tighten, withAllOffered(definePolicy(declaration), lists));
}

/** The identities in a world whose definition has changed. */
export const changedIn = ({ offered, changed = [] }: World): ReadonlySet<string> =>
  new Set(
    [...offered].flatMap(([server, tools]) =>
      tools.filter((tool) => changed.includes(tool)).map((tool) => `mcp__${server}__${tool}`),
    ),
  );

export const latticeOf = ({ declaration: { levels, trust } }: World): Lattice =>
  createLattice({ ...(levels && { levels }), ...(trust && { trust }) });

/** About half of the identities. */
const anyIdentities: fc.Arbitrary<string[]> = fc
  .nat()
  .map((bits) => [...IDENTITIES, ...OWN].filter((_, index) => (bits >> (index % 31)) & 1));

export const anyOpening: fc.Arbitrary<SessionEvent> = fc
  .tuple(
    seldom(3, oneOf(...ROLES, "gone"), fc.constant(null)),
    seldom(4, anyIdentities, fc.constant(null)),
    seldom(4, upTo(2, anyToolPolicy, 1), fc.constant([])),
    seldom(6, anyPermissions, fc.constant(undefined)),
  )
  .map(([role, tools, limits, permissions]) => ({
    kind: "session-opened",
    principal: "ada",
    role,
    tools,
    task: false,
    ...(limits.length > 0 && { limits }),
    ...(permissions && { permissions }),
  }));

const anyCallId = oneOf("call_1", "call_2", "call_3", "__proto__");
const anyDataset = oneOf("mail", "crm", "__proto__");

const anyApprovalId = oneOf("apr_1", "apr_2", "apr_3");
const anyBinding = seldom(4, fc.constant("b2"), fc.constant("b1"));

/** Words are few, so that what is said and what a call gives are often the same. */
const UTTERANCES: readonly Utterance[] = [[["w1"], ["w2", "w3"], ["w1"]], [["w2"], ["w4"]], [["w3"]], []];
const EVIDENCE: readonly (readonly Evidence[])[] = EVIDENCE_KINDS.flatMap((kind) => [
  [
    { kind, server: "mail", values: ["w1", "w2"], ...(kind === "member" && { group: "team" }) },
    { kind, server: "web", values: ["w3"] },
  ],
  [{ kind, server: null, values: ["w1", "w4"] }],
]);

const anyValue: fc.Arbitrary<GivenValue> = fc
  .tuple(
    oneOf("to", "to[]", "to.x", "file", "body", "total"),
    seldom(3, oneOf(...UNCLEAR_RECIPIENTS), oneOf("w1", "w2", "w3", "w4", "w1 w2", "w1 w3 w1", "w2 w2", "")),
    seldom(6, fc.constant(true as const), fc.constant(undefined)),
    seldom(6, oneOf([["w1"]], [["w5", "w3"]], [["w5"]]), fc.constant(undefined)),
  )
  .map(([path, text, isWeak, links]) =>
    compact({ path, text, words: text === "" ? [] : text.split(" "), whole: text, isWeak, links }),
  );
const anyCredential = anyValue.map((value) => ({ ...value, path: "new_password" }));

const anyValues: fc.Arbitrary<GivenValue[]> = upTo(3, seldom(20, anyCredential, anyValue));

export const anyEventIn: fc.Arbitrary<In<SessionEvent>> = fc
  .tuple(fc.nat(30), anyCallId, anyName, anyStoredLabelIn, anyDataset, anyApprovalId, fc.nat(9))
  .map(([kind, call, tool, stored, dataset, approval, chance]) => (lattice): SessionEvent => {
    const source = stored(lattice);
    const told = { call, tool, arguments: "digest", label: source };
    if (kind < 8) return { ...told, kind: "call-admitted", source, dataset };
    if (kind < 10) return { ...told, kind: "call-admitted", source: null, dataset };
    if (kind < 11) return { ...told, kind: "call-admitted", source: null, dataset, approval };
    if (kind < 14)
      return { kind: "label-raised", call: null, step: null, tool: null, source, dataset, label: source };
    if (kind < 15) return { kind: "call-finished", call, outcome: "ok", evidence: EVIDENCE[chance] ?? [] };
    if (kind < 16) return { ...told, kind: "call-refused", reasons: [] };
    if (kind < 20) {
      const [binding, expires] = [chance < 7 ? "b1" : "b2", chance === 0 ? "" : chance < 4 ? "2" : "9"];
      return { ...told, kind: "approval-requested", reasons: [], approval, binding, expires };
    }
    if (kind < 24) {
      const answer = chance < 7 ? "approved" : "denied";
      return { kind: "approval-answered", approval, call, tool, answer, by: "bo" };
    }
    if (kind < 25) return { kind: "approval-shown", approval, via: "console" };
    if (kind < 26) return { kind: "approval-ended", approval, call, tool, outcome: "cancelled" };
    if (kind < 27) return { kind: "impossible-reported" };
    if (kind < 30) return { kind: "words-said", utterances: UTTERANCES.slice(chance % 4, 4) };
    return { kind: "session-closed", reason: "reset", successor: "sess_2" };
  });

/** No id is given twice: what asks for an approval that was asked for already is left out. */
const withoutRepeatedRequests = (events: readonly SessionEvent[]): readonly SessionEvent[] => {
  const given = new Set<string>();
  return events.filter((event) => {
    if (event.kind !== "approval-requested") return true;
    const isNew = !given.has(event.approval);
    given.add(event.approval);
    return isNew;
  });
};

/** A history: opened, and then anything; now and then a request with its answer stands at its end. */
export const anyHistoryIn: fc.Arbitrary<In<readonly SessionEvent[]>> = fc
  .tuple(
    anyOpening,
    upTo(5, anyEventIn),
    seldom(3, oneOf("approved" as const, "denied" as const), maybe(fc.constant(null))),
  )
  .map(([opening, events, answer]) => (lattice) => {
    const ended = events.map((event) => event(lattice));
    const [id, call, tool] = ["apr_4", "call_4", "own"];
    const label = { level: "l0", categories: [], trust: "t0" };
    const told = { call, tool, arguments: "digest", label, reasons: [], approval: id };
    const request: SessionEvent = { ...told, kind: "approval-requested", binding: "b1", expires: "9" };
    const answered: SessionEvent | null = answer
      ? { kind: "approval-answered", approval: id, call, tool, answer, by: "bo" }
      : null;
    return withoutRepeatedRequests([opening, ...(answered ? [request, answered] : []), ...ended]);
  });

const anyCauses: fc.Arbitrary<AskCause[]> = fc.subarray([...PATH_CAUSES], { maxLength: 3 });

/** What an answer must be bound to, at a moment among those of the histories. */
const anyAsked: fc.Arbitrary<Asked> = fc
  .tuple(anyBinding, oneOf("1", "2", "5"), seldom(3, oneOf("1", "3", "6"), fc.constant(undefined)))
  .map(([binding, at, waitedUntil]) => compact({ binding, at, waitedUntil }));

const anyFrozen: fc.Arbitrary<Frozen> = fc.record({
  session: seldom(
    3,
    oneOf("everything" as const, "principal" as const, "session" as const),
    fc.constant(null),
  ),
  servers: fc.subarray([...SERVERS]).map((ids) => new Set(ids)),
  tools: anyIdentities.map((ids) => new Set(ids)),
});

export const anyFacts: fc.Arbitrary<Facts> = fc
  .tuple(
    seldom(4, anyPermissions, fc.constant(undefined)),
    seldom(
      4,
      anyIdentities.map((ids) => new Set(ids)),
      fc.constant(undefined),
    ),
    seldom(20, fc.constant([{ code: "provider" as const, message: "no answer" }]), oneOf(undefined, [])),
    seldom(5, anyCauses, fc.constant(undefined)),
    seldom(15, fc.constant(true as const), fc.constant(undefined)),
    seldom(15, fc.constant({ argument: "m", near: "n" }), fc.constant(undefined)),
    seldom(15, fc.constant({ server: "mail", link: null }), fc.constant(undefined)),
    seldom(4, fc.constant(undefined), anyAsked),
    seldom(4, fc.constant(undefined), anyValues),
    seldom(10, anyFrozen, fc.constant(undefined)),
  )
  .map(([granted, visible, faults, asks, isProtected, unknownArgument, signIn, asked, values, frozen]) =>
    compact({ granted, visible, faults, asks, isProtected, unknownArgument, signIn, asked, values, frozen }),
  );

export const anyArguments = seldom(
  4,
  fc.constant(undefined),
  oneOf<unknown>(0, 1, 2, true, false, "2", undefined).map((n) =>
    compact<Readonly<Record<string, unknown>>>({ n }),
  ),
);

/** A call at the end of a history. */
export interface Case {
  readonly events: readonly SessionEvent[];
  readonly tool: string;
  readonly arguments: Call["arguments"];
  readonly facts: Facts;
}

/** Every name of a world's tools, so that most calls mean something. */
function namesIn({ declaration, offered }: World): readonly string[] {
  const declared = Object.entries(declaration.servers ?? {}).map(
    ([server, { tools }]) => [server, Object.keys(tools ?? {})] as const,
  );
  const ids = [...declared, ...offered].flatMap(([server, tools]) =>
    tools.map((tool) => `mcp__${server}__${tool}`),
  );
  const all = [...ids, ...Object.keys(declaration.tools ?? {})];
  return [
    ...all,
    ...all.map((id) => id.replace(/^mcp__/, "")),
    ...all.map((id) => id.replace(/^mcp__[^_]*__/, "")),
  ];
}

/** A world with calls to decide in it: `most` of them, and fewer where a failure is narrowed down. */
export const anyCases = (
  most: number,
): fc.Arbitrary<{ readonly world: World; readonly cases: readonly Case[] }> =>
  fc
    .tuple(
      anyWorld,
      upTo(
        most,
        fc.tuple(anyHistoryIn, anyName, fc.nat(), fc.nat(3), anyFacts, anyArguments, maybe(anyLabelIn)),
        1,
      ),
    )
    .map(([world, drawn]) => {
      const lattice = latticeOf(world);
      const names = namesIn(world);
      const cases = drawn.map(([history, name, index, foreign, facts, args, found]) => ({
        events: history(lattice),
        tool: foreign > 0 ? (names[index % names.length] ?? name) : name,
        arguments: args,
        facts: compact<Facts>({ ...facts, source: found?.(lattice) }),
      }));
      return { world, cases };
    });
