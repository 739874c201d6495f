/** A result turns out to hold a secret, and from then on it can't leave. Checks itself; run it with Node 24. */
import assert from "node:assert/strict";
import { createGate, loadPolicy } from "sluicegate";
import { createDetectors } from "sluicegate/detectors";

const policy = await loadPolicy(`${import.meta.dirname}/sluicegate.yaml`);
const detectors = createDetectors({
  secrets: { level: "secret", categories: [], trust: "trusted" },
  personalData: { level: "confidential", categories: [], trust: "trusted" },
  lattice: policy.lattice,
});
const gate = createGate({ policy, inspect: detectors.inspect });
const session = await gate.open();

const token = ["ghp", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].join("_");
await session.call({ tool: "search_docs" }, () => ({ rows: [{ note: "deploy with", key: token }] }));

const raised = (await session.journal()).find(({ kind }) => kind === "label-raised");
assert.deepEqual(raised?.data.findings, [{ kind: "secret/github", place: "rows[0].key" }]);
assert.equal(session.label.level, "secret");
assert.equal((await session.call({ tool: "slack_post" }, () => "posted")).effect, "deny");

await detectors.close();
await gate.close();
console.log("ok");
