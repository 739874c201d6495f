/**
 * `npm run demo`: a whole story in the terminal, against a real gateway with real MCP servers behind it. The agent
 * is a script that acts on what it is answered, or a real model where a key is set. Exit 0 if everything came out
 * as it is told, 1 if something didn't.
 */
import { printLine, styled } from "../src/cli/terminal/terminal.ts";
import { type DemoGateway, startGateway } from "./gateway-process.ts";
import { chooseModel } from "./model/choose-model.ts";
import { createOfficeCopy, type OfficeCopy } from "./office-copy.ts";
import { openStage, type Stage, StoppedError } from "./stage.ts";
import { introduce, tellStory } from "./story.ts";

process.exitCode = await main();

async function main(): Promise<number> {
  const stage = openStage(process.env);
  let office: OfficeCopy | null = null;
  let gateway: DemoGateway | null = null;
  try {
    introduce(stage);
    office = createOfficeCopy();
    gateway = await startGateway(office, stage.stopped);
    await tellStory({ stage, office, gateway, model: chooseModel(process.env) });
    return 0;
  } catch (cause) {
    return explainEnd(stage, cause);
  } finally {
    await gateway?.stop();
    office?.remove();
    stage.close();
  }
}

function explainEnd(stage: Stage, cause: unknown): number {
  if (stage.stopped.aborted) {
    printLine();
    printLine(styled("dim", "Stopped. Nothing is left running, and nothing was kept."));
    return cause instanceof StoppedError && cause.asked ? 0 : 130;
  }
  printLine();
  printLine(
    styled("red", "It didn't come out as told: "),
    (cause instanceof Error ? cause.message : String(cause)).replaceAll(/\s+/g, " "),
  );
  return 1;
}
