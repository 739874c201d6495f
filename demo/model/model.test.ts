/** Both wire formats against a model API on this machine that plays a script, and the whole story with one of them. */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { runDemo } from "../demo.test-kit.ts";
import { chooseModel } from "./choose-model.ts";

interface Asked {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: any;
}

interface FakeApi {
  readonly url: string;
  readonly asked: Asked[];
  close(): void;
}

let api: FakeApi | null = null;
afterEach(() => api?.close());

/** An API that answers each request with what the script says for its number. */
async function startApi(script: (asked: Asked, number: number) => unknown): Promise<FakeApi> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const one = { path: request.url ?? "", headers: request.headers, body: JSON.parse(text) };
    asked.push(one);
    const answer = script(one, asked.length - 1);
    response.writeHead(answer === null ? 401 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(answer ?? { error: "no" }));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  api = { url: `http://127.0.0.1:${port}`, asked, close: () => server.close() };
  return api;
}

const use = (id: string, name: string, input: object) => ({ type: "tool_use", id, name, input });
const PULL_REQUEST = { repository: "acme/site", title: "Fix", body: "A fix", branch: "fix" };
const TOOL = { name: "web_search", description: "Searches", inputSchema: { type: "object" } };

describe("a model behind the Messages API", () => {
  const SCRIPT = [
    { content: [{ type: "text", text: "The web first." }, use("a", "web_search", { query: "market" })] },
    { content: [use("b", "search_email", { query: "Q3" }), use("c", "github_create_pr", PULL_REQUEST)] },
    { content: [{ type: "text", text: "Both are done." }] },
  ];

  it("plays the agent's part in the whole story, and its key goes nowhere else", async () => {
    const { url, asked } = await startApi((_, number) => SCRIPT[number] ?? null);
    const { status, out, left } = await runDemo({
      ANTHROPIC_API_KEY: "key-of-the-test",
      ANTHROPIC_BASE_URL: `${url}/`,
      ANTHROPIC_MODEL: "model-of-the-test",
    });
    expect(out).toContain("A real model at work: model-of-the-test");
    expect(out).toMatch(
      /allow +web_search: market[\s\S]*allow +search_email: Q3[\s\S]*allow +github_create_pr/,
    );
    expect(out).toContain("It made 3 calls; none was blocked.");
    expect(out).not.toContain("In the safe order");
    expect(out).not.toContain("key-of-the-test");
    expect({ status, left }).toEqual({ status: 0, left: [] });
    const [first, second, third] = asked;
    expect(first).toMatchObject({ path: "/v1/messages", headers: { "x-api-key": "key-of-the-test" } });
    expect(first?.body.system).toContain("Calling `search_email` or `write_file` blocks `web_search`");
    const tools = first?.body.tools.map(({ name }: any) => name);
    expect(tools).toEqual(expect.arrayContaining(["web_search", "sluicegate_check_plan"]));
    expect(first?.body.tools[0]).toHaveProperty("input_schema.type", "object");
    expect(second?.body.messages[1]).toEqual({ role: "assistant", content: SCRIPT[0]?.content });
    const [result] = second?.body.messages[2].content ?? [];
    expect(result).toMatchObject({ type: "tool_result", tool_use_id: "a", is_error: false });
    expect(result.content).toContain("9 %");
    expect(third?.body.messages[4].content.map(({ tool_use_id }: any) => tool_use_id)).toEqual(["b", "c"]);
  });

  it("that can't be had leaves its part to the script", async () => {
    const { url } = await startApi(() => null);
    const { status, out } = await runDemo({ ANTHROPIC_API_KEY: "wrong", ANTHROPIC_BASE_URL: url });
    expect(out).toContain("The model doesn't answer: Its API answered 401. A script goes on in its place.");
    expect(out).toContain("In the safe order everything runs");
    expect(status).toBe(0);
  });
});

describe("a model behind the chat completions API", () => {
  const wanted = {
    content: null,
    tool_calls: [
      { id: "a", type: "function", function: { name: "web_search", arguments: '{"query":"market"}' } },
      { id: "b", type: "function", function: { name: "search_email", arguments: "no JSON" } },
    ],
  };

  it("is asked and answered as the API wants it", async () => {
    const { url, asked } = await startApi((_, number) => ({
      choices: [{ message: number === 0 ? wanted : { content: "Done." } }],
    }));
    const model = chooseModel({ OPENAI_API_KEY: "key", OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: "m" });
    const conversation = model?.converse("the constraint", [TOOL]);
    expect(await conversation?.begin("the task")).toEqual({
      text: "",
      calls: [
        { id: "a", tool: "web_search", arguments: { query: "market" } },
        { id: "b", tool: "search_email", arguments: {} },
      ],
    });
    const answers = [
      { id: "a", text: "found", failed: false },
      { id: "b", text: "refused", failed: true },
    ];
    expect(await conversation?.answer(answers)).toEqual({ text: "Done.", calls: [] });
    expect(asked[0]).toMatchObject({
      path: "/v1/chat/completions",
      headers: { authorization: "Bearer key" },
    });
    expect(asked[0]?.body).toEqual({
      model: "m",
      messages: [
        { role: "system", content: "the constraint" },
        { role: "user", content: "the task" },
      ],
      tools: [
        {
          type: "function",
          function: { name: "web_search", description: "Searches", parameters: { type: "object" } },
        },
      ],
    });
    expect(asked[1]?.body.messages.slice(2)).toEqual([
      { role: "assistant", ...wanted },
      { role: "tool", tool_call_id: "a", content: "found" },
      { role: "tool", tool_call_id: "b", content: "refused" },
    ]);
  });

  it.each([
    ["a refusal", null, "Its API answered 401."],
    ["another shape", { choices: [] }, "Its API answered in a shape that isn't known here."],
  ])("tells %s without the key", async (_, answer, sentence) => {
    const { url } = await startApi(() => answer);
    const model = chooseModel({ OPENAI_API_KEY: "key", OPENAI_BASE_URL: url });
    await expect(model?.converse("", []).begin("task")).rejects.toThrow(sentence);
  });
});

it("is none without a key, and Anthropic's where there are two", () => {
  expect(chooseModel({})).toBeNull();
  expect(chooseModel({ OPENAI_API_KEY: "a", ANTHROPIC_API_KEY: "b" })?.key).toBe("ANTHROPIC_API_KEY");
});
