/** Where requests go, and what is taken of an answer. */
import { once } from "node:events";
import { createServer } from "node:http";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { SluicegateError } from "../../errors/index.ts";
import type { JsonObject } from "../../runtime/index.ts";
import type { ApiOptions } from "./api-tool.ts";
import { isWithinBase, parseBaseUrl } from "./base-url.ts";
import { type HostAddress, isAllowed } from "./exchange/addresses.ts";
import {
  call,
  closeAll,
  documentOf,
  INTERNAL,
  openApi,
  operationOf,
  startWitness,
  textOf,
} from "./openapi.test-kit.ts";

afterEach(closeAll);

const DOCUMENT = documentOf({
  "/x": {
    get: operationOf([], { operationId: "read" }),
    post: operationOf([], { operationId: "write" }),
    head: operationOf([], { operationId: "look" }),
  },
});

const open = (baseUrl: string, options: Partial<ApiOptions> = {}) =>
  openApi(DOCUMENT, { baseUrl, ...options });

const failure = (work: Promise<unknown>): Promise<SluicegateError> =>
  work.then(
    () => {
      throw new Error("It did not fail.");
    },
    (error) => error,
  );

const at = (address: string): HostAddress => ({ address, family: address.includes(":") ? 6 : 4 });

describe("an address that a name stands for", () => {
  it.each([
    ["127.0.0.1", false, true],
    ["127.9.9.9", false, true],
    ["10.0.0.8", false, true],
    ["172.16.0.1", false, true],
    ["172.31.255.255", false, true],
    ["192.168.1.1", false, true],
    ["100.64.0.1", false, true],
    ["198.18.0.1", false, true],
    ["::1", false, true],
    ["fd12::1", false, true],
    ["0.0.0.0", false, false],
    ["100.100.100.200", false, false],
    ["168.63.129.16", false, false],
    ["169.254.169.254", false, false],
    ["224.0.0.1", false, false],
    ["255.255.255.255", false, false],
    ["::", false, false],
    ["fe80::1", false, false],
    ["fe80::1%eth0", false, false],
    ["fd00:ec2::254", false, false],
    ["ff02::1", false, false],
    ["::ffff:127.0.0.1", false, false],
    ["::ffff:7f00:1", false, false],
    ["::ffff:93.184.216.34", false, false],
    ["0:0:0:0:0:ffff:7f00:1", false, false],
    ["::127.0.0.1", false, false],
    ["64:ff9b::7f00:1", false, false],
    ["2002:7f00:1::", false, false],
    ["2001:0:7f00:1::", false, false],
    ["93.184.216.34", true, true],
    ["172.32.0.1", true, true],
    ["2606:2800:220:1::1", true, true],
    ["example.com", false, false],
    ["", false, false],
  ])("%s may be called: %j, with private ones: %j", (address, plain, withPrivate) => {
    expect([isAllowed(at(address), false), isAllowed(at(address), true)]).toEqual([plain, withPrivate]);
  });
});

describe("a name in the base URL", () => {
  it("is refused where it stands for this machine, and nothing arrives there", async () => {
    const witness = await startWitness();
    const provider = await open(`http://api.example:${witness.port}`, {
      lookUp: async () => [at("127.0.0.1")],
    });
    const { code, why, fix } = await failure(call(provider, "read"));
    expect([code, why, fix]).toEqual([
      "upstream-unavailable",
      "The name in its `base_url` stands for an address that is private, local or reserved.",
      "If the API runs there, let the operator write its address into `base_url`, or declare `private_addresses: allow`.",
    ]);
    expect(witness.arrived).toEqual([]);
  });

  it("is refused where only one of its addresses is", async () => {
    const witness = await startWitness();
    const lookUp = async () => [at("93.184.216.34"), at("127.0.0.1")];
    const provider = await open(`http://api.example:${witness.port}`, { lookUp });
    expect((await failure(call(provider, "read"))).code).toBe("upstream-unavailable");
    expect(witness.arrived).toEqual([]);
  });

  it("may stand for it where that is declared, and keeps its name in the request", async () => {
    const witness = await startWitness();
    const lookUp = async () => [at("127.0.0.1")];
    const provider = await open(`http://api.example:${witness.port}`, { lookUp, allowPrivate: true });
    await call(provider, "read");
    expect(witness.arrived.map(({ headers }) => headers.host)).toEqual([`api.example:${witness.port}`]);
  });

  it("never stands for link-local addresses, such as a cloud's metadata", async () => {
    const lookUp = async () => [at("169.254.169.254")];
    const provider = await open("http://api.example", { lookUp, allowPrivate: true });
    expect((await failure(call(provider, "read"))).code).toBe("upstream-unavailable");
  });

  it("is resolved once for each request, and the connection goes to what was checked then", async () => {
    const witness = await startWitness();
    // The name's second answer leads elsewhere: DNS rebinding.
    const answers = [[at("127.0.0.1")], [at("169.254.169.254")]];
    const lookUp = vi.fn(async () => answers.shift() ?? []);
    const provider = await open(`http://api.example:${witness.port}`, { lookUp, allowPrivate: true });
    await call(provider, "read");
    expect([lookUp.mock.calls, witness.arrived.length]).toEqual([[["api.example"]], 1]);
    expect((await failure(call(provider, "read"))).why).toContain("private, local or reserved");
    expect(witness.arrived.length).toBe(1);
  });

  it("is checked again before a redirect is followed", async () => {
    const witness = await startWitness((_, __request, response) => {
      response.writeHead(302, { location: "/x?again" }).end();
    });
    const answers = [[at("127.0.0.1")], [at("169.254.169.254")]];
    const provider = await open(`http://api.example:${witness.port}`, {
      lookUp: async () => answers.shift() ?? [],
      allowPrivate: true,
    });
    expect((await failure(call(provider, "read"))).why).toContain("private, local or reserved");
    expect(witness.arrived.map(({ url }) => url)).toEqual(["/x"]);
  });

  it("that can't be resolved is told as that", async () => {
    for (const lookUp of [async () => [], () => Promise.reject(new Error("ENOTFOUND"))]) {
      const provider = await open("http://api.example", { lookUp });
      expect((await failure(call(provider, "read"))).why).toBe(
        "The name in its `base_url` couldn't be resolved.",
      );
    }
  });

  it("`localhost` stands for loopback addresses alone", async () => {
    const witness = await startWitness();
    const provider = await open(`http://localhost:${witness.port}`, {
      lookUp: async () => [at("127.0.0.1")],
    });
    await call(provider, "read");
    expect(witness.arrived.length).toBe(1);
    const other = await open("http://localhost", {
      lookUp: async () => [at("10.0.0.8")],
      allowPrivate: true,
    });
    expect((await failure(call(other, "read"))).code).toBe("upstream-unavailable");
  });
});

describe("a base URL", () => {
  it.each([
    ["ftp://api.example/", "no `http` or `https`"],
    ["tickets", "no `http` or `https`"],
    ["http://user:pass@api.example/", "a name or a password"],
    ["http://api.example/?key=1", "a query or a fragment"],
    ["http://api.example/#a", "a query or a fragment"],
    ["http://api.example/?", "a query or a fragment"],
    ["http://api.example/a/%252e%252e/b", "dot segment"],
  ])("%s is refused, and its secrets aren't told: %s", async (text, words) => {
    const { status, problem } = await open(text);
    expect([status, problem?.includes(words), problem?.includes("pass@")]).toEqual(["down", true, false]);
  });

  it.each([
    ["/base", true],
    ["/base/x", true],
    ["/base/x?y=/../z", true],
    ["/base2", false],
    ["/", false],
    ["/base/../x", false],
    ["/base/%2e%2e/x", false],
    ["/base/..%2fx", false],
    ["/base/..;/x", false],
    ["/base\\..\\x", false],
  ])("holds %s: %j", (target, expected) => {
    const base = parseBaseUrl("http://api.example/base/");
    if (typeof base === "string") throw new Error(base);
    expect(isWithinBase(base, target)).toBe(expected);
  });
});

describe("a redirect", () => {
  const lead = async (location: string, tool = "read", options: Partial<ApiOptions> = {}) => {
    const witness = await startWitness(({ url }, _, response) => {
      if (url.startsWith("/base/x")) response.writeHead(302, { location }).end("a secret");
      else response.setHeader("content-type", "application/json").end('{"end":true}');
    });
    const provider = await open(`${witness.url}/base`, options);
    const done = await call(provider, tool).catch((error: SluicegateError) => error);
    return { done, urls: witness.arrived.map(({ url }) => url), witness };
  };

  it("within the API is followed, with the operator's headers and query", async () => {
    const { done, urls, witness } = await lead("/base/X/?a=1", "read", {
      headers: { Authorization: "Bearer 0123456789" },
      query: { api_key: "k+ey" },
    });
    expect(done).toMatchObject({ structuredContent: { end: true } });
    expect(urls).toEqual(["/base/x?api_key=k%2Bey", "/base/X/?a=1&api_key=k%2Bey"]);
    expect(witness.arrived.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer 0123456789",
      "Bearer 0123456789",
    ]);
  });

  it.each([
    "http://169.254.169.254/latest/meta-data",
    "http://127.0.0.1:1/base/x",
    "https://127.0.0.1/base/y",
    "//other.example/base/y",
    "/other",
    "/base/../other",
    "/base/%2e%2e/other",
    "/base/..%2fother",
    "/base2/y",
    "http://user:pass@127.0.0.1/base",
    "javascript:alert(1)",
    "file:///etc/passwd",
    "http://[",
  ])("to %s is not followed, and not told", async (location) => {
    const { done, urls } = await lead(location);
    expect(done).toMatchObject({ code: "upstream-failed", why: "It leads outside of the API's `base_url`." });
    expect(JSON.stringify([done, String(done)])).not.toContain("169.254");
    expect(urls).toEqual(["/base/x"]);
  });

  it.each([
    "/EXPORT/",
    "/export.json",
    "/undocumented",
  ])("to another path than the operation's is not followed: %s", async (location) => {
    const witness = await startWitness(({ url }, _, response) => {
      if (url === "/x") response.writeHead(302, { location }).end();
      else response.setHeader("content-type", "application/json").end('{"all":true}');
    });
    const document = documentOf({
      "/x": { get: operationOf([], { operationId: "read" }) },
      "/export": { get: operationOf([], { operationId: "export" }) },
    });
    const operations = [{ name: "read", method: "get", path: "/x", label: INTERNAL, fields: null }];
    const provider = await openApi(document, { baseUrl: witness.url, operations });
    expect((await failure(call(provider, "read"))).why).toBe(
      "It leads to a path that is not this operation's.",
    );
    expect(witness.arrived.map(({ url }) => url)).toEqual(["/x"]);
  });

  it("of a writing request is not followed", async () => {
    const { done, urls } = await lead("/base/y", "write");
    expect([(done as SluicegateError).why, urls]).toEqual([
      "What it was asked for is more than a reading.",
      ["/base/x"],
    ]);
  });

  it("that goes on and on is given up", async () => {
    const { done, urls } = await lead("/base/x");
    expect([(done as SluicegateError).code, urls.length]).toEqual(["upstream-failed", 6]);
  });
});

describe("an exchange", () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it("doesn't use the environment's proxies", async () => {
    const [witness, proxy] = [await startWitness(), await startWitness()];
    for (const name of ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"]) vi.stubEnv(name, proxy.url);
    vi.stubEnv("NODE_USE_ENV_PROXY", "1");
    await call(await open(witness.url), "read");
    expect([witness.arrived.length, proxy.arrived.length]).toEqual([1, 0]);
  });

  it("keeps no cookie", async () => {
    const witness = await startWitness((_, __request, response) => {
      response.writeHead(200, { "set-cookie": "session=1", "content-type": "application/json" }).end("{}");
    });
    const provider = await open(witness.url);
    const results = [await call(provider, "read"), await call(provider, "read")];
    expect(witness.arrived.map(({ headers }) => headers.cookie)).toEqual([undefined, undefined]);
    expect(JSON.stringify(results)).not.toContain("session");
  });

  it.each([
    ["before its head", () => {}],
    [
      "in the midst of its body",
      (_: unknown, __: unknown, response: { write: (text: string) => void }) => response.write("{"),
    ],
  ] as const)("ends in time where the API stops %s", async (_, answer) => {
    const witness = await startWitness(answer as never);
    const provider = await open(witness.url, { limits: { bytes: 1000, seconds: 0.3 } });
    expect((await failure(call(provider, "read"))).code).toBe("upstream-timeout");
  });

  it("ends in time where the name isn't resolved", async () => {
    const lookUp = () => new Promise<never>(() => {});
    const provider = await open("http://api.example", { lookUp, limits: { bytes: 1000, seconds: 0.1 } });
    expect((await failure(call(provider, "read"))).code).toBe("upstream-timeout");
  });

  it("ends when its caller or its provider does, and the API sees the connection close", async () => {
    const gone: Promise<unknown>[] = [];
    const begun = Promise.withResolvers<void>();
    const witness = await startWitness((_, request) => {
      gone.push(once(request.socket, "close"));
      begun.resolve();
    });
    const provider = await open(witness.url);
    const caller = new AbortController();
    const work = failure(provider.run("read", {}, { signal: caller.signal }));
    await begun.promise;
    caller.abort(new Error("The caller has gone."));
    expect((await work).message).toBe("The caller has gone.");
    await Promise.all(gone);
    const other = failure(provider.run("read", {}, {}));
    await vi.waitFor(() => expect(witness.arrived.length).toBe(2));
    await provider.close();
    expect((await other).why).toBe("Its program is ending.");
    expect((await failure(provider.run("read", {}, {}))).code).toBe("upstream-unavailable");
  });

  it.each<[string, JsonObject, Buffer | string]>([
    ["plain", {}, "x".repeat(2000)],
    ["gzip", { "content-encoding": "gzip" }, gzipSync("x".repeat(5_000_000))],
    ["gzip of much", { "content-encoding": "gzip" }, gzipSync(Buffer.alloc(100_000_000))],
    ["br", { "content-encoding": "br" }, brotliCompressSync("x".repeat(5_000_000))],
  ])("takes no more than its limit, counted after decompression: %s", async (_, headers, body) => {
    const witness = await startWitness((__, ___, response) => {
      response.writeHead(200, { "content-type": "text/plain", ...headers } as never).end(body);
    });
    const provider = await open(witness.url, { limits: { bytes: 1000, seconds: 10 } });
    const { code, message } = await failure(call(provider, "read"));
    expect([code, message]).toEqual(["result-too-large", "The API's answer is larger than 1000 bytes."]);
  });

  it("reads compressed answers", async () => {
    const witness = await startWitness((_, __, response) => {
      const headers = { "content-type": "application/json", "content-encoding": "br" };
      response.writeHead(200, headers).end(brotliCompressSync('{"a":1}'));
    });
    expect((await call(await open(witness.url), "read")).structuredContent).toEqual({ a: 1 });
  });

  it.each([
    { "content-encoding": "zstd" },
    { "content-encoding": "gzip" },
  ])("fails where the answer isn't what its headers say: %j", async (headers) => {
    const witness = await startWitness((_, __, response) => {
      response.writeHead(200, { "content-type": "text/plain", ...headers }).end("plain");
    });
    expect((await failure(call(await open(witness.url), "read"))).code).toBe("upstream-failed");
  });

  it("fails where the API breaks off, or can't be reached", async () => {
    const broken = await startWitness((_, __, response) => {
      response.writeHead(200, { "content-length": "100" }).write("half", () => response.destroy());
    });
    const silent = await startWitness((_, request) => request.socket.destroy());
    for (const { url } of [broken, silent]) {
      expect((await failure(call(await open(url), "read"))).code).toBe("upstream-failed");
    }
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    server.close();
    await once(server, "close");
    const { code, why } = await failure(call(await open(`http://127.0.0.1:${port}`), "read"));
    expect([code, why]).toEqual(["upstream-unavailable", "The connection failed (`ECONNREFUSED`)."]);
  });

  it("fails where the API changes the protocol", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    server.on("connection", (socket) => {
      socket.end("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n");
    });
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    expect((await failure(call(await open(`http://127.0.0.1:${port}`), "read"))).code).toBe(
      "upstream-failed",
    );
    server.close();
  });

  it.each(["look", "read"])("takes an answer without a body, whatever it says of it: %s", async (tool) => {
    const witness = await startWitness((_, __, response) => {
      response.writeHead(tool === "look" ? 200 : 204, { "content-encoding": "gzip" }).end();
    });
    expect(textOf(await call(await open(witness.url), tool))).toContain("without a body");
  });

  it("gives the status of a HEAD", async () => {
    const witness = await startWitness();
    expect(textOf(await call(await open(witness.url), "look"))).toBe(
      "The API answered 200 (OK), without a body.",
    );
  });
});
