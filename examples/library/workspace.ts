/** The workspace as plain functions: an agent's file tools without a gateway. Checks itself; run it with Node 24. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkPath, createWorkspace, readChecked, searchChecked } from "sluicegate/workspace";

const root = mkdtempSync(join(tmpdir(), "sluicegate-example-"));
execFileSync("git", ["init", "-q", root]);
writeFileSync(join(root, ".gitignore"), ".env\n");
writeFileSync(join(root, ".env"), "TOKEN=secret\n");
writeFileSync(join(root, "notes.md"), "Ask Ada about the token.\n");

assert.equal((await checkPath({ root, path: "notes.md", kind: "file" })).effect, "allow");
assert.equal((await checkPath({ root, path: ".env", kind: "file" })).reason, "ignored");

const file = await readChecked({ root, path: "notes.md" });
if (file.effect === "allow") console.log(file.text);

const found = await searchChecked({ root, pattern: "(?i)token" });
assert.equal(found.effect === "allow" && found.matches.length, 1); // nothing of `.env`

const workspace = createWorkspace({ root, protect: ["sluicegate.db"] });
const write = workspace.tools.get("write_text_file");
assert(write);

const call = { filepath: "notes.md", content: "Ask Grace about the token.\n" };
assert.equal(await write.needsApproval(call), true);

const examined = await write.examine(call);
console.log(examined.preview); // a unified diff, for a person to judge
const aPersonSaysYes = true; // yours to ask
if (aPersonSaysYes) await write.execute(call, examined);

assert.match(readFileSync(join(root, "notes.md"), "utf8"), /Grace/);
workspace.close();
rmSync(root, { recursive: true });
console.log("ok");
