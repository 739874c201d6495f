import { describe, expect, expectTypeOf, it } from "vitest";
import { createGate, definePolicy, type Permission, withSession } from "../../index.ts";
import {
  addPrivateDataset,
  markSessionPrivate,
  resolvePermissions,
  sessionHasPrivateData,
} from "./private-data.ts";
import {
  declarePermissions,
  enforceToolPermission,
  enforceToolsPermissions,
  filterToolsByPermission,
  ToolPermissionError,
} from "./tool-permissions.ts";

const add = declarePermissions(
  function add(a: number, b: number): number {
    return a + b;
  },
  ["read"],
);
const post = declarePermissions(
  async function post(text: string): Promise<string> {
    return `posted ${text}`;
  },
  ["connect"],
);
const unknown = () => "did what?";

const newSession = () => createGate({ policy: definePolicy({}) }).open();

describe("an enforced function", () => {
  it("keeps its name, its length, its type and its async-ness (A2)", async () => {
    const [guardedAdd, guardedPost] = [
      enforceToolPermission(add, ["read"]),
      enforceToolPermission(post, ["connect"]),
    ];
    expectTypeOf(guardedAdd).toEqualTypeOf(add);
    expectTypeOf(guardedPost).toEqualTypeOf(post);
    expect([guardedAdd.name, guardedAdd.length, guardedAdd.constructor.name]).toEqual(["add", 2, "Function"]);
    expect([guardedPost.name, guardedPost.length, guardedPost.constructor.name]).toEqual([
      "post",
      1,
      "AsyncFunction",
    ]);
    expect(guardedAdd(1, 2)).toBe(3);
    expect(await guardedPost("hi")).toBe("posted hi");
  });

  it("keeps the receiver it is called on", () => {
    const holder = {
      base: 5,
      plus: declarePermissions(function (this: { base: number }, more: number) {
        return this.base + more;
      }, []),
    };
    holder.plus = enforceToolPermission(holder.plus, []);
    expect(holder.plus(1)).toBe(6);
  });

  it("throws where it is synchronous and rejects where it is async, with the tool and what is missing (A1, A8)", async () => {
    const refused = enforceToolPermission(add, []);
    expect(() => refused(1, 2)).toThrow(ToolPermissionError);
    expect(() => refused(1, 2)).toThrow("Tool `add` is not allowed: it needs read.");
    const promise = enforceToolPermission(post, new Set<Permission>(["read"]))("hi");
    await expect(promise).rejects.toMatchObject({
      code: "permission-denied",
      tool: "post",
      missing: ["connect"],
    });
  });

  it("asks a grant that is a function at every invocation (A2)", () => {
    const grants: Permission[][] = [["read"], [], ["read"]];
    const guarded = enforceToolPermission(add, () => grants.shift() ?? []);
    expect(guarded(1, 1)).toBe(2);
    expect(() => guarded(1, 1)).toThrow(ToolPermissionError);
    expect(guarded(1, 1)).toBe(2);
  });

  it("is refused where the grant throws, and where nobody declared what it does (law-2, law-9)", () => {
    const failing = enforceToolPermission(add, () => {
      throw new Error("directory is down");
    });
    expect(() => failing(1, 1)).toThrow(ToolPermissionError);
    expect(() => enforceToolPermission(unknown, ["read", "write"])()).toThrow("it needs connect.");
    expect(enforceToolPermission(unknown, ["read", "write", "connect"])()).toBe("did what?");
  });
});

describe("a list of functions", () => {
  it("is filtered, so that the agent never sees what is missing a permission, or enforced, so that it is told (A8)", () => {
    expect(filterToolsByPermission([add, post, unknown], ["read"])).toEqual([add]);
    const enforced = enforceToolsPermissions([add], []);
    expect(enforced).toHaveLength(1);
    expect(() => enforced[0]?.(1, 2)).toThrow(ToolPermissionError);
  });
});

describe("the current session", () => {
  it("loses connect while it holds private data, in mid-conversation (A3)", async () => {
    const session = await newSession();
    const guarded = enforceToolPermission(post, () => resolvePermissions(["read", "connect"]));
    await withSession(session, async () => {
      expect(sessionHasPrivateData()).toBe(false);
      expect(await guarded("before")).toBe("posted before");
      await addPrivateDataset("crm", "confidential");
      expect(sessionHasPrivateData()).toBe(true);
      expect([...resolvePermissions(["read", "connect"])]).toEqual(["read"]);
      await expect(guarded("after")).rejects.toBeInstanceOf(ToolPermissionError);
    });
  });

  it("keeps its permissions where what came in is public (A3, A4)", async () => {
    const session = await newSession();
    await withSession(session, async () => {
      await addPrivateDataset("news", "public");
      expect([...resolvePermissions(["connect"])]).toEqual(["connect"]);
    });
    expect(session.datasets).toEqual([]);
  });

  it("is only as high as what was added, and the same data set can raise it again (A4)", async () => {
    const session = await newSession();
    await withSession(session, async () => {
      await addPrivateDataset("crm", "internal");
      expect(session.label.level).toBe("internal");
      await addPrivateDataset("crm", "secret");
      await addPrivateDataset("crm", "public");
    });
    expect(session.label.level).toBe("secret");
    expect(session.datasets).toMatchObject([{ id: "crm", sensitivity: "secret", call: null }]);
    await withSession(session, () =>
      expect(addPrivateDataset("x", "galactic")).rejects.toMatchObject({ code: "invalid-request" }),
    );
  });

  it("is marked private by hand at the second level", async () => {
    const session = await newSession();
    await withSession(session, () => markSessionPrivate());
    expect(session.label.level).toBe("internal");
  });

  it("is never taken for a clean one where there is none (law-9)", () => {
    expect(() => resolvePermissions(["connect"])).toThrow("There is no current session here.");
    expect(() => sessionHasPrivateData()).toThrow(expect.objectContaining({ code: "no-current-session" }));
  });

  it("follows what is awaited, and two of them never mix (A3)", async () => {
    const [left, right] = [await newSession(), await newSession()];
    const work = (session: typeof left, level: string) =>
      withSession(session, async () => {
        await addPrivateDataset("x", level);
        await new Promise((done) => setImmediate(done));
        return sessionHasPrivateData();
      });
    expect(await Promise.all([work(left, "secret"), work(right, "public")])).toEqual([true, false]);
  });
});
