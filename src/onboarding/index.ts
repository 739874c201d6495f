/** Proposes a policy for tools that nobody has declared yet, with a reason for each guess: pure, and what the package exports. */
export { classifyServer, type DescribedServer, type ServerProposal } from "./classify/classify-server.ts";
export {
  PROPOSED_ENDORSEMENT,
  type ProposedDeclaration,
  toProposedDeclaration,
} from "./classify/declaration.ts";
export { disagreements } from "./classify/disagreements.ts";
export type { Confidence, DescribedTool, Proposal, Sensitivity } from "./classify/proposal.ts";
export { type Origin, originOf, type Transport } from "./packs/recognise.ts";
