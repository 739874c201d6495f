/**
 * Every feature of the reference server `server-everything`, and what becomes of it behind a gateway that allows
 * everything: it is reached, or it is refused on purpose, for the reason given.
 */
import { LOG_LEVEL_META_KEY } from "@modelcontextprotocol/client";
import { expect, vi } from "vitest";
import type { Agent, Era } from "./everything-agent.ts";

export interface Feature {
  /** A tool, prompt, template or method by its name, then what of it. */
  readonly name: string;
  readonly outcome: "reached" | "refused";
  /** Why it is refused. */
  readonly reason?: string;
  /** The eras whose clients have it; left out, both. */
  readonly eras?: readonly Era[];
  /** Its client must run tasks, which the SDK has no runtime for. */
  readonly needsTasks?: true;
  /** Uses it, and throws unless it was reached. */
  use(agent: Agent): Promise<unknown>;
}

const ONE_CONNECTION =
  "All sessions share the server's one process. A message that names no call can't be assigned to a session, so it is dropped.";
const KEPT_ROOTS =
  "An older server asks its first client for roots and keeps the answer for all, so one session's folders would leak to another. A server of revision 2026-07-28 asks within a call, and gets an answer.";
const NO_TASKS =
  "Tasks were an experiment of revision 2025-11-25, and the protocol no longer has them. The gateway neither offers nor requests them.";

const STATIC = "demo://resource/static/document/features.md";
const TEXT = "demo://resource/dynamic/text/{resourceId}";
const BLOB = "demo://resource/dynamic/blob/{resourceId}";

export const FEATURES: readonly Feature[] = [
  ...toolFeatures(),
  ...askingFeatures(),
  ...resourceFeatures(),
  ...promptFeatures(),
  ...noticeFeatures(),
  ...taskFeatures(),
];

function toolFeatures(): Feature[] {
  return [
    reached("echo", async (agent) => {
      expect(textOf(await call(agent, "echo", { message: "hello" }))).toContain("hello");
    }),
    reached("get-sum", async (agent) => {
      expect(textOf(await call(agent, "get-sum", { a: 2, b: 40 }))).toContain("42");
    }),
    reached("get-annotated-message", async (agent) => {
      const { content } = await call(agent, "get-annotated-message", {
        messageType: "error",
        includeImage: true,
      });
      expect(content[0].annotations.priority).toBe(1);
      expect(content[1].type).toBe("image");
    }),
    reached("get-env", async (agent) => {
      const { PATH, ...others } = JSON.parse(textOf(await call(agent, "get-env")));
      expect(PATH).toEqual(expect.any(String));
      expect(Object.keys(others)).not.toContain("SLUICEGATE_TOKEN");
    }),
    reached("get-resource-links", async (agent) => {
      const { content } = await call(agent, "get-resource-links", { count: 2 });
      expect(content.filter(({ type }: Block) => type === "resource_link")).toHaveLength(2);
    }),
    reached("get-resource-reference", async (agent) => {
      const { content } = await call(agent, "get-resource-reference", {
        resourceType: "Text",
        resourceId: 1,
      });
      expect(content.some(({ type }: Block) => type === "resource")).toBe(true);
    }),
    reached("get-structured-content", async (agent) => {
      const { structuredContent } = await call(agent, "get-structured-content", { location: "New York" });
      expect(structuredContent).toMatchObject({ temperature: expect.any(Number) });
    }),
    reached("get-tiny-image", async (agent) => {
      const { content } = await call(agent, "get-tiny-image");
      expect(content.some(({ type }: Block) => type === "image")).toBe(true);
    }),
    reached("gzip-file-as-resource, as a resource", async (agent) => {
      const { content } = await zip(agent, "resource");
      expect(content[0].resource.blob).toEqual(expect.any(String));
    }),
    reached("gzip-file-as-resource, as a link that can be read", async (agent) => {
      const { content } = await zip(agent, "resourceLink");
      const { contents } = await agent.client.readResource({ uri: content[0].uri });
      expect(contents[0]).toHaveProperty("blob");
    }),
    reached("trigger-long-running-operation, with progress", async (agent) => {
      const heard: number[] = [];
      const params = { name: "trigger-long-running-operation", arguments: { duration: 0.3, steps: 3 } };
      await agent.client.callTool(params, { onprogress: ({ progress }) => heard.push(progress) });
      // The SDK drops what comes together with the result.
      expect(heard.slice(0, 2)).toEqual([1, 2]);
    }),
  ];
}

function askingFeatures(): Feature[] {
  return [
    reached("trigger-sampling-request", async (agent) => {
      expect(textOf(await call(agent, "trigger-sampling-request", { prompt: "Hi" }))).toContain(
        "sampled here",
      );
      expect(agent.asked).toContain("sampling/createMessage");
    }),
    reached("trigger-elicitation-request", async (agent) => {
      expect(textOf(await call(agent, "trigger-elicitation-request"))).toContain("Ada");
      expect(agent.asked).toContain("elicitation/create form");
    }),
    reached("trigger-url-elicitation, by a question", async (agent) => {
      await call(agent, "trigger-url-elicitation", { url: "https://example.com/confirm" });
      expect(agent.asked).toContain("elicitation/create url");
    }),
    refused(
      "trigger-url-elicitation, by an error",
      "The protocol no longer has this error, and it would make the client open an address that no question showed.",
      async (agent) => {
        const args = { url: "https://example.com/confirm", elicitationId: "once", errorPath: true };
        const called = call(agent, "trigger-url-elicitation", args);
        await expect(called).rejects.toMatchObject({ code: -32042 });
      },
    ),
    refused("get-roots-list", KEPT_ROOTS, async (agent) => {
      expect(textOf(await call(agent, "get-roots-list"))).toContain("file:///home/ada/work");
    }),
    refused("notifications/roots/list_changed", ONE_CONNECTION, async (agent) => {
      agent.roots.push("file:///home/ada/elsewhere");
      await agent.client.sendRootsListChanged();
      const listed = async () => textOf(await call(agent, "get-roots-list"));
      await vi.waitFor(async () => expect(await listed()).toContain("elsewhere"), { timeout: 2000 });
    }),
  ];
}

function resourceFeatures(): Feature[] {
  return [
    reached("resources/list", async ({ client }) => {
      expect((await client.listResources()).resources.map(({ uri }) => uri)).toContain(STATIC);
    }),
    reached("resources/templates/list", async ({ client }) => {
      const { resourceTemplates } = await client.listResourceTemplates();
      expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate).sort()).toEqual([BLOB, TEXT]);
    }),
    reached("resources/read of a file", async ({ client }) => {
      const { contents } = await client.readResource({ uri: STATIC });
      expect(contents[0]).toMatchObject({ mimeType: "text/markdown", text: expect.stringContaining("# ") });
    }),
    reached(`resources/read of ${TEXT}`, async ({ client }) => {
      const { contents } = await client.readResource({ uri: TEXT.replace("{resourceId}", "7") });
      expect(contents[0]).toMatchObject({ text: expect.stringContaining("Resource 7") });
    }),
    reached(`resources/read of ${BLOB}`, async ({ client }) => {
      const { contents } = await client.readResource({ uri: BLOB.replace("{resourceId}", "7") });
      expect(contents[0]).toHaveProperty("blob");
    }),
    reached("toggle-subscriber-updates, to who subscribed", async (agent) => {
      const stop = await subscribe(agent, STATIC);
      await call(agent, "toggle-subscriber-updates");
      await vi.waitFor(() => expect(agent.updated).toContain(STATIC), { timeout: 10_000 });
      await call(agent, "toggle-subscriber-updates");
      await stop();
    }),
  ];
}

function promptFeatures(): Feature[] {
  return [
    reached("prompts/list", async ({ client }) => {
      expect((await client.listPrompts()).prompts.map(({ name }) => name)).toContain("simple-prompt");
    }),
    reached("simple-prompt", async ({ client }) => {
      expect((await client.getPrompt({ name: "simple-prompt" })).messages).toHaveLength(1);
    }),
    reached("args-prompt", async ({ client }) => {
      const prompt = await client.getPrompt({ name: "args-prompt", arguments: { city: "Ulm" } });
      expect(JSON.stringify(prompt.messages)).toContain("Ulm");
    }),
    reached("completable-prompt", async ({ client }) => {
      const given = { department: "Sales", name: "Eve" };
      const prompt = await client.getPrompt({ name: "completable-prompt", arguments: given });
      expect(JSON.stringify(prompt.messages)).toContain("Eve");
    }),
    reached("resource-prompt", async ({ client }) => {
      const given = { resourceType: "Text", resourceId: "3" };
      const { messages } = await client.getPrompt({ name: "resource-prompt", arguments: given });
      expect(messages.some(({ content }) => content.type === "resource")).toBe(true);
    }),
    reached("completion/complete of a prompt's argument", async ({ client }) => {
      const { completion } = await client.complete({
        ref: { type: "ref/prompt", name: "completable-prompt" },
        argument: { name: "department", value: "S" },
      });
      expect(completion.values).toEqual(["Sales", "Support"]);
    }),
    reached("completion/complete that depends on an earlier argument", async ({ client }) => {
      const { completion } = await client.complete({
        ref: { type: "ref/prompt", name: "completable-prompt" },
        argument: { name: "name", value: "" },
        context: { arguments: { department: "Sales" } },
      });
      expect(completion.values).toEqual(["David", "Eve", "Frank"]);
    }),
    reached("completion/complete of a template's variable", async ({ client }) => {
      const { completion } = await client.complete({
        ref: { type: "ref/resource", uri: TEXT },
        argument: { name: "resourceId", value: "12" },
      });
      expect(completion.values).toEqual(["12"]);
    }),
  ];
}

function noticeFeatures(): Feature[] {
  return [
    reached("toggle-simulated-logging", async (agent) => {
      expect(textOf(await toggleLogging(agent))).toContain("Started simulated");
      expect(textOf(await toggleLogging(agent))).toContain("Stopped simulated");
    }),
    refused("notifications/message", ONE_CONNECTION, async (agent) => {
      const heard = agent.logged.length;
      await toggleLogging(agent);
      try {
        await vi.waitFor(() => expect(agent.logged.length).toBeGreaterThan(heard), { timeout: 2000 });
      } finally {
        await toggleLogging(agent);
      }
    }),
    { ...reached("ping", ({ client }) => client.ping()), eras: ["legacy"] },
  ];
}

function taskFeatures(): Feature[] {
  const ofTasks = (name: string, args: Record<string, unknown> = {}): Feature => ({
    ...refused(name, NO_TASKS, (agent) => call(agent, name, args)),
    needsTasks: true,
  });
  return [
    ofTasks("simulate-research-query", { topic: "python" }),
    ofTasks("trigger-sampling-request-async", { prompt: "Hi" }),
    ofTasks("trigger-elicitation-request-async"),
    refused("the capability for tasks", NO_TASKS, async ({ client }) => {
      expect(client.getServerCapabilities()).toHaveProperty("tasks");
    }),
  ];
}

/** Wants to hear of everything: an older client says so once, a newer one with each call. */
async function toggleLogging({ client, era }: Agent): Promise<any> {
  if (era === "legacy") await client.setLoggingLevel("debug");
  const _meta = era === "modern" ? { [LOG_LEVEL_META_KEY]: "debug" } : {};
  return client.callTool({ name: "toggle-simulated-logging", arguments: {}, _meta });
}

type Use = Feature["use"];

function reached(name: string, use: Use): Feature {
  return { name, outcome: "reached", use };
}

function refused(name: string, reason: string, use: Use): Feature {
  return { name, outcome: "refused", reason, use };
}

interface Block {
  readonly type: string;
}

/** Calls a tool; an error that comes as a result is thrown. */
async function call({ client }: Agent, name: string, args: Record<string, unknown> = {}): Promise<any> {
  const result = await client.callTool({ name, arguments: args });
  if (result.isError) throw new Error(textOf(result));
  return result;
}

const textOf = (result: any): string => result.content.map((block: any) => block.text ?? "").join("\n");

const zip = (agent: Agent, outputType: string): Promise<any> =>
  call(agent, "gzip-file-as-resource", { name: "note.gz", data: "data:text/plain,hello", outputType });

async function subscribe({ client, era }: Agent, uri: string): Promise<() => Promise<unknown>> {
  if (era === "modern") {
    const subscription = await client.listen({ resourceSubscriptions: [uri] });
    return () => subscription.close();
  }
  await client.subscribeResource({ uri });
  return () => client.unsubscribeResource({ uri });
}
