import { expect, it } from "vitest";
import { toEnvironment } from "./environment.ts";

it("gives a server what it declares, a path that finds this Node first, and little else", () => {
  const own = {
    PATH: "/usr/bin",
    HOME: "/home/a",
    TZ: "UTC",
    SLUICEGATE_TOKEN: "t",
    AWS_SECRET_ACCESS_KEY: "s",
    NODE_OPTIONS: "--inspect",
  };
  expect(toEnvironment({ API_KEY: "k" }, own, "/opt/node/bin/node")).toEqual({
    HOME: "/home/a",
    TZ: "UTC",
    PATH: "/opt/node/bin:/usr/bin",
    API_KEY: "k",
  });
});

it("lets a server declare what it would inherit, but nothing of the gateway's", () => {
  const declared = { HOME: "/srv", PATH: "/bin", SLUICEGATE_TOKEN: "t", sluicegate_x: "1", __proto__: "p" };
  expect(toEnvironment(declared, { HOME: "/home/a" }, "/opt/node")).toEqual({ HOME: "/srv", PATH: "/bin" });
});
