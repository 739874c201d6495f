/** A JSON object, as opposed to a list or a scalar. */
export type JsonObject = Readonly<Record<string, unknown>>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A Standard Schema that takes any object as it came: the SDK's own schemas drop the fields that they don't know. */
export const ANY_OBJECT: AnyObjectSchema = {
  "~standard": {
    version: 1,
    vendor: "sluicegate",
    validate: (value) => (isJsonObject(value) ? { value } : { issues: [{ message: "not an object" }] }),
  },
};

/** As the Standard Schema specification, version 1, has it. */
export interface AnyObjectSchema {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => { value: JsonObject } | { issues: { message: string }[] };
    readonly types?: { readonly input: unknown; readonly output: JsonObject } | undefined;
  };
}
