/** Prompts: plain, with arguments that complete, with a resource, with an image. */
import { completable, type McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";
import { image, text } from "./fixture-samples.ts";
import type { Appearing } from "./fixture-server.ts";

const WORDS = ["paris", "park", "party", "test", "testing"];
const beginning = (begun: string): string[] => WORDS.filter((word) => word.startsWith(begun));

/** Gives the prompt that comes and goes. */
export function addPrompts(server: McpServer): Appearing {
  server.registerPrompt("test_simple_prompt", { description: "A plain prompt" }, () => ({
    messages: [{ role: "user", content: text("This is a simple prompt for testing.") }],
  }));
  server.registerPrompt(
    "test_prompt_with_arguments",
    {
      description: "A prompt with two arguments",
      argsSchema: z.object({
        arg1: completable(z.string().describe("First test argument"), beginning),
        arg2: completable(z.string().describe("Second test argument"), beginning),
      }),
    },
    ({ arg1, arg2 }) => ({
      messages: [{ role: "user", content: text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`) }],
    }),
  );
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    {
      description: "A prompt with a resource in it",
      argsSchema: z.object({ resourceUri: z.string().describe("URI of the resource to embed") }),
    },
    ({ resourceUri }) => {
      const resource = {
        uri: resourceUri,
        mimeType: "text/plain",
        text: "Embedded resource content for testing.",
      };
      return {
        messages: [
          { role: "user", content: { type: "resource", resource } },
          { role: "user", content: text("Please process the embedded resource above.") },
        ],
      };
    },
  );
  server.registerPrompt("test_prompt_with_image", { description: "A prompt with an image in it" }, () => ({
    messages: [
      { role: "user", content: image },
      { role: "user", content: text("Please analyze the image above.") },
    ],
  }));
  return server.registerPrompt("test_appearing_prompt", { description: "Comes and goes" }, () => ({
    messages: [{ role: "user", content: text("Here at the moment.") }],
  }));
}
