/** The event stream as the OpenAPI document has it. It answers no JSON, so it is no route like the others. */
export const EVENTS_OPERATION = Object.freeze({
  summary: "Every journal entry as it becomes durable, as server-sent events",
  description:
    "The `id` of an event is its position, its name the entry's kind, its data the entry with its `session_id`. " +
    "An event `hello` comes first: its data are the gateway's version and the policy's, its `id` the position " +
    "after which the stream begins. That is the newest one where a later one was asked for than there is, as after " +
    "the store was replaced. Where both are given, `Last-Event-ID` counts.",
  security: [{ operator: [] }],
  parameters: [
    {
      name: "after",
      in: "query",
      required: false,
      description:
        "The position after which it begins, 0 for the first entry; `latest` for only what is new.",
      schema: { anyOf: [{ type: "integer", minimum: 0 }, { const: "latest" }], default: "latest" },
    },
    {
      name: "Last-Event-ID",
      in: "header",
      required: false,
      description: "The position that an earlier stream gave last, to go on behind it.",
      schema: { type: "integer", minimum: 0 },
    },
  ],
  responses: {
    200: {
      description: "The stream; it stays open",
      content: { "text/event-stream": { schema: { type: "string" } } },
    },
  },
});
