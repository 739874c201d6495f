/** Resources: text, bytes, a template, and one that a client may watch. */
import { type McpServer, ResourceTemplate } from "@modelcontextprotocol/server";
import { PNG } from "./fixture-samples.ts";

export function addResources(server: McpServer, era: "legacy" | "modern"): void {
  addText(server, "static-text", "This is the content of the static text resource.");
  addText(server, "watched-resource", "This resource can be watched.");
  addText(server, "example-resource", "This resource can be embedded in a prompt.");
  server.registerResource(
    "static-binary",
    "test://static-binary",
    { description: "A small image", mimeType: "image/png" },
    (uri) => ({ contents: [{ uri: uri.href, mimeType: "image/png", blob: PNG }] }),
  );
  const template = new ResourceTemplate("test://template/{id}/data", {
    list: undefined,
    complete: { id: (begun) => ["123", "124", "200"].filter((id) => id.startsWith(begun)) },
  });
  const mimeType = "application/json";
  server.registerResource("template", template, { description: "Data by id", mimeType }, (uri, { id }) => {
    const data = { id, templateTest: true, data: `Data for ID: ${id}` };
    return { contents: [{ uri: uri.href, mimeType, text: JSON.stringify(data) }] };
  });
  if (era === "legacy") addWatching(server);
}

function addText(server: McpServer, name: string, text: string): void {
  const mimeType = "text/plain";
  server.registerResource(name, `test://${name}`, { description: `The ${name}`, mimeType }, (uri) => ({
    contents: [{ uri: uri.href, mimeType, text }],
  }));
}

/** Older clients watch by request; newer ones name the resources on the stream that they listen to. */
function addWatching(server: McpServer): void {
  const watched = new Set<string>();
  server.server.setRequestHandler("resources/subscribe", ({ params }) => {
    watched.add(params.uri);
    return {};
  });
  server.server.setRequestHandler("resources/unsubscribe", ({ params }) => {
    watched.delete(params.uri);
    return {};
  });
}
