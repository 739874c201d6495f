/** A session's gauge for the wire. */
import type { z } from "zod";
import type { Gauge } from "../console-data/gauge.ts";
import type { gauge } from "./session-schemas.ts";

export const toWireGauge = ({ level, gates }: Gauge): z.output<typeof gauge> => ({
  level,
  gates: gates.map((gate) => ({ ...gate, names: [...gate.names] })),
});
