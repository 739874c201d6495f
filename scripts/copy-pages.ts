/** The pages that come with the package: what users read, and the library's examples that they link to. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** Copies them; a link to what doesn't come along becomes its text. */
export function copyPages(root: string, out: string): void {
  const pages = ["README.md", "CHANGELOG.md", "SECURITY.md", "LICENSE", ...filesOf(root, "docs")];
  for (const page of [...pages, ...filesOf(root, "examples/library")]) {
    mkdirSync(dirname(join(out, page)), { recursive: true });
    cpSync(join(root, page), join(out, page));
  }
  for (const page of pages.filter((name) => name.endsWith(".md"))) {
    const file = join(out, page);
    writeFileSync(file, withoutLostLinks(readFileSync(file, "utf8"), dirname(file)));
  }
}

const filesOf = (root: string, folder: string): readonly string[] =>
  readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.includes(".test"))
    .map((entry) => `${folder}/${entry.name}`);

const withoutLostLinks = (text: string, folder: string): string =>
  text.replaceAll(/!?\[([^\]]*)\]\((?!https?:)([^)#\s]+)[^)]*\)/g, (link, words: string, target: string) =>
    existsSync(resolve(folder, target)) ? link : words,
  );
