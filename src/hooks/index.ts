/**
 * Hooks of coding agents, which run their tools themselves. Each event is decided on in the session of its
 * conversation.
 */
export { answerEvent } from "./claude-code/answer-event.ts";
export { createHookGate, type HookGate, type HookGateOptions } from "./claude-code/hook-gate.ts";
