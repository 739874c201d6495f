/** Prints what the detectors find of the samples: `npm run detectors`. */
import { measure } from "./score.ts";

const { kinds, negatives, falseAlarms, precision } = await measure();
for (const { kind, count, found, missed } of kinds) {
  console.log(
    kind.padEnd(36),
    `${found}/${count}`.padStart(7),
    `${Math.round((100 * found) / count)} %`.padStart(6),
  );
  for (const one of missed) console.log("  missed", JSON.stringify(one));
}
for (const { text, kinds: wrong } of falseAlarms)
  console.log("  false alarm", wrong.join(", "), JSON.stringify(text));
console.log(
  `${falseAlarms.length} false alarms in ${negatives} texts with nothing in them, precision ${precision.toFixed(3)}`,
);
