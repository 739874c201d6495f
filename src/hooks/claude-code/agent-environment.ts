/**
 * Which variables of the agent's environment decide what files its programs load. A complete list isn't possible, so
 * any value that contains a path counts; the lists name variables whose paths are harmless, and those for which less
 * than a path is enough. Every hook process loads this file, so it imports nothing.
 */

/** These only describe where someone works or how lists look; nothing is loaded from there. */
const HARMLESS =
  /^(?:PWD|OLDPWD|INIT_CWD|HOME|CLAUDE_PROJECT_DIR|CLAUDE_CODE_GLOB_NO_IGNORE|LS_?COLORS|npm_config_(?:local_prefix|user_agent)|npm_(?:package|lifecycle)_.*)$/;

/** A word in these is a file even without a slash or a dot. */
export const FILES =
  /^(?:BASH_ENV|ENV|CLAUDE_(?:ENV_FILE|CODE_SHELL\w*)|PROMPT_COMMAND|INPUTRC|SHELL|GIT_CONFIG\w*|GIT_SSH\w*|\w*(?:EDITOR|PAGER|ASKPASS)|VISUAL|BROWSER|GIT_(?:EXTERNAL_DIFF|PROXY_COMMAND)|LESSOPEN|VIMINIT|EXINIT|PYTHONSTARTUP|PERL5OPT|RUBYOPT|\w*JAVA\w*|JDK_\w+|MAVEN_OPTS|GRADLE_OPTS|DOTNET_STARTUP_HOOKS|RUSTC\w*|MAKEFILES|PHPRC|PSQLRC|R_PROFILE\w*|LD_\w+|DYLD_\w+|KUBECONFIG|\w+_CONFIG_FILE|RIPGREP_CONFIG_PATH)$/;

/** A shell reads these files under exactly their names, without adding an extension. */
export const START_FILES = /^(?:BASH_)?ENV$/;

/** Files in the folders that these name are loaded or run. */
export const FOLDERS =
  /^(?:PATH|FPATH|GOPATH|GOBIN|GOROOT|(?:NODENV|PYENV|RBENV|DOTNET|FLUTTER|ANDROID_SDK)_ROOT|(?:BUN|DENO)_INSTALL|(?:NVM|ASDF|SDKMAN|DENO)_DIR|VIRTUAL_ENV|(?:CONDA|HOMEBREW|npm_config)_PREFIX|(?:GEM|BUNDLE|JULIA_DEPOT|GCONV|PLAYWRIGHT_BROWSERS)_PATH|OPAMROOT|ZDOTDIR|IPYTHONDIR|GNUPGHOME|PYTHONUSERBASE|NODE_OPTIONS|PERL5OPT|RUBYOPT|\w*JAVA\w*|JDK_\w+|\w+_(?:HOME|DATA_DIR|CONFIG_DIR)|XDG_\w+|GIT_\w+|\w*CONFIG\w*|\w*PLUGIN\w*|\w*HOOKS?\w*)$/i;

/** Folders of settings. They count even if the folder is the workspace itself. */
export const SETTINGS =
  /^(?:(?:CLAUDE|JUPYTER)_CONFIG_DIR|XDG_(?:CONFIG|DATA)\w*|GIT_(?:DIR|COMMON_DIR|TEMPLATE_DIR|EXEC_PATH)|(?:CARGO|CURL|GRADLE_USER|RUSTUP)_HOME|GNUPGHOME|DOCKER_CONFIG|IPYTHONDIR|ZDOTDIR)$/;

/** Folders of modules, so the project's own code. Only some of their files are loaded by every program. */
export const MODULES =
  /^(?:PYTHONPATH|NODE_PATH|PERL5?LIB|RUBYLIB|CLASSPATH|LD_LIBRARY_PATH|DYLD_\w*LIBRARY_PATH)$/;
export const LOADED_FIRST =
  /^(?:(?:site|user)customize(?:\.py|\/__init__\.py)|encodings\/.*|rubygems\.rb|[^/]*\.(?:so|dylib)(?:\.[\d.]+)?)$/;

/** No program reads a variable with a longer name, and each is compared with many patterns. */
const MAX_NAME = 200;
const SECRET = /(?:TOKEN|SECRET|PASSWORD|KEY)$/i;

/**
 * Whether a variable may name a file that something loads or runs. Other values, such as secrets, aren't passed on.
 */
export const mayNameFiles = (name: string, value: string): boolean =>
  value !== "" &&
  name.length <= MAX_NAME &&
  !HARMLESS.test(name) &&
  (/[./~]/.test(value) || FILES.test(name) || FOLDERS.test(name) || MODULES.test(name)) &&
  (!SECRET.test(name) || /^[./~]/.test(value));

/** Variables that may name files, and those that say where the agent's own files are. */
export type AgentEnvironment = Readonly<Record<string, string>>;

const OWN: ReadonlySet<string> = new Set(["HOME", "CLAUDE_CODE_GLOB_NO_IGNORE", "CLAUDE_PROJECT_DIR"]);

/** A hook runs with its agent's environment. */
export const agentEnvironment = (environment: Readonly<Record<string, unknown>>): AgentEnvironment =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      typeof value === "string" && (OWN.has(name) || mayNameFiles(name, value)) ? [[name, value]] : [],
    ),
  );
