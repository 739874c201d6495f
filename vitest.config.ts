import { defineConfig } from "vitest/config";

const slow = [
  "src/connectors/sql/gate.test.ts",
  "src/connectors/sql/sqlite/sqlite-engine.test.ts",
  "src/connectors/sql/postgres/**/*.test.ts",
  "src/agents/roles/**/*.test.ts",
  "src/cli/**/*.test.ts",
  "src/connectors/openapi/**/*.test.ts",
  "src/gateway/upstream/**/*.test.ts",
  "src/workspace/**/*.test.ts",
  "examples/**/*.test.ts",
  "test/workspace/**/*.test.ts",
];

export default defineConfig({
  test: {
    reporters: ["default", "./test/closing-line.ts"],
    coverage: {
      provider: "v8",
      include: ["src/core/**/*.ts"],
      exclude: ["**/*.test.ts", "src/core/index.ts"],
    },
    projects: [
      {
        test: {
          name: "unit",
          include: [
            "src/**/*.test.ts",
            "console/src/**/*.test.ts",
            "spec/**/*.test.ts",
            "test/*.test.ts",
            "test/adapters/**/*.test.ts",
            "test/pins/**/*.test.ts",
            "test/properties/**/*.test.ts",
          ],
          exclude: slow,
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: "system",
          include: [
            ...slow,
            "bench/**/*.test.ts",
            "bypass/**/*.test.ts",
            "demo/**/*.test.ts",
            "test/scenarios/**/*.test.ts",
            "test/faults/**/*.test.ts",
            "test/package/**/*.test.ts",
            "test/conformance/**/*.test.ts",
            "test/console/**/*.test.ts",
          ],
          globalSetup: "test/console/global-setup.ts",
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
