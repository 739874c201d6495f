/**
 * The geometry of a gauge. Each level has one band: water at a level fills its band's lower half, and a gate with
 * that clearance has its sill above it. So a gate is under water exactly if the session's level is above its
 * clearance.
 */

export interface Placed<Gate> {
  readonly gate: Gate;
  /** The gate's centre, from the left. */
  readonly x: number;
  /** The gate's centre, from the top. */
  readonly y: number;
}

interface Channel<Gate> {
  readonly width: number;
  readonly height: number;
  /** The height of one level's band. */
  readonly band: number;
  /** The water's surface, from the top. */
  readonly surface: number;
  /** The position of each level's mark from the top, lowest first. */
  readonly marks: readonly number[];
  readonly gates: readonly Placed<Gate>[];
}

interface Size {
  readonly width: number;
  readonly height: number;
  /** Space at the left for the levels' names. */
  readonly margin: number;
}

/** Positions of marks, water and gates; `level` is `levels` if the session is above all of them. */
export function layOut<Gate extends { readonly height: number }>(
  { width, height, margin }: Size,
  levels: number,
  level: number,
  gates: readonly Gate[],
): Channel<Gate> {
  // Half a band below the lowest level's, and half a one above the highest.
  const band = height / (levels + 1);
  const at = (place: number): number => height - (place + 0.5) * band;
  const step = (width - margin) / Math.max(1, gates.length);
  return {
    width,
    height,
    band,
    surface: at(Math.min(level, levels)),
    marks: Array.from({ length: levels }, (_, place) => at(place)),
    gates: gates.map((gate, place) => ({
      gate,
      x: margin + step * (place + 0.5),
      y: height - (Math.max(0, gate.height) + 1) * band,
    })),
  };
}
