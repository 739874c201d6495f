/** The shape of `detectors` in a policy file, with what each key does. */
import { z } from "zod";
import { described, source } from "./tool-schema.ts";

const number = z.number({ error: "a number" });

export const detectorLimitsSchema = z.strictObject(
  {
    bytes: described(
      number,
      "The longest result that is looked at; a longer one counts as one with findings. Left out: 1048576, which is 1 MiB.",
    ),
    milliseconds: described(
      number,
      "How long is looked; what takes longer counts as one with findings. Left out: 500.",
    ),
  },
  { error: "a map" },
);

export const detectorsSchema = z.strictObject(
  {
    secrets: described(
      source,
      "The label that a session gets where a result holds a secret, such as a key of an API.",
    ),
    personal_data: described(
      source,
      "The label that a session gets where a result holds personal data, such as an account number.",
    ),
    limits: described(detectorLimitsSchema, "How much of a result is looked at, and for how long."),
  },
  { error: "a map" },
);

export type DetectorsDocument = z.infer<typeof detectorsSchema>;
