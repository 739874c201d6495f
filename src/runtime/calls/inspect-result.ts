/**
 * The port of detectors: what a tool returned or threw is inspected before any of it is released. Findings only raise
 * the label; if the inspection fails, the worst case is assumed.
 */
import {
  type Finding,
  isKnownLabel,
  join,
  type LabelDeclaration,
  topLabel,
  toSource,
} from "../../core/index.ts";
import { extractIfcHint } from "./ifc-hint.ts";
import { proposeRaise, raiseSession, type SessionScope } from "./raise-label.ts";

/** The outcome of an inspection. */
export interface Inspection {
  readonly findings: readonly Finding[];
  /** The label to raise the session by; null if nothing was found. */
  readonly label: LabelDeclaration | null;
}

/** What is known about an inspected result. */
interface InspectedCall {
  readonly tool: string;
  /** Whose it is: detectors share their capacity fairly among principals, and among the label holders of each. */
  readonly labelHolder?: string;
  readonly principal?: string;
}

/** Inspects what a tool returned or threw, which may be any value. */
export type InspectResult = (result: unknown, call: InspectedCall) => Promise<Inspection>;

/** Findings, as they are raised and recorded. */
interface Found {
  readonly label: LabelDeclaration;
  readonly findings: readonly Finding[];
}

/** Findings in one journal entry. */
const MAX_FINDINGS = 64;

/**
 * Inspects what is about to be released, and raises the session by the findings and by the server's hint. Durable
 * when it resolves; if the session's label already covers them, they are recorded lazily. Returns the findings; null
 * if there are none.
 */
export async function inspectResult(
  place: SessionScope,
  value: unknown,
  { callId, tool }: { readonly callId: string | null; readonly tool: string },
): Promise<LabelDeclaration | null> {
  const said = readSaid(place, value);
  const found = both(place, said, await inspectValue(place, value, tool));
  if (found === null) return null;
  const raise = { ...found, dataset: callId === null && tool !== "" ? tool : undefined, callId };
  if (!isCovered(place, found)) {
    await raiseSession(place, raise);
    return found.label;
  }
  // A hint that comes with every result isn't recorded.
  if (found === said) return found.label;
  const recorded = place.ledger.commit((state) => proposeRaise(state, raise), { lazy: true });
  recorded.catch((cause: unknown) => place.gate.onFault(cause));
  return found.label;
}

/** Whether the session's label covers everything that inspection finds in a value. */
export async function isWithinLabel(place: SessionScope, value: unknown, tool: string): Promise<boolean> {
  const found = both(place, readSaid(place, value), await inspectValue(place, value, tool));
  return found === null || isCovered(place, found);
}

/** The server's hint in a result; null if there is none. */
function readSaid({ ledger }: SessionScope, value: unknown): Found | null {
  const { lattice } = ledger.state;
  try {
    const { label } = extractIfcHint(lattice, value);
    return label && { label, findings: [{ kind: "upstream-label", place: "_meta.ifc" }] };
  } catch {
    // THREAT: a result's own getters and proxies may throw.
    return { label: topLabel(lattice), findings: [UNEXAMINED] };
  }
}

function both({ ledger }: SessionScope, one: Found | null, other: Found | null): Found | null {
  if (one === null || other === null) return one ?? other;
  const { lattice } = ledger.state;
  const label = join(lattice, toSource(lattice, one.label), toSource(lattice, other.label));
  return { label, findings: [...one.findings, ...other.findings] };
}

/** What detectors find in a value; null if nothing. Never rejects. */
async function inspectValue(
  { gate, ledger }: SessionScope,
  value: unknown,
  tool: string,
): Promise<Found | null> {
  if (gate.inspect === null || value === undefined) return null;
  const { lattice } = ledger.state;
  try {
    const { labelHolder, state } = ledger;
    const { findings, label } = await gate.inspect(value, { tool, labelHolder, principal: state.principal });
    if (label === null) return null;
    // The policy may have changed since the detectors were created, and have other levels.
    const isKnown = isKnownLabel(lattice, toSource(lattice, label));
    return { label: isKnown ? label : topLabel(lattice), findings: findings.slice(0, MAX_FINDINGS) };
  } catch {
    return { label: topLabel(lattice), findings: [UNEXAMINED] };
  }
}

const UNEXAMINED: Finding = Object.freeze({ kind: "unexamined", place: "" });

function isCovered({ ledger }: SessionScope, { label }: Found): boolean {
  const { lattice, label: held } = ledger.state;
  return join(lattice, held, toSource(lattice, label)) === held;
}
