/** A database and an API for the gateway that is measured, whose answers are as large as they may be. */
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

export interface LoopSources {
  /** What the policy says of them. */
  readonly policy: string;
  close(): void;
}

const ROWS = 10_000;
const ITEMS = 34_000;

const ITEM =
  '{"id":1,"name":"Ada","mail":"ada@example.com","tags":["a","b"],"n":12.5,"at":"2026-01-01T00:00:00.000Z"}';
const ANSWERS: Readonly<Record<string, string>> = {
  "/items": `{"items":[${Array(ITEMS).fill(ITEM).join()}]}`,
  "/document": JSON.stringify({ text: "A line of an honest document.\n".repeat(130_000) }),
};

export async function openLoopSources(folder: string): Promise<LoopSources> {
  const database = join(folder, "sources.db");
  fillDatabase(database);
  const document = join(folder, "api.json");
  const operation = (id: string) => ({
    get: { operationId: id, responses: { "200": { description: "All right." } } },
  });
  const paths = { "/items": operation("items"), "/document": operation("document") };
  const info = { title: "Sources", version: "1" };
  writeFileSync(document, JSON.stringify({ openapi: "3.0.3", info, paths }));
  const server = createServer((request, response) => {
    response.setHeader("content-type", "application/json").end(ANSWERS[request.url ?? ""]);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    policy: `
apis:
  web: { spec: ${document}, base_url: "http://127.0.0.1:${port}", sensitivity: public }
databases:
  crm:
    type: sqlite
    path: ${database}
    sensitivity: public
    limits: { rows: 100000, bytes: 67108864 }
`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function fillDatabase(path: string): void {
  const database = new DatabaseSync(path);
  database.exec("CREATE TABLE people (id INTEGER PRIMARY KEY, name, mail, a, b, c, d); BEGIN");
  const insert = database.prepare(
    "INSERT INTO people VALUES (?, 'Ada', 'ada@example.com', 1, 2.5, NULL, '2026-01-01')",
  );
  for (let id = 0; id < ROWS; id += 1) insert.run(id);
  database.exec("COMMIT");
  database.close();
}
