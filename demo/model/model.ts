/** What a language model is to the demo: it says something, and wants to call tools. */

export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export interface ModelCall {
  readonly id: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface ModelAnswer {
  /** The id of the call that it answers. */
  readonly id: string;
  readonly text: string;
  readonly failed: boolean;
}

/** One turn of the model; no calls: it is done. */
export interface Turn {
  readonly text: string;
  readonly calls: readonly ModelCall[];
}

export interface Conversation {
  begin(task: string): Promise<Turn>;
  answer(answers: readonly ModelAnswer[]): Promise<Turn>;
}

export interface ModelMaker {
  /** The model's own name. */
  readonly name: string;
  /** The variable that its key is in. */
  readonly key: string;
  converse(system: string, tools: readonly ModelTool[]): Conversation;
}

/** The model can't be had: said without the key and without what was sent. */
export class ModelError extends Error {}
