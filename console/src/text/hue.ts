/** The colours of levels: four of them, the same everywhere. */
import styles from "./hue.module.css";

const HUES = 4;

/** The class for a level's colour, by its height; above all levels, the last one. */
export function hueOf(height: number, levels: number): string {
  const place = height >= levels ? 1 : height / Math.max(1, levels - 1);
  return styles[`hue${Math.round(place * (HUES - 1))}`] ?? "";
}
