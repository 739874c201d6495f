/** Permissions that change in mid-conversation, on plain functions. Checks itself; run it with Node 24. */
import assert from "node:assert/strict";
import { createGate, definePolicy } from "sluicegate";
import {
  declarePermissions,
  enforceToolsPermissions,
  filterToolsByPermission,
  markSessionPrivate,
  resolvePermissions,
  ToolPermissionError,
  withSession,
} from "sluicegate/session";

// What each function does to the world. One that nobody declares needs everything.
const readNotes = declarePermissions(
  async function readNotes() {
    return "Q3: 12 % up";
  },
  ["read"],
);
const postMessage = declarePermissions(
  async function postMessage(text: string) {
    return `posted: ${text}`;
  },
  ["connect"],
);

// Asked at every invocation: without `connect` while the session holds private data.
const granted = () => resolvePermissions(["read", "connect"]);
const [notes, post] = enforceToolsPermissions([readNotes, postMessage], granted);

const gate = createGate({ policy: definePolicy({}) });
const session = await gate.open({ principal: "ada" });

await withSession(session, async () => {
  assert.equal(await post("hello"), "posted: hello");

  await markSessionPrivate("confidential");

  // The same function, the same arguments: refused, and the refusal says what is missing.
  await assert.rejects(post("hello"), (error) => {
    assert(error instanceof ToolPermissionError);
    console.log(`${error.message} ${error.why} ${error.fix}`);
    return error.missing.includes("connect");
  });
  assert.equal(await notes(), "Q3: 12 % up");

  // Enforced tools explain their refusal. Filtered ones the agent never sees.
  const seen = filterToolsByPermission([readNotes, postMessage], granted);
  assert.deepEqual(
    seen.map(({ name }) => name),
    ["readNotes"],
  );
});
await gate.close();
console.log("ok");
