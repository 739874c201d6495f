/** Names for hooks that no package entry exports. */
export { askForNames } from "./git/git.ts";
export { findRepository } from "./git/repository.ts";
export { repositoryOf } from "./git/worktrees.ts";
export {
  type Canonical,
  canonicalPath,
  isNothing,
  isNothingThere,
  type Place,
  pathWithin,
} from "./paths/canonical-path.ts";
export { asRelative, readingsOf, withoutExtension, wordsOf } from "./paths/command-words.ts";
export { homeSettings } from "./paths/marked-folders.ts";
export { type Command, findNamedPrograms, MAX_COMMAND_TEXT } from "./paths/named-programs.ts";
export { placesOnTheWay } from "./paths/protected-paths.ts";
export { examineForeignSearch } from "./search/foreign-search.ts";
export { collectInShares, createLoopShare } from "./search/loop-share.ts";
export { shownName } from "./tools/results.ts";
export { toProtected } from "./workspace.ts";
