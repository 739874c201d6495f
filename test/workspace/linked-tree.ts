/** The tree of the cases about links and about what lies outside. */
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { ignored, type PathCase, type Place, SECRET, track, write } from "./path-case.ts";

/** A repository with a tracked file, an ignored one, and a secret outside. */
export async function buildTree({ root, outside }: Place): Promise<void> {
  ignored(root, ["shut/", ".env"], ".env", "shut/secret", "shut/a.txt");
  for (const name of ["a.txt", "sub/a.txt", "sub/deep/b.txt"]) write(join(root, name));
  await track(root, "a.txt", "sub/a.txt", "sub/deep/b.txt");
  for (const name of ["secret", "a.txt", "sub/secret"]) write(join(outside, name), SECRET);
}

/** A link in that repository, tracked itself. */
export function buildLink(name: string, to: string | ((place: Place) => string)): PathCase["build"] {
  return async (place) => {
    await buildTree(place);
    symlinkSync(typeof to === "string" ? to : to(place), join(place.root, name));
    await track(place.root, name);
  };
}
