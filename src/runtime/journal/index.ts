/** The journal's chain, by itself: the thread and the processes of a store load nothing else of the runtime. */
export { CHAIN_START, type ChainPoint, isArchived, linkProblem, sealedBody, sealHash } from "./journal.ts";
