/**
 * What detectors find on every way out of a server, through the gateway and before a real one. `notes` says whatever
 * page it is asked for; nothing that it declares is private.
 */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Notes, startNotes } from "../../bypass/fixtures/notes.ts";
import { type RunningGateway, startGateway } from "./running-gateway.ts";

let notes: Notes;
let gate: RunningGateway;
const open: Client[] = [];

beforeAll(async () => {
  notes = await startNotes({ port: 0, legacyOnly: false });
  gate = await startGateway({ policy: policyFor(notes.url) });
});
afterEach(async () => {
  await Promise.allSettled(open.splice(0).map((client) => client.close()));
});
afterAll(async () => {
  await gate.stop();
  await notes.close();
});

const policyFor = (url: string): string => `
version: 1
categories: { people: {} }
servers:
  notes:
    url: "${url}"
    sink: { level: secret, categories: [people] }
    tools: { "*": { permissions: [read] } }
tools:
  post: { permissions: [connect], sink: public }
detectors:
  secrets: secret
  personal_data: { level: confidential, categories: [people] }
  limits: { milliseconds: 20000 }
`;

type Era = "2025-11-25" | "2026-07-28";

const MAIL = "ada@example.org";
const PERSONAL = { level: "confidential", categories: ["people"], trust: "trusted" };

async function newAgent(era: Era) {
  const { session_id: id, session_token: token } = (await gate.request("POST", "/v1/session", {})).body;
  const heard: unknown[] = [];
  const client = new Client(
    { name: "test", version: "1" },
    {
      versionNegotiation: { mode: era === "2025-11-25" ? "legacy" : "auto" },
      capabilities: { elicitation: { form: {} } },
    },
  );
  client.setNotificationHandler("notifications/message", ({ params }) => void heard.push(params.data));
  client.setRequestHandler("elicitation/create", async ({ params }) => {
    heard.push(params.message);
    return { action: "accept", content: { answer: MAIL } };
  });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${gate.url}/s/${id}/mcp`), { requestInit }),
  );
  open.push(client);
  const labelOf = async () => (await gate.request("GET", `/v1/session/${id}`)).body.label;
  const raises = async () =>
    (await gate.request("GET", `/v1/session/${id}/journal`)).body.events
      .filter(({ kind }: { kind: string }) => kind === "label-raised")
      .map(({ data }: { data: { findings: unknown } }) => data.findings);
  const call = (name: string, page: string) =>
    client.callTool({ name, arguments: { page } }, { onprogress: ({ message }) => void heard.push(message) });
  return { client, id, heard, labelOf, raises, call };
}

describe.each<Era>([
  "2025-11-25",
  "2026-07-28",
])("detectors behind the gateway, for a client of %s", (era) => {
  it("raise the session by a result, which shuts its way out; the journal has no value (C1-detectors)", async () => {
    const agent = await newAgent(era);
    await agent.call("read_notes", "plain");
    expect((await agent.labelOf()).level).toBe("public");
    const result = await agent.call("read_notes", MAIL);
    expect(JSON.stringify(result.content)).toContain(MAIL);
    expect(await agent.labelOf()).toEqual(PERSONAL);
    expect(await agent.raises()).toEqual([[{ kind: "personal-data/email", place: "content[0].text" }]]);
    const [post] = (
      await gate.request("POST", `/v1/session/${agent.id}/decide`, { calls: [{ tool: "post" }] })
    ).body.decisions;
    expect(post).toMatchObject({ effect: "deny", reasons: [{ code: "flow-blocked" }] });
    const journal = (await gate.request("GET", `/v1/session/${agent.id}/journal`)).body;
    expect(JSON.stringify(journal)).not.toContain("example.org");
  });

  it("look into errors, resources, prompts and questions as well (C1-detectors)", async () => {
    const failing = await newAgent(era);
    const error = await failing.call("read_failing", MAIL);
    expect(JSON.stringify(error)).toContain(MAIL);
    expect(await failing.labelOf()).toEqual(PERSONAL);

    const reading = await newAgent(era);
    await reading.client.readResource({ uri: `notes://page/${MAIL}` });
    expect(await reading.labelOf()).toEqual(PERSONAL);

    const prompted = await newAgent(era);
    await prompted.client.getPrompt({ name: "summary", arguments: { page: MAIL } });
    expect(await prompted.labelOf()).toEqual(PERSONAL);

    const asked = await newAgent(era);
    await asked.call("read_asking", MAIL);
    expect(asked.heard).toContainEqual(expect.stringMatching(/^Is this the page\?/));
    expect(await asked.labelOf()).toEqual(PERSONAL);
  });

  it("look into no answer of the client's own person (C1-detectors)", async () => {
    const agent = await newAgent(era);
    await agent.call("read_asking", "plain");
    expect(agent.heard).toContainEqual(expect.stringMatching(/^Is this the page\?/));
    expect((await agent.labelOf()).level).toBe("public");
  });

  it("keep back a notice with more in it than the session holds, and raise nothing by it (C1-detectors)", async () => {
    const agent = await newAgent(era);
    if (era === "2025-11-25") await agent.client.setLoggingLevel("debug");
    await agent.call("read_loudly", MAIL);
    expect(agent.heard).toEqual([]);
    expect((await agent.labelOf()).level).toBe("public");
    await agent.call("read_notes", MAIL);
    await agent.call("read_loudly", MAIL);
    expect(JSON.stringify(agent.heard)).toContain(MAIL);
  });

  it("write our label on what a client is given, in the shape that others read (X12-hints)", async () => {
    const agent = await newAgent(era);
    const plain = await agent.call("read_notes", "plain");
    expect(plain._meta).toMatchObject({ ifc: { integrity: "trusted", confidentiality: "public" } });
    const personal = await agent.call("read_notes", MAIL);
    expect(personal._meta).toMatchObject({
      ifc: { integrity: "trusted", confidentiality: "private" },
      "dev.sluicegate/label": PERSONAL,
    });
    const resource = await agent.client.readResource({ uri: "notes://page/plain" });
    expect(resource._meta).toMatchObject({ ifc: { confidentiality: "private" } });
    const prompt = await agent.client.getPrompt({ name: "summary", arguments: { page: "plain" } });
    expect(prompt._meta).toMatchObject({ ifc: { confidentiality: "private" } });
  });
});
