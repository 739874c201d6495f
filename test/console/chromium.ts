/**
 * Where Chromium is: the one that `SLUICEGATE_CHROMIUM` names, or else the one that comes with the packages, unpacked
 * once per version.
 */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { type Browser, chromium } from "playwright-core";

const PACKAGES = resolve(import.meta.dirname, "../../node_modules");
const FONTS = "fonts.conf";
const UNPACK = "import('@sparticuz/chromium').then(({ default: packed }) => packed.executablePath())";
/** Its own flags turn the same-origin policy off, and everything into one process: a browser that nobody has. */
const FLAGS = ["--no-sandbox", "--font-render-hinting=none", "--disable-gpu", "--disable-dev-shm-usage"];

/** Starts a Chromium without a window. */
export async function launchChromium(): Promise<Browser> {
  const { executable, fonts } = await prepareChromium();
  return chromium.launch({
    executablePath: executable,
    args: FLAGS,
    env: { ...process.env, ...(fonts && { FONTCONFIG_FILE: fonts }) },
  });
}

/**
 * Unpacks it where that hasn't been done yet. Any number of processes may do so at once. `fonts` is a configuration of
 * fontconfig: without a font Chromium shows no text and crashes.
 */
export async function prepareChromium(): Promise<{ executable: string; fonts: string | null }> {
  const named = process.env.SLUICEGATE_CHROMIUM;
  if (named) return { executable: named, fonts: null };
  const { version } = JSON.parse(readFileSync(join(PACKAGES, "@sparticuz/chromium/package.json"), "utf8"));
  const folder = join(PACKAGES, ".cache", `chromium-${version}-fonts`);
  if (!existsSync(folder)) await unpackTo(folder);
  return { executable: join(folder, "chromium"), fonts: join(folder, FONTS) };
}

async function unpackTo(folder: string): Promise<void> {
  mkdirSync(join(PACKAGES, ".cache"), { recursive: true });
  const fresh = mkdtempSync(`${folder}-`);
  try {
    // The package unpacks into the folder for temporary files, and takes whatever it finds there for whole.
    const env = { ...process.env, TMPDIR: fresh };
    await promisify(execFile)(process.execPath, ["-e", UNPACK], { env, cwd: join(PACKAGES, "..") });
    // The package's own configuration looks for its fonts in folders of another machine.
    const fonts = `<fontconfig><dir>${join(folder, "fonts")}</dir><cachedir>${join(folder, "font-cache")}</cachedir></fontconfig>`;
    writeFileSync(join(fresh, FONTS), fonts);
    renameSync(fresh, folder);
  } catch (cause) {
    rmSync(fresh, { recursive: true, force: true });
    if (!existsSync(folder)) throw cause;
  }
}
