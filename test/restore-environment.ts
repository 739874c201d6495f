/** For files that share a process: what one of them changes of the environment is put back before the next. */
import { afterAll } from "vitest";

const before = { ...process.env };

afterAll(() => {
  for (const name of Object.keys(process.env)) if (!Object.hasOwn(before, name)) delete process.env[name];
  Object.assign(process.env, before);
});
