/**
 * The files of the built console: read once, kept in memory, and served without a token, since they contain no data.
 * A page requests its data from the API, with a token.
 * THREAT: the client chooses the path. It is looked up among the files that were read, never in the file system.
 */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { SluicegateError } from "../../errors/index.ts";
import { CONSOLE_HEADERS } from "./console-headers.ts";

/** The parts of a request that select a file. */
interface FileRequest {
  readonly method: string;
  readonly path: string;
  readonly header: (name: string) => string | undefined;
}

export interface ConsoleFiles {
  /** Whether the request may be for the console. Called for every request, so it is cheap. */
  owns(request: FileRequest): boolean;
  /**
   * The answer; null if there is no file and the path may belong to something else.
   * @throws SluicegateError `not-found` if there is no such file, or the console isn't built; `method-not-allowed`
   *   for anything but GET and HEAD.
   */
  answer(request: FileRequest): Promise<Response | null>;
}

interface ConsoleFile {
  readonly type: string;
  readonly etag: string;
  readonly plain: Uint8Array<ArrayBuffer>;
  /** Null if compression doesn't make it smaller. */
  readonly zipped: Uint8Array<ArrayBuffer> | null;
}

type Files = ReadonlyMap<string, ConsoleFile>;

/** Files of other types aren't served. */
const TYPES: ReadonlyMap<string, string> = new Map([
  [".html", "text/html; charset=utf-8"],
  [".js", "text/javascript; charset=utf-8"],
  [".css", "text/css; charset=utf-8"],
  [".woff2", "font/woff2"],
  [".svg", "image/svg+xml"],
  [".png", "image/png"],
  [".txt", "text/plain; charset=utf-8"],
  [".ico", "image/x-icon"],
]);

const INDEX = "/index.html";
/** Paths of pages: the page itself decides what to show. */
const PAGE = /^\/(?:(?:approvals|sessions|policy)(?:\/.*)?)?$/s;
/** Paths of the API, and of pages that need no console. */
const API = /^\/(?:v1|mcp|s|oauth|answer|metrics|openapi\.json|healthz|readyz)(?:\/|$)/;
const ASSET = /^\/assets\//;
/** Files beside the page, such as its icon. */
const BESIDE = /^\/[\w-]+\.(?:html|svg|png|txt|ico)$/i;

/**
 * The console in this folder, read at the first request. A missing one is looked for again.
 * @param basePath the prefix of its addresses in a browser, such as `/sluicegate`
 */
export function createConsoleFiles(folder: string, basePath: () => string = () => ""): ConsoleFiles {
  let reading: Promise<Files> | null = null;
  const read = async (): Promise<Files> => {
    reading ??= readFiles(folder, basePath());
    try {
      return await reading;
    } catch (cause) {
      reading = null;
      throw notBuilt(cause);
    }
  };
  return {
    owns: (request) =>
      PAGE.test(request.path) || ASSET.test(request.path) || BESIDE.test(request.path) || isLost(request),
    answer: async (request) => {
      const { method, path, header } = request;
      const isUnknown = isLost(request);
      const isPage = PAGE.test(path) || isUnknown;
      const isAsset = ASSET.test(path);
      const files = isPage || isAsset ? await read() : await read().catch(() => null);
      const file = files?.get(isPage ? INDEX : path);
      if (!file && !isAsset) return null;
      if (method !== "GET" && method !== "HEAD") throw onlyRead();
      if (!file) throw noSuchFile();
      return toResponse(file, { method, isAsset, isUnknown }, header);
    },
  };
}

/** Whether a browser requests a missing page: the console then says so in words. */
const isLost = ({ method, path, header }: FileRequest): boolean =>
  (method === "GET" || method === "HEAD") &&
  header("accept")?.includes("text/html") === true &&
  header("authorization") === undefined &&
  ![PAGE, ASSET, BESIDE, API].some((known) => known.test(path));

interface Asked {
  readonly method: string;
  readonly isAsset: boolean;
  readonly isUnknown: boolean;
}

function toResponse(
  { type, etag, plain, zipped }: ConsoleFile,
  { method, isAsset, isUnknown }: Asked,
  header: FileRequest["header"],
): Response {
  const headers = new Headers({
    ...CONSOLE_HEADERS,
    // An asset's name changes with its content; the page must always be the newest one.
    "cache-control": isAsset ? "public, max-age=31536000, immutable" : "no-cache",
    vary: "accept-encoding",
    etag,
  });
  if (!isUnknown && names(header("if-none-match"), etag)) return new Response(null, { status: 304, headers });
  const isZipped = zipped !== null && takesGzip(header("accept-encoding"));
  const body = isZipped ? zipped : plain;
  if (isZipped) headers.set("content-encoding", "gzip");
  headers.set("content-type", type);
  headers.set("content-length", String(body.byteLength));
  return new Response(method === "HEAD" ? null : body, { status: isUnknown ? 404 : 200, headers });
}

const names = (given: string | undefined, etag: string): boolean =>
  given?.split(",").some((one) => [etag, etag.slice(2), "*"].includes(one.trim())) ?? false;

const takesGzip = (given: string | undefined): boolean =>
  given?.split(",").some((coding) => {
    const [name, ...parameters] = coding.split(";").map((part) => part.trim().toLowerCase());
    return (name === "gzip" || name === "*") && !parameters.some((one) => /^q=0(\.0*)?$/.test(one));
  }) ?? false;

async function readFiles(folder: string, basePath: string): Promise<Files> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  // Links aren't served, so nothing outside the folder is read.
  const found = entries.filter((entry) => entry.isFile() && TYPES.has(extname(entry.name)));
  const files = await Promise.all(
    found.map(async ({ parentPath, name }): Promise<[string, ConsoleFile]> => {
      const file = join(parentPath, name);
      const path = `/${relative(folder, file).replaceAll(sep, "/")}`;
      const content = await readFile(file);
      const isIndex = path === INDEX;
      return [
        path,
        await toFile(TYPES.get(extname(name)) ?? "", isIndex ? withBase(content, basePath) : content),
      ];
    }),
  );
  const byPath = new Map(files);
  if (!byPath.has(INDEX)) throw new Error(`There is no index.html in ${folder}.`);
  return byPath;
}

/** The same page is served at every address, so its assets need absolute paths. */
const withBase = (page: Buffer<ArrayBuffer>, basePath: string): Buffer<ArrayBuffer> =>
  Buffer.from(page.toString().replaceAll('="./', `="${basePath}/`));

const zip = promisify(gzip);

async function toFile(type: string, content: Buffer<ArrayBuffer>): Promise<ConsoleFile> {
  // Fonts and images are compressed already.
  const zipped = /^font|png$/.test(type) ? content : await zip(content, { level: 9 });
  const digest = createHash("sha256").update(content).digest("base64url").slice(0, 22);
  return {
    type,
    // Weak, because it is the same for every encoding.
    etag: `W/"${digest}"`,
    plain: content,
    zipped: zipped.byteLength < content.byteLength * 0.9 ? new Uint8Array(zipped) : null,
  };
}

const notBuilt = (cause: unknown): SluicegateError =>
  new SluicegateError("not-found", "The console isn't built.", {
    why: "Its pages don't lie where this gateway looks for them. Everything else works without it.",
    fix: "Run `npm run build:console` in the checkout, then load the page again.",
    cause,
  });

const noSuchFile = (): SluicegateError =>
  new SluicegateError("not-found", "The console has no such file.", {
    why: "Nothing is served at this path; a page of an older console may ask for what a newer one hasn't.",
    fix: "Load the page again.",
  });

const onlyRead = (): SluicegateError =>
  new SluicegateError("method-not-allowed", "The console's files can only be read.", {
    why: "The path is known, with `GET` and `HEAD`.",
    fix: "Look at `/openapi.json` for the routes that take something.",
  });
