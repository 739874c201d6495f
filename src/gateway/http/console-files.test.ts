import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/temporary-folder.ts";
import { type ConsoleFiles, createConsoleFiles } from "./console-files.ts";

const { path } = temporaryFolder();

const PAGE = `<!doctype html><title>Console</title>${"<p>quiet</p>".repeat(100)}`;

/** A built console, small. */
function build(): string {
  const folder = path("dist");
  mkdirSync(`${folder}/assets/deep`, { recursive: true });
  writeFileSync(`${folder}/index.html`, PAGE);
  writeFileSync(`${folder}/favicon.ico`, "icon");
  writeFileSync(`${folder}/assets/index-1a2b.js`, "run();");
  writeFileSync(`${folder}/assets/font-1a2b.woff2`, Buffer.alloc(64, 7));
  writeFileSync(`${folder}/assets/deep/part-1a2b.css`, "p {}");
  writeFileSync(`${folder}/assets/notes.json`, "{}");
  const secret = path("secret.txt");
  writeFileSync(secret, "a secret");
  symlinkSync(secret, `${folder}/assets/linked.txt`);
  return folder;
}

const ask = (
  files: ConsoleFiles,
  at: string,
  headers: Record<string, string> = {},
  method = "GET",
): Promise<Response | null> => files.answer({ method, path: at, header: (name) => headers[name] });

const textOf = async (files: ConsoleFiles, at: string): Promise<string | undefined> =>
  (await ask(files, at))?.text();

describe("the console's files", () => {
  it("are answered by their paths, with their types", async () => {
    const files = createConsoleFiles(build());
    expect(await textOf(files, "/")).toBe(PAGE);
    expect(await textOf(files, "/index.html")).toBe(PAGE);
    expect(await textOf(files, "/assets/deep/part-1a2b.css")).toBe("p {}");
    const types = ["/", "/favicon.ico", "/assets/index-1a2b.js", "/assets/font-1a2b.woff2"].map(async (at) =>
      (await ask(files, at))?.headers.get("content-type"),
    );
    expect(await Promise.all(types)).toEqual([
      "text/html; charset=utf-8",
      "image/x-icon",
      "text/javascript; charset=utf-8",
      "font/woff2",
    ]);
  });

  it.each([
    ["/", true],
    ["/approvals", true],
    ["/approvals/appr_1", true],
    ["/sessions/sess_1/plan", true],
    ["/policy/flows", true],
    ["/approvalsx", false],
    ["/v1/approvals", false],
    ["/policy.json", false],
    ["/mcp", false],
    ["/s/sess_1/mcp", false],
    ["/openapi.json", false],
    ["/healthz", false],
  ])("has the page at %s: %s", async (at, isPage) => {
    const files = createConsoleFiles(build());
    expect([at, files.owns({ method: "GET", path: at, header: () => undefined })]).toEqual([at, isPage]);
    expect((await textOf(files, at)) === PAGE).toBe(isPage);
  });

  it.each([
    "/answer/abc.def",
    "/oauth/sign-in/docs",
    "/v1/approvals",
  ])("leaves a browser's %s to the gateway, though it asks for a page", async (at) => {
    const files = createConsoleFiles(build());
    expect(await ask(files, at, { accept: "text/html,*/*" })).toBeNull();
    expect((await ask(files, "/nowhere", { accept: "text/html,*/*" }))?.status).toBe(404);
  });

  it("lets a browser keep an asset for good, and ask for the page each time", async () => {
    const files = createConsoleFiles(build());
    const kept = async (at: string) => (await ask(files, at))?.headers.get("cache-control");
    expect(await kept("/assets/index-1a2b.js")).toBe("public, max-age=31536000, immutable");
    expect(await kept("/")).toBe("no-cache");
    expect(await kept("/favicon.ico")).toBe("no-cache");
  });

  it("answers 304, with nothing, to whoever has a file already", async () => {
    const files = createConsoleFiles(build());
    const etag = (await ask(files, "/"))?.headers.get("etag") ?? "";
    expect(etag).toMatch(/^W\/"[\w-]{22}"$/);
    for (const given of [etag, `"other", ${etag}`, etag.slice(2), "*"]) {
      const answer = await ask(files, "/", { "if-none-match": given });
      expect([given, answer?.status, await answer?.text()]).toEqual([given, 304, ""]);
      expect(answer?.headers.get("content-security-policy")).toContain("default-src 'none'");
    }
    expect((await ask(files, "/", { "if-none-match": '"other"' }))?.status).toBe(200);
  });

  it.each([
    ["gzip", true],
    ["br, GZIP;q=0.5", true],
    ["*", true],
    ["gzip;q=0", false],
    ["gzip; q=0.000", false],
    ["br", false],
    ["", false],
  ])("is compressed for a client that takes %j: %s", async (accepted, isZipped) => {
    const answer = await ask(createConsoleFiles(build()), "/", { "accept-encoding": accepted });
    const body = new Uint8Array((await answer?.arrayBuffer()) ?? new ArrayBuffer());
    expect(answer?.headers.get("content-encoding")).toBe(isZipped ? "gzip" : null);
    expect(answer?.headers.get("content-length")).toBe(String(body.byteLength));
    expect(answer?.headers.get("vary")).toBe("accept-encoding");
    expect((isZipped ? gunzipSync(body) : Buffer.from(body)).toString()).toBe(PAGE);
  });

  it("doesn't compress what doesn't get smaller", async () => {
    const answer = await ask(createConsoleFiles(build()), "/assets/index-1a2b.js", {
      "accept-encoding": "gzip",
    });
    expect(answer?.headers.get("content-encoding")).toBeNull();
  });

  it("answers HEAD like GET, without the body", async () => {
    const answer = await ask(createConsoleFiles(build()), "/", {}, "HEAD");
    expect([answer?.status, answer?.headers.get("content-length"), await answer?.text()]).toEqual([
      200,
      String(PAGE.length),
      "",
    ]);
  });

  it.each(["POST", "PUT", "DELETE", "OPTIONS"])("refuses %s", async (method) => {
    const files = createConsoleFiles(build());
    for (const at of ["/", "/approvals/appr_1", "/assets/index-1a2b.js", "/assets/none.js"])
      await expect(ask(files, at, {}, method)).rejects.toMatchObject({ code: "method-not-allowed" });
  });

  it.each([
    "/assets/none.js",
    "/assets/notes.json",
    "/assets/linked.txt",
    "/assets/",
    "/assets/deep",
    "/assets/../index.html",
    "/assets/..%2findex.html",
    "/assets/../../secret.txt",
    "/assets//index-1a2b.js",
    "/assets/index-1a2b.js\0",
    "/assets/constructor",
  ])("has no file at %j", async (at) => {
    await expect(ask(createConsoleFiles(build()), at)).rejects.toMatchObject({ code: "not-found" });
  });

  it("leaves a name beside the page that isn't there to the other routes", async () => {
    expect(await ask(createConsoleFiles(build()), "/robots.txt")).toBeNull();
  });

  it("says that the console isn't built, and has it as soon as it is", async () => {
    const folder = build();
    renameSync(folder, `${folder}-later`);
    const files = createConsoleFiles(folder);
    for (const at of ["/", "/sessions", "/assets/index-1a2b.js"]) {
      await expect(ask(files, at)).rejects.toMatchObject({
        code: "not-found",
        message: "The console isn't built.",
        fix: expect.stringContaining("`npm run build:console`"),
      });
    }
    expect(await ask(files, "/favicon.ico")).toBeNull();
    renameSync(`${folder}-later`, folder);
    expect(await textOf(files, "/")).toBe(PAGE);
  });

  it("reads its folder once", async () => {
    const folder = build();
    const files = createConsoleFiles(folder);
    await Promise.all([ask(files, "/"), ask(files, "/assets/index-1a2b.js")]);
    rmSync(folder, { recursive: true });
    expect(await textOf(files, "/")).toBe(PAGE);
    expect(await textOf(files, "/assets/index-1a2b.js")).toBe("run();");
  });
});
