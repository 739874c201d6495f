/** Tools that answer by themselves: each kind of content, an error, logs, progress, and schemas to keep as they are. */
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import {
  fromJsonSchema,
  type JsonSchemaType,
  type McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import { image, said, text, WAV } from "./fixture-samples.ts";
import type { Appearing, Changes } from "./fixture-server.ts";

/** The suites ask for this pause between two notices. */
const BETWEEN_NOTICES = 50;

/** Gives the tool that comes and goes. */
export function addTools(server: McpServer, changes: Changes): Appearing {
  addContentTools(server);
  addNoticeTools(server);
  addTasklessTools(server);
  addSchemaTools(server);
  return addChangeTools(server, changes);
}

function addContentTools(server: McpServer): void {
  server.registerTool("test_simple_text", { description: "Answers with text" }, () =>
    said("This is a simple text response for testing."),
  );
  server.registerTool("test_image_content", { description: "Answers with an image" }, () => ({
    content: [image],
  }));
  server.registerTool("test_audio_content", { description: "Answers with sound" }, () => ({
    content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }],
  }));
  server.registerTool("test_embedded_resource", { description: "Answers with a resource" }, () => ({
    content: [
      {
        type: "resource",
        resource: {
          uri: "test://embedded-resource",
          mimeType: "text/plain",
          text: "This is an embedded resource content.",
        },
      },
    ],
  }));
  server.registerTool("test_multiple_content_types", { description: "Answers with three kinds" }, () => ({
    content: [
      text("Multiple content types test:"),
      image,
      {
        type: "resource",
        resource: {
          uri: "test://mixed-content-resource",
          mimeType: "application/json",
          text: JSON.stringify({ test: "data", value: 123 }),
        },
      },
    ],
  }));
  server.registerTool("test_error_handling", { description: "Fails" }, () => {
    throw new Error("This tool intentionally returns an error for testing");
  });
}

function addNoticeTools(server: McpServer): void {
  server.registerTool("test_tool_with_logging", { description: "Logs while it runs" }, async (context) => {
    await log(context, "Tool execution started");
    await pause(BETWEEN_NOTICES);
    await log(context, "Tool processing data");
    await pause(BETWEEN_NOTICES);
    await log(context, "Tool execution completed");
    return said("Logged three times.");
  });
  server.registerTool("test_logging_tool", { description: "Logs once" }, async (context) => {
    await log(context, "Only for a client that set a log level");
    return said("Logged.");
  });
  server.registerTool("test_tool_with_progress", { description: "Tells its progress" }, async (context) => {
    const progressToken = context.mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progress > 0) await pause(BETWEEN_NOTICES);
      if (progressToken === undefined) continue;
      const params = { progressToken, progress, total: 100, message: `Completed ${progress} of 100` };
      await context.mcpReq.notify({ method: "notifications/progress", params });
    }
    return said("Done.");
  });
  server.registerTool(
    "test_reconnection",
    { description: "Closes its stream, then answers" },
    async (context) => {
      context.http?.closeSSE?.();
      await pause(BETWEEN_NOTICES);
      return said("Answered after the stream was closed.");
    },
  );
}

const log = (context: ServerContext, message: string): Promise<void> =>
  context.mcpReq.log("info", message, "fixture");

/** Has keywords that a server or a gateway in between must not lose. */
const SCHEMA_2020_12: JsonSchemaType = JSON.parse(
  readFileSync(new URL("fixture-schema.json", import.meta.url), "utf8"),
);

/** The scenarios for tasks call these; a server without tasks answers them as any other. */
function addTasklessTools(server: McpServer): void {
  const greeted = z.object({ name: z.string() });
  server.registerTool("greet", { description: "Greets", inputSchema: greeted }, ({ name }) =>
    said(`Hello, ${name}!`),
  );
  const computed = z.object({ seconds: z.number(), label: z.string() });
  server.registerTool(
    "slow_compute",
    { description: "Computes nothing", inputSchema: computed },
    ({ label }) => said(`Computed ${label}.`),
  );
  const named = z.object({ filename: z.string() });
  server.registerTool(
    "confirm_delete",
    { description: "Deletes nothing", inputSchema: named },
    ({ filename }) => said(`There is no ${filename}.`),
  );
}

function addSchemaTools(server: McpServer): void {
  server.registerTool(
    "json_schema_2020_12_tool",
    { description: "Has a schema of draft 2020-12", inputSchema: fromJsonSchema(SCHEMA_2020_12) },
    (given) => said(JSON.stringify(given)),
  );
  const region = z.string().meta({ "x-mcp-header": "Region" });
  server.registerTool(
    "test_header_parameter",
    { description: "Has a parameter that a header mirrors", inputSchema: z.object({ region }) },
    (given) => said(given.region),
  );
}

/** A tool that comes and goes, and two that change what is listed. */
function addChangeTools(server: McpServer, changes: Changes): Appearing {
  server.registerTool("test_trigger_tool_change", { description: "Changes the list of tools" }, () => {
    changes.make("tools");
    return said("The list of tools has changed.");
  });
  server.registerTool("test_trigger_prompt_change", { description: "Changes the list of prompts" }, () => {
    changes.make("prompts");
    return said("The list of prompts has changed.");
  });
  return server.registerTool("test_appearing_tool", { description: "Comes and goes" }, () =>
    said("Here at the moment."),
  );
}
