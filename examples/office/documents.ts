/** The company's documents: Markdown files, searched section by section, so that an answer is not a whole file. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

export interface Section {
  /** File name, such as `pricing.md`. */
  readonly document: string;
  /** The document's title and the section's heading, such as `Prices and discounts: Floors`. */
  readonly title: string;
  readonly text: string;
}

/** All sections of all `*.md` files in a folder, read afresh, by file name. */
export async function readDocuments(folder: string): Promise<Section[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".md")).sort();
  const sections = await Promise.all(
    names.map(async (name) => toSections(name, await readFile(join(folder, name), "utf8"))),
  );
  return sections.flat();
}

/** One section per `## ` heading, and one for what stands before the first. */
export function toSections(document: string, markdown: string): Section[] {
  const [opening = "", ...rest] = markdown.split(/^## /m);
  const title = /^# (.*)$/m.exec(opening)?.[1] ?? document;
  const introduction = { document, title, text: opening.replace(/^# .*$/m, "").trim() };
  const sections = rest.map((part) => {
    const [heading = "", ...lines] = part.split("\n");
    return { document, title: `${title}: ${heading.trim()}`, text: lines.join("\n").trim() };
  });
  return [introduction, ...sections].filter((section) => section.text !== "");
}
