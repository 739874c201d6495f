/**
 * Removes the C headers that come with the `node` package: 67 MB for building native add-ons, and there are none.
 * It is JavaScript, and runs on whatever Node the machine has.
 */
import { existsSync, readdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const packages = fileURLToPath(new URL("../node_modules/node/node_modules/", import.meta.url));
if (existsSync(packages)) {
  for (const name of readdirSync(packages).filter((one) => one.startsWith("node-")))
    rmSync(`${packages}${name}/include`, { recursive: true, force: true });
}
