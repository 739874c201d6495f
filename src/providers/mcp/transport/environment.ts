/**
 * The environment of an upstream's process: a small one of its own.
 * THREAT: the gateway's environment holds its token and other servers' secrets; none of it may reach an upstream.
 */
import { delimiter, dirname } from "node:path";

type Variables = Readonly<Record<string, string | undefined>>;

const INHERITED = ["HOME", "USER", "LANG", "LC_ALL", "TMPDIR", "TZ", "SHELL"];
/**
 * How the network is reached from here: certificates, proxies, where packages come from. Without them no package is
 * fetched behind a company's proxy. In any case of letters, as the programs that read them take them.
 */
const NETWORK: ReadonlySet<string> = new Set([
  ...["node_extra_ca_certs", "ssl_cert_file", "ssl_cert_dir", "requests_ca_bundle"],
  ...["http_proxy", "https_proxy", "all_proxy", "no_proxy"],
  ...["registry", "cafile", "proxy", "https_proxy", "noproxy"].map((name) => `npm_config_${name}`),
]);
const OWN_PREFIX = "SLUICEGATE_";

/** What `declared` says, over a few variables of the gateway's own. Never anything that begins with `SLUICEGATE_`. */
export function toEnvironment(
  declared: Readonly<Record<string, string>>,
  own: Variables = process.env,
  node: string = process.execPath,
): Record<string, string> {
  const environment = new Map<string, string>();
  for (const name of INHERITED) {
    const value = own[name];
    if (value !== undefined) environment.set(name, value);
  }
  for (const [name, value] of Object.entries(own))
    if (value !== undefined && NETWORK.has(name.toLowerCase())) environment.set(name, value);
  environment.set("PATH", [dirname(node), ...(own.PATH ? [own.PATH] : [])].join(delimiter));
  for (const [name, value] of Object.entries(declared)) environment.set(name, value);
  return Object.fromEntries([...environment].filter(([name]) => !name.toUpperCase().startsWith(OWN_PREFIX)));
}
