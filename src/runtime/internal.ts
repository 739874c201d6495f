/** What the folders beside this one need of it, and no package exports. */
export {
  assertCallable,
  assertMethodIsCallable,
  assertNoPartOfCall,
  notCallable,
} from "./calls/method-calls.ts";
