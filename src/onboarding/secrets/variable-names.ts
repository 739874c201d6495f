/** The names of the variables that stand for what was taken out of a configuration. */

/** Gives a secret its variable's name; the same secret under one wish gets the same. */
export type NameVariable = (wish: string, value: string) => string;

interface TakenNames {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What an env file has already. */
  readonly kept: ReadonlyMap<string, string>;
  /** Names that configurations ask for. */
  readonly asked: ReadonlySet<string>;
}

/** Names variables so that each stands for one value, and for none that the environment has otherwise. */
export function createVariableNames({
  environment,
  kept,
  asked,
}: TakenNames): (server: string) => NameVariable {
  const values = new Map<string, string>();
  return (server) => (wish, value) => {
    const wanted = toName(wish);
    const isFree = (name: string): boolean => {
      const own = environment[name];
      // THREAT: a project's configuration may ask for `${GITHUB_TOKEN}`, and must not get what another one holds.
      if (asked.has(name) && own !== value) return false;
      return [values.get(name), own, kept.get(name)].every((taken) => taken === undefined || taken === value);
    };
    const names = [wanted, toName(`${server}_${wanted}`)];
    let name = names.find(isFree);
    for (let next = 2; name === undefined; next += 1) {
      const numbered = `${names[1]}_${next}`;
      if (isFree(numbered)) name = numbered;
    }
    values.set(name, value);
    return name;
  };
}

function toName(wish: string): string {
  const name = wish
    .toUpperCase()
    .replaceAll(/[^A-Z0-9_]+/g, "_")
    .slice(0, 64);
  return /^[A-Z_]/.test(name) && !RESERVED.test(name) ? name : `MCP_${name}`;
}

// THREAT: the gateway's own secrets are called `SLUICEGATE_…`, and must reach no server. The others change what a program
// runs, and an env file may be given to a whole program, as with `node --env-file`.
const RESERVED =
  /^(?:SLUICEGATE_|LD_|DYLD_|NODE_(?:OPTIONS|PATH|EXTRA_CA_CERTS|TLS_)|NPM_CONFIG_|BASH_|SHELLOPTS$|PYTHON|PERL5|RUBY(?:LIB|OPT)|JAVA_|GIT_(?:SSH|CONFIG|EXEC)|SSL_CERT_|(?:HTTPS?|ALL|NO)_PROXY$|(?:ENV|PATH|HOME|IFS|PS4|PROMPT_COMMAND)$)/;
