/**
 * What of the agent's environment decides which files its programs load, by the names of variables. Nobody can list all
 * such variables: a value with a path counts whatever it is called; the lists say where a path means nothing, and where
 * less than a path is enough. It is loaded for each call of an agent, so it imports nothing.
 */

/** By these somebody says where they work or how a list looks; nothing is loaded from there. */
const HARMLESS =
  /^(?:PWD|OLDPWD|INIT_CWD|HOME|CLAUDE_PROJECT_DIR|CLAUDE_CODE_GLOB_NO_IGNORE|LS_?COLORS|npm_config_(?:local_prefix|user_agent)|npm_(?:package|lifecycle)_.*)$/;

/** A word of these is a file also where it has neither a slash nor a dot. */
export const FILES =
  /^(?:BASH_ENV|ENV|CLAUDE_(?:ENV_FILE|CODE_SHELL\w*)|PROMPT_COMMAND|INPUTRC|SHELL|GIT_CONFIG\w*|GIT_SSH\w*|\w*(?:EDITOR|PAGER|ASKPASS)|VISUAL|BROWSER|GIT_(?:EXTERNAL_DIFF|PROXY_COMMAND)|LESSOPEN|VIMINIT|EXINIT|PYTHONSTARTUP|PERL5OPT|RUBYOPT|\w*JAVA\w*|JDK_\w+|MAVEN_OPTS|GRADLE_OPTS|DOTNET_STARTUP_HOOKS|RUSTC\w*|MAKEFILES|PHPRC|PSQLRC|R_PROFILE\w*|LD_\w+|DYLD_\w+|KUBECONFIG|\w+_CONFIG_FILE|RIPGREP_CONFIG_PATH)$/;

/** What lies in a folder that these name is loaded or run. */
export const FOLDERS =
  /^(?:PATH|FPATH|GOPATH|GOBIN|ZDOTDIR|IPYTHONDIR|GNUPGHOME|PYTHONUSERBASE|NODE_OPTIONS|PERL5OPT|RUBYOPT|\w*JAVA\w*|JDK_\w+|\w+_(?:HOME|DATA_DIR|CONFIG_DIR)|XDG_\w+|GIT_\w+|\w*CONFIG\w*|\w*PLUGIN\w*|\w*HOOKS?\w*)$/i;

/** These hold somebody's settings, also where the folder is the workspace itself. */
export const SETTINGS =
  /^(?:(?:CLAUDE|JUPYTER)_CONFIG_DIR|XDG_(?:CONFIG|DATA)\w*|GIT_(?:DIR|COMMON_DIR|TEMPLATE_DIR|EXEC_PATH)|(?:CARGO|CURL|GRADLE_USER|RUSTUP)_HOME|GNUPGHOME|DOCKER_CONFIG|IPYTHONDIR|ZDOTDIR)$/;

/** Where the project's own code lies. Of it, some is loaded whatever is run. */
export const MODULES =
  /^(?:PYTHONPATH|NODE_PATH|PERL5?LIB|RUBYLIB|CLASSPATH|LD_LIBRARY_PATH|DYLD_\w*LIBRARY_PATH)$/;
export const LOADED_FIRST =
  /^(?:(?:site|user)customize(?:\.py|\/__init__\.py)|[^/]*\.(?:so|dylib)(?:\.[\d.]+)?)$/;

const SECRET = /(?:TOKEN|SECRET|PASSWORD|KEY)$/i;

/** Whether a variable may name a file that something loads or runs; a secret that looks like none isn't passed on. */
export const mayNameFiles = (name: string, value: string): boolean =>
  value !== "" &&
  !HARMLESS.test(name) &&
  (/[./~]/.test(value) || FILES.test(name) || FOLDERS.test(name) || MODULES.test(name)) &&
  (!SECRET.test(name) || /^[./~]/.test(value));

/** Variables that may name files, and those by which the agent's own files are found. */
export type AgentEnvironment = Readonly<Record<string, string>>;

const OWN: ReadonlySet<string> = new Set(["HOME", "CLAUDE_CODE_GLOB_NO_IGNORE", "CLAUDE_PROJECT_DIR"]);

/** A hook has its agent's environment. */
export const agentEnvironment = (environment: Readonly<Record<string, unknown>>): AgentEnvironment =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      typeof value === "string" && (OWN.has(name) || mayNameFiles(name, value)) ? [[name, value]] : [],
    ),
  );
