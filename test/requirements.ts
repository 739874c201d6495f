/**
 * Every requirement, by id. Tests cite ids in their titles, in parentheses at the end: "… (A1, C4)". A
 * requirement whose parts land apart has a suffix per part. `planned`: not built yet, and no test may cite it.
 */
export interface Requirement {
  readonly behavior: string;
  readonly planned?: true;
}

const planned = (behavior: string): Requirement => ({ behavior, planned: true });
const built = (behavior: string): Requirement => ({ behavior });

export const REQUIREMENTS: Readonly<Record<string, Requirement>> = {
  A1: built(
    "A tool declares read, write, connect; a call needs all of them granted, and a refusal names what is missing",
  ),
  A2: built(
    "The granted set may be a function, called at every invocation; wrapping keeps async-ness, name and types",
  ),
  A3: built("resolvePermissions takes connect away while the current session holds private data"),
  A4: built(
    "Session state is the join of what was added; nothing lowers it but a reset, and no raise is lost",
  ),
  A5: built("Databases and APIs declared in YAML with a sensitivity"),
  A6: built("Whatever a sensitive source returns raises the session first"),
  A7: built("A tool that is source and sink may read its own source again"),
  A8: built("Tools can be filtered away or enforced with an explained refusal"),
  A9: built("Hands-on guides with programs that run"),
  B1: built(
    "Tool policy: deny, then allow list, then tags; a removed tool is in no catalogue, lookup or prompt",
  ),
  B2: built("Visibility per run only narrows, may be asynchronous, and fails closed"),
  "B3-library": built("Overlapping runs on one instance are safe, since a run gets an immutable view"),
  "B3-planner": built("Overlapping runs on one planner: none sees or calls another's tools"),
  "B4-process": built("Runs of one session are queued in order in one process; those of others overlap"),
  "B4-nodes": built("Runs of one session are queued in order across processes, by leases with fences"),
  B5: built("fork: a child can't be wider than its parent, and starts with its label"),
  B6: built("resume never widens and never changes identity; a token serves once and expires"),
  B7: built("Catalogue and prompt cached by the fingerprint of the visible set"),
  B8: built("The same decision again at execution; guardrail hooks see the visible tools"),
  B9: built("The three usage patterns as tested examples"),
  "C1-declared": built(
    "A response marks the session by its declared source label, then sinks that are too low are blocked",
  ),
  "C1-detectors": built("Detectors for secrets and personal data raise the label"),
  C2: built("The manifest, at opening and as of now"),
  C3: built("The planning constraint for the system prompt, through MCP, REST and the library"),
  C4: built("validate-plan: the seed's example comes out with the same fields"),
  C5: built(
    "Planned calls with ids and after; orders are complete; the minimal set in the way; predicted approvals",
  ),
  C6: built("A plan check authorises nothing and uses the runtime's decision; the safe order meets no block"),
  "C7-scripted": built("The seed's acceptance test with a scripted agent: it meets no runtime block"),
  "C7-model": built("The seed's acceptance test with a real model, where a key is set"),
  C8: built("Agents that speak only MCP get manifest and plan check as tools"),
  D1: built("Tiers of paths by git"),
  D2: built("Each tool has needsApproval(args), without side effects, and runs exactly what was examined"),
  D3: built("The workspace's tools, which leave out what would need an approval and write atomically"),
  D4: built("git asked afresh, and safely"),
  "D5-terminal": built(
    "Calls that wait are shown and answered in a terminal: live or by id, over a gateway or a store alone",
  ),
  "D5-queue": built(
    "Of a session one approval is shown at a time; the same call gets the same one, others queue; giving up ends them",
  ),
  "D5-mcp": built(
    "A call over MCP is held until a person has answered, with progress; where the policy lets it, the client's own person is asked, in each protocol era, never for a release",
  ),
  "D5-planner": built(
    "Our own loop pauses before a call is executed; a yes lets it run, a no leaves the model with report_impossible",
  ),
  "D5-console": built("The approval workflow in the console"),
  "D6-binding": built(
    "An approval is bound to session, principal, tool, canonical arguments and policy version; it is used once, expires, survives a restart, and only its first answer counts",
  ),
  "D6-targets": built(
    "An approval is bound to the resolved targets of its call, and to what was found to ask for it",
  ),
  "D7-data": built(
    "An approval has what a person needs to judge it: tool, arguments, resolved path, why, the session's label, the diff",
  ),
  "D7-console": built("The console shows an approval so that it can be judged"),
  E1: built("Frozen role tool sets, at run time too"),
  E2: built("Names are checked when an agent is built, by their parsed parts"),
  E3: built("Role agents: each with its set and nothing else, enforced at execution"),
  E4: built("FixerAgent tells from the file whether it was changed, and changes no other"),
  E5: built("The seed's tests, and a check that fails where a role's set, prompt and permissions disagree"),
  E6: built("The built-in tools run over the workspace, with the argument names that coding agents use"),
  "X1-policy": built("One policy file with schema, errors with line and column, check and explain"),
  "X1-replay": planned("Replay of recorded sessions, and shadow mode"),
  "X2-lattice": built("Categories and trust in the lattice, several clearances"),
  "X2-readers": built("Named readers and recipients: each recipient of a call counts"),
  "X3-approval": built(
    "Conditions on arguments in CEL decide about approvals; a condition that can't be evaluated asks",
  ),
  "X3-rules": built(
    "Rules with conditions on arguments in CEL deny or ask; one that can't be evaluated counts as one that holds",
  ),
  X4: built(
    "After untrusted content an effect runs unasked only where its critical arguments are the user's word",
  ),
  "X4-named": built("Whom the user named may receive data up to the level that the policy says"),
  "X4-evidence": built("What else counts as the user's word, each bound to the server that gave it"),
  X5: built("Where a value that the user didn't say came from"),
  X6: built("A plan is approved once: each of its calls runs once, as it was shown; what departs asks"),
  "X6-fewest": built("Of the safe orders of a plan, one in which a person is asked least often"),
  X7: planned("Quarantined values"),
  X8: planned("Child sessions"),
  X9: planned("History: requires, effects, once, counts"),
  X10: planned("Stored data keeps its label"),
  "X11-call": built(
    "A call brings in what was found out about it before it runs, where its declaration is the most",
  ),
  "X11-sqlite": built("Column-level labels on SQLite"),
  "X11-postgres": built("Column-level labels on PostgreSQL"),
  "X12-pins": built(
    "Upstream definitions are pinned; a changed one is withheld until a person accepts it; no server takes a name over",
  ),
  "X12-hints": built("Annotations and ifc labels of upstreams are hints that only tighten"),
  X13: built(
    "`init` makes of the MCP configurations of four agents a policy that is nowhere laxer than the truth",
  ),
  "X13-useful": built(
    "What init, the packs and classify propose works: typical sessions of the packed servers run without a denial, with a question in six calls at most, and without a leak.",
  ),
  X14: built("Every way in is guarded"),
  "X15-sqlite": built(
    "Nothing is lost with SQLite: a raise is durable before its data, an unwritable journal refuses",
  ),
  "X15-postgres": built(
    "PostgreSQL: a lost server, a lost commit or a database that went back loses no raise unseen",
  ),
  "X15-approvals": built("kill −9 loses no approval"),
  X16: built("Many nodes on one PostgreSQL, with one record and one key; approvals answered on any of them"),
  X17: built("Numbers on public data, reproducible with one command"),
  X18: planned("An AuthZEN evaluation endpoint"),
  X19: built(
    "Standing approvals: a rule for each argument, a ceiling, an expiry and a count, revocable at once; proposed after three calls alike",
  ),
  X20: built("Whoever approves may change arguments: decided again, run as changed, and the agent is told"),
  X21: built(
    "Remote servers behind OAuth: discovery, PKCE, registration, refresh, revocation and exchange; tokens per principal or for the gateway, encrypted, told to nobody",
  ),
  X22: built(
    "Freeze: an operator stops everything, or one principal, session, server or tool, on every node",
  ),
  X24: built("Each refusal says what is left to do, and a person sees an agent's appeal"),
  X26: built(
    "Reload: a changed policy is taken up whole or not at all; what it widens is told and needs a flag",
  ),
  X27: built(
    "The record goes out: pushed to a webhook, a syslog or a collector; archived and pruned; backed up and restored",
  ),
  "X27-receipts": built("Signed receipts of a session or a call, that a third party verifies offline"),
  X28: built(
    "Approvals where people are: a signed webhook, and a link bound to an approver whose answer counts once; the console notifies",
  ),
  X29: built(
    "Doctor: policy, decisions, hook, servers, store, secrets and clock are tried, and what fails says what to do",
  ),
  "law-1": built("Deny wins; order and repetition of rules change nothing"),
  "law-2": built("No rule, no permission; an unclassified tool is the worst of both kinds"),
  "law-3": built("Labels never fall; two writers never lose a raise"),
  "law-4": built("Tightening never grants"),
  "law-5": built("A hidden tool never runs"),
  "law-6": built("A plan called valid meets no block; if a safe order exists, it is found"),
  "law-7": built("An approval admits one call, the one that was shown"),
  "law-8": built("Nothing reaches the agent before the raise it causes is durable"),
  "law-9": built("A fault denies"),
  "law-10": built("The same scenario through library, REST and MCP gives the same decisions"),
};
