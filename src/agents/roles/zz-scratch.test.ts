import { expect, it, afterEach } from "vitest";
import { call, edit, say, scriptedModel, testRepositories, write, BROKEN, MENDED, read } from "/work/main/test/fixtures/role-agents.ts";
import { FixerAgent } from "/work/main/src/agents/roles/fixer-agent.ts";
import { ImplementerAgent } from "/work/main/src/agents/roles/implementer-agent.ts";
import { createMemoryStore } from "/work/main/src/store/index.ts";
import { createGate, examineCalls } from "/work/main/src/session/index.ts";
import { definePolicy, toWorkspaceDeclaration } from "/work/main/src/core/index.ts";
import { createWorkspace, createWorkspaceProvider } from "/work/main/src/workspace/index.ts";
const repos = testRepositories();
it("implementer resumes the fixer's pause", async () => {
  const project = repos.make();
  project.write("src/sum.js", BROKEN); project.write("src/other.js", "x\n");
  const workspace = createWorkspaceProvider(createWorkspace({ root: project.root }));
  const policy = definePolicy({ servers: { workspace: toWorkspaceDeclaration() } });
  const gate = createGate({ policy, facts: examineCalls([workspace]) });
  const fixer = new FixerAgent({ model: scriptedModel([[write("src/sum.js", MENDED)]]).model, root: project.root, gate, workspace });
  const ctx = { filePath: "src/sum.js", errorMessage: "e" };
  const paused = await fixer.execute(ctx);
  console.log(paused.status, JSON.stringify(paused.pause));
  for (const { approval } of paused.pause!.waiting) await gate.answerApproval(approval, { answer: "approved", by: "ada" });
  const impl = new ImplementerAgent({ model: scriptedModel([[write("src/other.js", "hacked\n")], say("done")]).model, root: project.root, gate, workspace });
  const r = await impl.resume(paused.pause!, { task: "x" }).catch((e) => e);
  console.log(JSON.stringify(r), r.code);
  if (r.pause) {
    for (const { approval } of r.pause.waiting) await gate.answerApproval(approval, { answer: "approved", by: "ada" });
    const impl2 = new ImplementerAgent({ model: scriptedModel([say("done")]).model, root: project.root, gate, workspace });
    console.log(JSON.stringify(await impl2.resume(r.pause, { task: "x" })));
  }
  console.log(read(project, "src/other.js"));
});
it("double resume", async () => {
  const project = repos.make();
  project.write("src/sum.js", BROKEN); project.write("src/other.js", "x\n");
  let hold: () => void = () => {}; const held = new Promise<void>((r) => { hold = r; });
  const steps: any[] = [[write("src/sum.js", MENDED)], [write("src/other.js", "x2\n", "c2")], say("done")];
  const { model } = scriptedModel(steps);
  const fixer = new FixerAgent({ model, root: project.root });
  const ctx = { filePath: "src/sum.js", errorMessage: "e" };
  const paused = await fixer.execute(ctx);
  for (const { approval } of paused.pause!.waiting) await fixer.gate!.answerApproval(approval, { answer: "approved", by: "ada" });
  const out = await Promise.allSettled([fixer.resume(paused.pause!, ctx), fixer.resume(paused.pause!, ctx)]);
  console.log(JSON.stringify(out.map((o: any) => o.value ?? o.reason.code)), read(project, "src/other.js"));
});
