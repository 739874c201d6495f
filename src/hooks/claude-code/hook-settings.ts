/** What a decision may take beyond the time that a call is held; the agent is told to wait longer than that. */
export const DECISION_SECONDS = 15;

/** What a hook is set up with: by the words of its command line, and again in what it asks a gateway. */
export interface HookSettings {
  /** The policy's file, absolute. */
  readonly config: string;
  /** The store's file, absolute. */
  readonly store: string;
  readonly role: string | null;
  /** What is said to tools that the policy doesn't name: what it says of the unclassified, or nothing. */
  readonly unlisted: "policy" | "defer" | "pass";
  /** How long a call that asks is held, at most. */
  readonly waitSeconds: number;
  readonly environment: AgentEnvironment;
  /** The agent's settings that hold the hook, absolute; null where its command doesn't say. */
  readonly settings: string | null;
}

/** Variables whose words name files that a shell, git, an interpreter or another program loads or runs. */
export const FILE_VARIABLES = [
  ...["BASH_ENV", "ENV", "CLAUDE_ENV_FILE", "CLAUDE_CODE_SHELL_PREFIX", "PROMPT_COMMAND", "INPUTRC"],
  ...["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_ASKPASS", "SSH_ASKPASS"],
  ...["GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_PAGER", "GIT_EXTERNAL_DIFF", "GIT_PROXY_COMMAND"],
  ...["EDITOR", "VISUAL", "PAGER", "BROWSER", "LESSOPEN", "VIMINIT", "EXINIT", "RIPGREP_CONFIG_PATH"],
  ...["NODE_OPTIONS", "PYTHONSTARTUP", "PERL5OPT", "RUBYOPT", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"],
  ...["MAVEN_OPTS", "GRADLE_OPTS", "DOTNET_STARTUP_HOOKS", "RUSTC_WRAPPER", "MAKEFILES", "PHPRC", "PSQLRC"],
  ...["R_PROFILE", "R_PROFILE_USER", "LD_PRELOAD", "DYLD_INSERT_LIBRARIES", "KUBECONFIG", "AWS_CONFIG_FILE"],
  ...["PIP_CONFIG_FILE", "npm_config_userconfig", "npm_config_globalconfig", "NPM_CONFIG_USERCONFIG"],
] as const;

/** Variables that name a folder with settings of many programs, or of one. */
export const FOLDER_VARIABLES = [
  ...["CLAUDE_CONFIG_DIR", "XDG_CONFIG_HOME", "GIT_TEMPLATE_DIR", "GIT_EXEC_PATH", "GNUPGHOME"],
  ...["CARGO_HOME", "GRADLE_USER_HOME", "IPYTHONDIR", "JUPYTER_CONFIG_DIR", "DOCKER_CONFIG", "CURL_HOME"],
] as const;

/** What of the agent's environment says which files its programs load, and where its own files lie. */
const AGENT_VARIABLES = [
  ...["HOME", "CLAUDE_CODE_GLOB_NO_IGNORE", "CLAUDE_PROJECT_DIR"],
  ...FOLDER_VARIABLES,
  ...FILE_VARIABLES,
] as const;

export type AgentEnvironment = Readonly<Partial<Record<(typeof AGENT_VARIABLES)[number], string>>>;

/** A hook has its agent's environment. */
export const agentEnvironment = (environment: Readonly<Record<string, unknown>>): AgentEnvironment =>
  Object.fromEntries(
    AGENT_VARIABLES.flatMap((name) => {
      const value = environment[name];
      return typeof value === "string" ? [[name, value]] : [];
    }),
  );
