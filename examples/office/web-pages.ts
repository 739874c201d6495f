/** The pages of the example's web, read from a folder once. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { htmlTitle, htmlToText } from "./html.ts";

export interface WebPage {
  readonly title: string;
  readonly html: string;
  readonly text: string;
}

/** All `*.html` files of a folder by their path, such as `/sensor-review.html`. Only these can be asked for. */
export async function readWebPages(folder: string): Promise<ReadonlyMap<string, WebPage>> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".html")).sort();
  const pages = await Promise.all(
    names.map(async (name): Promise<[string, WebPage]> => {
      const html = await readFile(join(folder, name), "utf8");
      return [`/${name}`, { title: htmlTitle(html) ?? name, html, text: htmlToText(html) }];
    }),
  );
  return new Map(pages);
}
