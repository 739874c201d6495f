/**
 * The environment of an upstream's process. THREAT: the gateway's environment contains its token and other servers'
 * secrets; none of it may reach an upstream.
 */
import { delimiter, dirname } from "node:path";

type Variables = Readonly<Record<string, string | undefined>>;

const INHERITED = ["HOME", "USER", "LANG", "LC_ALL", "TMPDIR", "TZ", "SHELL"];
/**
 * Variables for network access: certificates, proxies, package registries. Without them no package is fetched behind
 * a company's proxy. In any letter case, as programs read them.
 */
const NETWORK: ReadonlySet<string> = new Set([
  ...["node_extra_ca_certs", "ssl_cert_file", "ssl_cert_dir", "requests_ca_bundle"],
  ...["http_proxy", "https_proxy", "all_proxy", "no_proxy"],
  ...["registry", "cafile", "proxy", "https_proxy", "noproxy"].map((name) => `npm_config_${name}`),
]);
const OWN_PREFIX = "SLUICEGATE_";

/** The `declared` variables, and a few of the gateway's own. Never any that begins with `SLUICEGATE_`. */
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
