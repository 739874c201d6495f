/**
 * The example's own MCP servers, over stdio:
 *   node server.ts office     search_email, search_docs
 *   node server.ts outside    web_search, slack_post, github_create_pr
 */
import { join } from "node:path";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createOfficeServer } from "./office-tools.ts";
import { createOutsideServer } from "./outside-tools.ts";
import { openOutsideWorld } from "./outside-world.ts";
import { openStateFolder } from "./state-folder.ts";

const data = join(import.meta.dirname, "data");

switch (process.argv[2]) {
  case "office":
    serveOffice();
    break;
  case "outside":
    await serveOutside();
    break;
  default:
    console.error(
      "Nothing was started: it isn't said which server. Run `node server.ts office` or `node server.ts outside`.",
    );
    process.exitCode = 2;
}

function serveOffice(): void {
  const files = { mailbox: join(data, "inbox.mbox"), documents: join(data, "documents") };
  serveStdio(() => createOfficeServer(files));
}

async function serveOutside(): Promise<void> {
  const world = await openOutsideWorld({ webFolder: join(data, "web"), stateFolder: openStateFolder() });
  console.error(`The outside world listens on ${world.address}`);
  serveStdio(() => createOutsideServer(world.address));
  process.stdin.once("end", world.close); // the client has gone: nothing may keep this process alive
}
