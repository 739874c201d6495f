/**
 * Files that an agent may write, move or delete only with an approval, whatever its role: they decide which files are
 * ignored, or something runs or follows them later without asking.
 */
import { toPlainName } from "../git/git-folder-name.ts";

/**
 * Names in any folder with the reason, in lower case, separated by spaces. `*` is a part of a name, `**` any path,
 * `{,a}` alternatives, and a final `/` the folder with its content; the rest is a regular expression.
 */
const PROTECTED: readonly { readonly why: string; readonly names: string }[] = [
  { why: "git and searches leave out what it says", names: ".git(?!hub$|keep$)* .ignore .rgignore" },
  { why: "coding agents copy the ignored files that it names into new worktrees", names: ".worktreeinclude" },
  { why: "git sends large files and passwords to the server that it names", names: ".lfsconfig" },
  { why: "searches are run with its options, which may name a program", names: ".ripgreprc" },
  {
    why: "a build server runs what it says",
    names: `.{appveyor,cirrus,drone,gitlab-ci,travis,woodpecker}.y{,a}ml {azure,bitbucket}-pipelines.y{,a}ml
      appveyor.y{,a}ml buildspec.y{,a}ml cloudbuild.y{,a}ml .build.y{,a}ml {,.}zuul.y{,a}ml .cirrus.star jenkinsfile{,.*} .{forgejo,gitea,github}/workflows/ .github/actions/
      {,.}zuul.d/ .{azure-pipelines,buildkite,builds,circleci,semaphore,teamcity,tekton,woodpecker}/`,
  },
  {
    why: "coding agents follow it in every later conversation",
    names: `claude.md claude.local.md agent.md agents.md agents.override.md crush.md gemini.md qwen.md warp.md .{cursor,windsurf,}rules
      .goosehints .github/copilot-instructions.md .github/instructions/`,
  },
  { why: "git takes the folder for a repository, with settings that name programs", names: "head" },
  {
    why: "git runs what lies there as a hook",
    names: ".{cargo-husky,githooks,husky,lefthook,lefthook-local}/",
  },
  {
    why: "git runs what it names as a hook",
    names: `.pre-commit-config.y{,a}ml {,.}lefthook{,-local}.{json,toml,yaml,yml} .config/lefthook{,-local}.{json,toml,yaml,yml}
      .overcommit.yml .huskyrc{,.*} husky.config.* .simple-git-hooks.{cjs,js,json} captainhook.json grumphp.y{,a}ml hk.pkl prek.toml`,
  },
  {
    why: "a coding agent takes its settings and what it starts from it",
    names: `.{agent,agents,amazonq,augment,clinerules,codex,continue,crush,cursor,factory,gemini,junie,kilocode,kiro}/
      .{amp,codebuddy,copilot,goose,iflow,opencode,openhands,pi,qoder,qwen,roo,trae,windsurf}/ .crush.json .roomodes opencode.json{,c} crush.json .aider.conf.y{,a}ml
      .github/{lsp,mcp}.json .github/{agents,copilot,hooks,prompts,skills}/`,
  },
  { why: "agents and editors start the servers in it", names: ".mcp.json .claude.json .vscode/mcp.json" },
  {
    why: "Claude Code runs what is in it, or follows it as its own instructions or as its user's",
    names: `.claude/{agent-memory*,agents,commands,hooks,output-styles,plugins,routines,rules,skills,workflows}/
      .claude/*.json .claude/loop.md .claude-plugin/ .lsp.json hooks/hooks.json monitors/monitors.json`,
  },
  {
    why: "an editor runs its commands and starts the programs that it names",
    names: `.vscode/{tasks,launch,settings}.json .vs/*.json *.sublime-project .zed/{tasks,debug,settings}.json *.code-workspace
      .idea/{watchertasks,workspace}.xml .idea/{runconfigurations,tools}/ .run/
      .{ex,lvim,nvim,vim}rc .nvim.lua .vim/ .dir-locals{,-2}.el .replit .idx/ .codesandbox/ .helix/`,
  },
  { why: "an editor builds and starts what it says", names: ".devcontainer.json .devcontainer/" },
  {
    why: "a shell or a tool runs what it says in its folder",
    names: `.envrc{,.*} .hg/hgrc .jj/ .lazy.lua .{gdb,lldb}init .actrc .bazelrc .cargo/config{,.toml} bunfig.toml .mvn/
      mise.toml mise.*.toml mise/**.toml .mise.toml .mise.*.toml .mise/**.toml`,
  },
  {
    why: "a shell or a desktop runs what it says, in a home folder",
    names: `.bash_{aliases,env,login,logout,profile} .{bash,csh,ksh,mksh,tcsh,yash,zsh}rc .shinit .{login,logout,profile}
      .z{login,logout,profile,shenv} .x{initrc,profile,resources,session,sessionrc} .pam_environment .inputrc
      .config/{autostart,elvish,environment.d,fish,nushell,systemd,xonsh}/ .local/bin/ .local/share/{applications,systemd}/`,
  },
  {
    why: "it says who may log in, or which programs run on the way",
    names: ".ssh/ .rhosts .shosts .gnupg/ .aws/config .docker/config.json .kube/config",
  },
  {
    why: "git, an editor, an interpreter or a tool runs what its user's settings say",
    names: `.config/{emacs,git,helix,nvim,pip,tmux,vim}/ .emacs .emacs.d/ .tmux.conf .screenrc .lesskey .mailcap
      .{irb,pdb,pry,psql,python,sqlite}rc .{pdb,python}rc.py .{ghci,perldb,renviron,rprofile} .{gradle,ipython,jupyter,julia,m2}/`,
  },
  {
    why: "it says where packages come from, and which program installs them",
    names: ".npmrc .yarnrc{,.yml} .yarn/{plugins,releases}/ .pnpmfile.{,c,m}js gradle/wrapper/",
  },
];

const NAMES = PROTECTED.flatMap(({ names }) => names.split(/\s+/));

const IS_PROTECTED = toExpression(NAMES);

/** Folders that may contain a protected name. */
const LEADS_TO_PROTECTED = toExpression(
  NAMES.flatMap((name) =>
    [...name.matchAll(/\/(?=(\*\*)?.)/g)].map(
      ({ index, 1: deep }) => name.slice(0, index) + (deep === undefined ? "" : "/"),
    ),
  ),
);

function toExpression(names: readonly string[]): RegExp {
  const read = names.map((name) =>
    name
      .replaceAll(".", "\\.")
      .replace(/\*+/g, (stars) => (stars === "*" ? "[^/]*" : ".*"))
      .replace(/\/$/, "(?:/.*)?")
      .replaceAll("{", "(?:")
      .replaceAll(",", "|")
      .replaceAll("}", ")"),
  );
  return new RegExp(`/(?:${read.join("|")})$`, "su");
}

/**
 * Patterns by which git lists possible links with protected names, and more: most names begin with a dot, and few
 * patterns are faster than many.
 */
export const LINK_PATTERNS: readonly string[] = [
  ".*",
  ".*/**",
  ...NAMES.filter((name) => !name.startsWith(".")).flatMap(toPatterns),
];

function toPatterns(name: string): readonly string[] {
  const [first = "", ...more] = name.replaceAll(/\{[^}]*\}/g, "*").split("/");
  return more.length === 0 ? [first] : [first, `${first}/**`];
}

/** Whether a link with this path would give its target, or something in it, a protected name. */
export const mayGiveProtectedName = (path: string): boolean =>
  isProtectedName(path) || leadsToProtected(path);

/** Whether a folder with this path, which isn't protected, may contain a protected name. */
export const leadsToProtected = (path: string): boolean => LEADS_TO_PROTECTED.test(toPlainPath(path));

/**
 * Whether a canonical path is such a file, one of their folders, or in one of them. Some systems ignore letter case,
 * some characters, and the ends of names.
 */
export const isProtectedName = (path: string): boolean => IS_PROTECTED.test(toPlainPath(path));

const toPlainPath = (path: string): string => path.split("/").map(toPlainName).join("/");
