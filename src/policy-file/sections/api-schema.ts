/** The shape of an API in a policy file, with what each key does. */
import { z } from "zod";
import { ownToolKeys, sensitivity } from "./database-schema.ts";
import { described, name, names, permissions, sink, text } from "./tool-schema.ts";

const number = z.number({ error: "a number" });
const texts = z.record(z.string(), text, { error: "a map of names to text" });

export const operationSchema = z.strictObject(
  {
    sensitivity: described(name, "How sensitive its responses are: one of `levels`. Left out: as the API."),
    categories: described(names, "The categories of its responses. Left out: those of the API."),
    trust: described(name, "How far its responses can be trusted. Left out: as the API."),
    fields: described(
      names,
      "The fields of a JSON response that are let through, such as `id` and `items[].name`; the rest is taken out. Left out: all.",
    ),
    sink: described(
      sink,
      "What may be sent with a call. Left out: what the API itself holds, so that it can be read again.",
    ),
    permissions: described(
      permissions,
      "What a call does. Left out: `read` and `connect`, and `write` where the method is none of GET, HEAD, OPTIONS and TRACE.",
    ),
    ...ownToolKeys,
  },
  { error: "a map" },
);

export const apiLimitsSchema = z.strictObject(
  {
    seconds: described(number, "How long a call may take. Left out: 30."),
    bytes: described(number, "The largest response. Left out: 4194304, which is 4 MiB."),
  },
  { error: "a map" },
);

export const apiSchema = z
  .strictObject(
    {
      spec: described(
        name,
        "The API's OpenAPI document, 3.0 or 3.1, as JSON or YAML: a file, relative to the one that this stands in.",
      ),
      spec_source: described(name, "The same as `spec`."),
      base_url: name.meta({
        description: "Where calls go, and nowhere else; the document's own `servers` are ignored.",
      }),
      ...sensitivity,
      headers: described(
        texts,
        "Headers sent with each call, such as `authorization`. Agents never see them.",
      ),
      query: described(texts, "Query parameters sent with each call. Agents never see them."),
      private_addresses: described(
        z.enum(["allow", "deny"]),
        "Whether the name in `base_url` may lead to an address that isn't public. Left out: `deny`.",
      ),
      only: described(names, "Only these operations, by name. Left out: all."),
      operations: described(
        z.record(z.string(), operationSchema, { error: "a map of operations by name" }),
        "What is to hold for some operations, by name.",
      ),
      limits: described(apiLimitsSchema, "What one call may take."),
    },
    { error: "a map with `spec` and `base_url`" },
  )
  .meta({
    id: "api",
    description: "An HTTP API whose operations agents may call.",
    oneOf: [{ required: ["spec"] }, { required: ["spec_source"] }],
  });

export type ApiDocument = z.infer<typeof apiSchema>;
export type OperationDocument = z.infer<typeof operationSchema>;
