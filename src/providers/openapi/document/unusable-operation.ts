/** Why one operation can't be a tool, in a sentence of ours; the others stay. */
export class UnusableOperation extends Error {}
