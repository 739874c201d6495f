/** What git's settings and links say of a path in a worktree: both of the workspace's repository and of the worktree. */
import { findRepository, type Repository } from "../git/repository.ts";
import { findRuleFiles, type RuleFiles } from "../git/rule-files.ts";
import { repositoryOf } from "../git/worktrees.ts";
import { linkNamesOf } from "../link-names.ts";

/** As `findRuleFiles`, for a path that `repository` knows. */
export async function ruleFilesOf(root: string, repository: Repository): Promise<RuleFiles | null> {
  const own = await findRepository(root);
  const trees = own === null || own.top === repository.top ? [repository] : [own, repository];
  const rules = await Promise.all(trees.map(findRuleFiles));
  if (rules.includes(null)) return null;
  return {
    has: (path) => rules.some((each) => each?.has(path) !== false),
    liesIn: (folder) => rules.some((each) => each?.liesIn(folder) !== false),
  };
}

/** As `linkNamesOf`. */
export async function linkNamesIn(
  root: string,
  written: string,
  path: string,
): Promise<readonly string[] | null> {
  const [own, known] = await Promise.all([findRepository(root), repositoryOf(root, path)]);
  const roots = known === null || known.top === own?.top ? [root] : [root, known.top];
  const names = await Promise.all(roots.map((each) => linkNamesOf(each, written, path)));
  return names.some((each) => each === null) ? null : [...new Set(names.flatMap((each) => each ?? []))];
}
