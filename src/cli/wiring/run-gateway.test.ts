import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/temporary-folder.ts";
import { runGateway } from "./run-gateway.ts";

const { path } = temporaryFolder();

it("leaves no listener behind in its process once it is closed, or where it couldn't start", async () => {
  const before = process.listeners("unhandledRejection");
  const config = path("sluicegate.yaml");
  writeFileSync(config, "version: 1\ntools:\n  read_mail: { permissions: [read] }\n");
  const store = `sqlite:${path()}`;
  const log = (): void => {};
  const { gateway } = await runGateway({ config, store, log });
  expect(process.listeners("unhandledRejection")).toHaveLength(before.length + 1);
  await gateway.close();
  expect(process.listeners("unhandledRejection")).toEqual(before);
  await expect(runGateway({ config: join(dirname(config), "none.yaml"), log })).rejects.toThrow();
  expect(process.listeners("unhandledRejection")).toEqual(before);
});
