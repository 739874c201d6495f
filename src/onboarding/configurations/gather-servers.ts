/** All servers of several configurations, each once, under an id that a policy takes, and without its secrets. */
import { isServerId } from "../../core/index.ts";
import { withNeededEnvironment } from "../classify/classify-server.ts";
import { originOf } from "../packs/recognise.ts";
import { createVariableNames, type Hidden, hideSecrets } from "../secrets/hide-secrets.ts";
import { textsOf } from "./fill-server.ts";
import type { FoundServer, FoundTransport } from "./read-configuration.ts";
import { variablesIn } from "./variables.ts";

/** A server as it goes into the policy. */
export interface GatheredServer {
  readonly id: string;
  /** What the configurations call it. */
  readonly names: readonly string[];
  readonly places: readonly string[];
  /** Without secrets. */
  readonly transport: FoundTransport;
  /** With them: what is really started or reached. */
  readonly original: FoundTransport;
  readonly hidden: readonly Hidden[];
}

interface Merged {
  readonly transport: FoundTransport;
  readonly names: string[];
  readonly places: string[];
}

/**
 * Those that start the same are one; one that is this gateway itself is none. `kept` are the values of an env file that
 * stay as they are.
 */
export function gatherServers(
  found: readonly FoundServer[],
  environment: Readonly<Record<string, string | undefined>>,
  kept: ReadonlyMap<string, string> = new Map(),
): readonly GatheredServer[] {
  const merged = new Map<string, Merged>();
  for (const { name, place, transport } of found) {
    if (isThisGateway(transport)) continue;
    const key = keyOf(transport);
    const known = merged.get(key) ?? { transport, names: [], places: [] };
    if (!known.names.includes(name)) known.names.push(name);
    if (!known.places.includes(place)) known.places.push(place);
    merged.set(key, known);
  }
  const taken = new Set<string>(["workspace"]);
  const asked = new Set(found.flatMap(textsOf).flatMap(variablesIn));
  const nameFor = createVariableNames({ environment, kept, asked });
  return [...merged.values()].map(({ transport, names, places }) => {
    const id = toServerId(names[0] ?? "", taken);
    taken.add(id.toLowerCase());
    const { transport: safe, hidden } = hideSecrets(transport, id, nameFor(id));
    const origin = originOf(transport);
    const started = (one: FoundTransport): FoundTransport =>
      one.kind === "http" ? one : withNeededEnvironment(one, origin);
    return {
      id,
      names,
      places,
      transport: started(safe),
      original: started(transport),
      hidden,
    };
  });
}

const sorted = (record: Readonly<Record<string, string>>): readonly (readonly [string, string])[] =>
  Object.entries(record).sort(([left], [right]) => (left < right ? -1 : 1));

function keyOf(transport: FoundTransport): string {
  if (transport.kind === "http") return JSON.stringify([transport.url, sorted(transport.headers)]);
  const { command, args, env, cwd } = transport;
  return JSON.stringify([command, args, sorted(env), cwd]);
}

function isThisGateway(transport: FoundTransport): boolean {
  if (transport.kind === "http") return false;
  const words = [transport.command, ...transport.args.slice(0, 3)];
  return words.some((word) => /(?:^|[\\/])sluicegate(?:\.cmd|@[\w.-]+)?$/.test(word));
}

const MAX_ID_LENGTH = 60;

/** The name as an id: without `__`, unlike every other whatever its case. */
function toServerId(name: string, taken: ReadonlySet<string>): string {
  const cleaned = name
    .normalize("NFKD")
    .replaceAll(/[^A-Za-z0-9._-]+/g, "-")
    .replaceAll(/_{2,}/g, "_")
    .slice(0, MAX_ID_LENGTH)
    .replace(/^[^A-Za-z0-9]+/, "")
    .replace(/[^A-Za-z0-9]+$/, "");
  const wanted = isServerId(cleaned) ? cleaned : "server";
  if (!taken.has(wanted.toLowerCase())) return wanted;
  for (let next = 2; ; next += 1) {
    if (!taken.has(`${wanted}-${next}`.toLowerCase())) return `${wanted}-${next}`;
  }
}
