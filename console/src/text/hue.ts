/** The hue of a level: four of them, the same everywhere. */
import styles from "./hue.module.css";

const HUES = 4;

/** The class that gives an element the hue of a level, by its height; above all levels it is the last one. */
export function hueOf(height: number, levels: number): string {
  const place = height >= levels ? 1 : height / Math.max(1, levels - 1);
  return styles[`hue${Math.round(place * (HUES - 1))}`] ?? "";
}
