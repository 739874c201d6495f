/**
 * Files that no agent writes, moves or deletes unasked, whatever its role may do: they decide what others may see, or
 * a program runs them, or what stands in them, without asking anybody again.
 */
import { toPlainName } from "../git/git-folder-name.ts";

/** Each with why it asks. In lower case; a path that is in one of the folders is meant as well. */
const PROTECTED: readonly { readonly why: string; readonly names: RegExp }[] = [
  {
    why: "git and searches leave out what it says",
    names: /\/\.(?:git(?!hub$|lab-ci\.ya?ml$|keep$)[^/]*|ignore|rgignore)$/u,
  },
  { why: "searches are run with its options, which may name a program", names: /\/\.ripgreprc$/u },
  {
    why: "a build server runs what it says",
    names:
      /\/(?:\.gitlab-ci\.ya?ml|\.travis\.ya?ml|jenkinsfile|(?:azure|bitbucket)-pipelines\.ya?ml|\.(?:buildkite|circleci|forgejo\/workflows|gitea\/workflows|github\/(?:workflows|actions))(?:\/.*)?)$/u,
  },
  {
    why: "coding agents follow it in every later conversation",
    names:
      /\/(?:claude(?:\.local)?\.md|agents(?:\.override)?\.md|gemini\.md|\.(?:cursor|windsurf)rules|\.github\/copilot-instructions\.md|\.(?:claude\/(?:rules|output-styles|agent-memory)|github\/instructions)(?:\/.*)?)$/u,
  },
  { why: "git runs what lies there as a hook", names: /\/\.(?:husky|githooks)(?:\/|$)/u },
  { why: "git runs what it names as a hook", names: /\/(?:\.pre-commit-config\.ya?ml|\.?lefthook\.ya?ml)$/u },
  {
    why: "a coding agent takes its settings and what it starts from it",
    names:
      /\/(?:\.(?:amazonq|clinerules|codex|cursor|factory|gemini|junie|kilocode|kiro|opencode|qwen|roo|trae|windsurf)(?:\/.*)?|opencode\.jsonc?|\.aider\.conf\.ya?ml|\.github\/(?:mcp\.json|(?:agents|hooks)(?:\/.*)?))$/u,
  },
  {
    why: "agents and editors start the servers in it",
    names: /\/(?:\.mcp\.json|\.vscode\/mcp\.json)$/u,
  },
  {
    why: "a coding agent runs what is in it, or follows it as its own instructions",
    names: /\/\.claude\/(?:(?:agents|commands|skills|hooks|plugins)(?:\/|$)|settings[^/]*\.json$)/u,
  },
  { why: "a coding agent runs the plugin in it", names: /\/\.claude-plugin(?:\/|$)/u },
  {
    why: "an editor runs its commands and starts the programs that it names",
    names:
      /\/(?:\.(?:vscode\/(?:tasks|launch|settings)|zed\/(?:tasks|debug|settings))\.json|\.idea\/(?:workspace\.xml|(?:runconfigurations|tools)(?:\/.*)?)|\.run(?:\/.*)?|[^/]+\.code-workspace)$/u,
  },
  { why: "an editor builds and starts what it says", names: /\/\.devcontainer(?:\.json$|\/|$)/u },
  {
    why: "a shell or a tool runs what it says in its folder",
    names: /\/(?:\.envrc|\.?mise(?:\.[^/]+)?\.toml|\.?mise\/.*\.toml|\.cargo\/config(?:\.toml)?)$/u,
  },
  {
    why: "it says where packages come from, and which program installs them",
    names: /\/(?:\.npmrc|\.yarnrc(?:\.yml)?|\.pnpmfile\.[cm]?js)$/u,
  },
];

/** What of them may be a link, and so give its name to another file or folder: a name, or all that is in a folder. */
export const LINKED_NAMES: readonly string[] = [
  ...[
    ".claude",
    ".claude/**",
    ".claude-plugin",
    ".claude-plugin/**",
    ".husky/**",
    ".githooks/**",
    ".devcontainer/**",
    ".circleci/**",
    ".cursor",
    ".cursor/**",
    ".kiro",
    ".kiro/**",
    ".opencode",
    ".opencode/**",
    ".windsurf",
    ".windsurf/**",
    ".vscode",
    ".vscode/**",
  ],
  ...[".husky", ".githooks", ".devcontainer", ".devcontainer.json", ".github", ".github/**", ".circleci"],
  ...[
    ".idea",
    ".idea/**",
    ".zed",
    ".zed/**",
    ".cargo",
    ".cargo/**",
    ".codex",
    ".codex/**",
    ".gemini",
    ".gemini/**",
  ],
  ...[".pre-commit-config.yaml", "lefthook.yml", ".lefthook.yml", "opencode.json", "mise.toml", ".mise.toml"],
  ...[
    ".mcp.json",
    ".envrc",
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".pnpmfile.js",
    ".pnpmfile.cjs",
    ".pnpmfile.mjs",
  ],
  ...[".ignore", ".rgignore", ".ripgreprc", ".gitlab-ci.yml", "Jenkinsfile", "azure-pipelines.yml"],
  ...["CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md", ".cursorrules"],
];

/**
 * Whether a canonical path is such a file, one of their folders, or in one of them. Some systems know no case, and
 * leave out characters and the ends of names.
 */
export function isProtectedName(path: string): boolean {
  const read = path.split("/").map(toPlainName).join("/");
  return PROTECTED.some(({ names }) => names.test(read));
}
