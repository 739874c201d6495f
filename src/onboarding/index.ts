/** Proposes a policy for tools that nobody has declared yet, with a reason for each guess. Pure. */
export { classifyServer, type DescribedServer, type ServerProposal } from "./classify-server.ts";
export { type ProposedDeclaration, toProposedDeclaration } from "./declaration.ts";
export { disagreements } from "./disagreements.ts";
export type { Confidence, DescribedTool, Proposal, Sensitivity } from "./proposal.ts";
export { type Origin, originOf, type Transport } from "./recognise.ts";
