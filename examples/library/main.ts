/** The library in one sitting: manifest, plan check, a block, the safe order. Checks itself; run it with Node 24. */
import assert from "node:assert/strict";
import { createGate, loadPolicy } from "sluicegate";

const searchEmail = async (query: string) => [`Q3 figures (for "${query}")`];
const searchWeb = async (query: string) => [`News about ${query}`];

const gate = createGate({ policy: await loadPolicy(`${import.meta.dirname}/sluicegate.yaml`) });
const session = await gate.open({ principal: "ada", task: "Compare our Q3 mail with the news" });

// What the agent should know before it starts.
console.log(session.planningPrompt());

// Is this order safe? If not, which one is?
const check = session.checkPlan(["search_email", "web_search", "github_create_pr"]);
console.log(check.violations[0]?.reason); // `web_search` is blocked after `search_email` (step 0) loads internal data
console.log(check.safeOrdering); // [ "web_search", "search_email", "github_create_pr" ]

// Every call is decided when it is made; an allowed one raises the session, then runs.
await session.call({ tool: "search_email", arguments: { query: "q3" } }, ({ query }) => searchEmail(query));
const outcome = await session.call({ tool: "web_search", arguments: { query: "q3" } }, ({ query }) =>
  searchWeb(query),
);
if (outcome.effect !== "allow") console.log(outcome.reasons[0]?.message);

assert.deepEqual(check.safeOrdering, ["web_search", "search_email", "github_create_pr"]);
assert.equal(outcome.effect, "deny");
assert.equal(session.label.level, "internal");
assert.equal((await gate.verify()).ok, true);
await gate.close();
console.log("ok");
