import { describeStore } from "../../test/cases/store.case.ts";
import { createMemoryStore } from "./memory.ts";

describeStore("The memory store", async () => ({ store: createMemoryStore() }));
