import { setImmediate } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { ownedBy } from "../threads/owner.test-kit.ts";
import { createScanner, type Scanner } from "./scanner.ts";

const program = new URL("../../test/fixtures/slow-scan.ts", import.meta.url);
const request = (text: string) => ({ text, secrets: true, personalData: true });

const opened: Scanner[] = [];
const open = (milliseconds = 30_000, own: URL | null = program): Scanner => {
  const scanner = createScanner({ milliseconds, ...(own && { program: own }) });
  opened.push(scanner);
  return scanner;
};
afterEach(async () => {
  await Promise.all(opened.splice(0).map((scanner) => scanner.close()));
});

describe("the scanning thread", () => {
  it("is ended in the middle of a text that takes too long, and the next text gets another (C1-detectors)", async () => {
    const scanner = open(2000);
    const all = ["hang", "plain"].map((text) => scanner.scan(request(text)));
    expect(await Promise.all(all)).toEqual([null, []]);
  });

  it.each([
    "die",
    "throw",
  ])("says nothing where it fails, and there is another one for the next: %s", async (text) => {
    const scanner = open();
    expect(await scanner.scan(request(text))).toBeNull();
    expect(await scanner.scan(request("plain"))).toEqual([]);
  });

  it("says nothing where it can't be started", async () => {
    const scanner = open(30_000, new URL("../../package.json", import.meta.url));
    expect(await scanner.scan(request("plain"))).toBeNull();
  });

  it("takes no more texts than have room, and refuses the rest at once (C1-detectors)", async () => {
    const scanner = open();
    const many = Array.from({ length: 5000 }, () => scanner.scan(request("plain")));
    const found = await Promise.all(many);
    expect(found.filter((hits) => hits === null).length).toBeGreaterThan(800);
    expect(found.slice(0, 4096).every((hits) => hits !== null)).toBe(true);
    const large = "x".repeat(20 * 1024 * 1024);
    const [first, second] = [scanner.scan(request(large)), scanner.scan(request(large))];
    const third = scanner.scan(request(large));
    expect(await third).toBeNull();
    expect(await first).toEqual([]);
    await second;
    expect(await scanner.scan(request("plain"))).toEqual([]);
  });

  it("examines a label holder's text though another has more waiting than have room (C1-detectors)", async () => {
    const scanner = open();
    const flood = Array.from({ length: 5000 }, () => scanner.scan(request("plain"), ownedBy("flood")));
    expect(await scanner.scan(request("plain"), ownedBy("victim"))).toEqual([]);
    const found = await Promise.all(flood);
    expect(found.filter((hits) => hits === null).length).toBeGreaterThan(800);
  });

  it("takes turns between label holders, and gives none both threads (C1-detectors)", async () => {
    const scanner = open(300);
    const done: string[] = [];
    const scan = (text: string, holder: string): Promise<void> =>
      scanner
        .scan(request(text), ownedBy(holder))
        .then((hits) => void done.push(`${holder} ${hits === null ? "?" : "ok"}`));
    const slow = Array.from({ length: 4 }, () => scan("hang", "slow"));
    const fast = Array.from({ length: 4 }, () => scan("plain", "fast"));
    await Promise.all([...slow, ...fast]);
    expect(done.filter((one) => one === "fast ok")).toHaveLength(4);
    expect(done.lastIndexOf("fast ok")).toBeLessThan(done.lastIndexOf("slow ?"));
  });

  it("lets principals alternate, however many sessions one has (C1-detectors)", async () => {
    const scanner = open();
    const done: string[] = [];
    const scan = async (holder: string, principal: string): Promise<void> => {
      await scanner.scan(request("plain"), ownedBy(holder, principal));
      done.push(principal);
    };
    const crowd = Array.from({ length: 60 }, (_, at) => scan(`session ${at}`, "ada"));
    await Promise.all([...crowd, scan("session", "bob")]);
    // The other thread may answer many while this one isn't given time by the system.
    expect(done.indexOf("bob")).toBeLessThan(30);
  });

  it("gives up what the largest queue got last where all together have no room (C1-detectors)", async () => {
    const scanner = open();
    const large = "x".repeat(8 * 1024 * 1024);
    const holders = Array.from({ length: 10 }, (_, at) => `holder ${at}`);
    const many = holders.flatMap((holder) =>
      [1, 2, 3].map(() => scanner.scan(request(large), ownedBy(holder))),
    );
    const victim = scanner.scan(request("plain"), ownedBy("victim"));
    expect(await victim).toEqual([]);
    expect((await Promise.all(many)).some((hits) => hits === null)).toBe(true);
  });

  it("takes an answer that came while this process was busy past the time (C1-detectors)", async () => {
    const scanner = open(200);
    expect(await scanner.scan(request("plain"))).toEqual([]);
    const scanned = scanner.scan(request("plain"));
    await setImmediate();
    const until = performance.now() + 400;
    while (performance.now() < until);
    expect(await scanned).toEqual([]);
  });

  it("gives what waits its end where it is closed, and takes nothing afterwards", async () => {
    const scanner = open();
    const waiting = [scanner.scan(request("hang")), scanner.scan(request("plain"))];
    await scanner.close();
    expect(await Promise.all(waiting)).toEqual([null, null]);
    expect(await scanner.scan(request("plain"))).toBeNull();
  });

  it("shares one thread between results that come at once, each with its own answer", async () => {
    const scanner = open(30_000, null);
    const texts = ["ada@example.org", "nothing", "+49 30 901820 or bob@example.org"];
    const found = await Promise.all(texts.map((text) => scanner.scan(request(text))));
    expect(found.map((hits) => hits?.length)).toEqual([1, 0, 2]);
  });

  it("isn't made where the program of its threads is missing, as in a bundle (C1-detectors)", () => {
    const program = new URL("./no-such-worker.js", import.meta.url);
    expect(() => createScanner({ milliseconds: 500, program })).toThrow(
      expect.objectContaining({ code: "invalid-request", message: "The detectors can't be created." }),
    );
  });
});
