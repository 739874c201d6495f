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

it("gives a server what it needs to reach the network from here, and no token", () => {
  const network = {
    NODE_EXTRA_CA_CERTS: "/etc/ca.pem",
    SSL_CERT_FILE: "/etc/ca.pem",
    HTTPS_PROXY: "http://proxy.example:8080",
    http_proxy: "http://proxy.example:8080",
    NO_PROXY: "localhost",
    npm_config_registry: "https://packages.example",
    NPM_CONFIG_CAFILE: "/etc/ca.pem",
  };
  const own = {
    ...network,
    "npm_config_//packages.example/:_authToken": "t",
    npm_config__auth: "t",
    NPM_TOKEN: "t",
  };
  expect(toEnvironment({}, own, "/opt/node")).toEqual({ ...network, PATH: "/opt" });
  expect(toEnvironment({ HTTPS_PROXY: "" }, own, "/opt/node").HTTPS_PROXY).toBe("");
});

it("lets a server declare what it would inherit, but nothing of the gateway's", () => {
  const declared = { HOME: "/srv", PATH: "/bin", SLUICEGATE_TOKEN: "t", sluicegate_x: "1", __proto__: "p" };
  expect(toEnvironment(declared, { HOME: "/home/a" }, "/opt/node")).toEqual({ HOME: "/srv", PATH: "/bin" });
});
